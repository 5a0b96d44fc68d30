package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"ordeal/campaigns/internal/messages"
)

// display is standard error, for lines that stay, and on a terminal lines below them
// that are drawn anew.
type display struct {
	plain io.Writer
	due   Pace

	mu   sync.Mutex
	live *Live // nil: plain
	w    io.Writer
}

// show begins in a mode that Resolve gave; draw gives the lines that are drawn anew for a
// width, in columns.
func (d *display) show(stderr, terminal io.Writer, mode string, draw func(width int) []string) {
	d.plain, d.w, d.due = stderr, stderr, Pace{Start: time.Now()}
	switch mode {
	case ModeNone:
		d.plain, d.w = io.Discard, io.Discard
	case ModeLive:
		d.live = NewLive(terminal, draw)
		d.w = &messages.Escaper{W: d.live}
	}
}

// Write prints lines that stay.
func (d *display) Write(p []byte) (int, error) {
	d.mu.Lock()
	w := d.w
	d.mu.Unlock()
	return w.Write(p)
}

// Close removes what was drawn. Results are printed after it.
func (d *display) Close() {
	d.mu.Lock()
	live := d.live
	d.live, d.w = nil, d.plain
	d.mu.Unlock()
	if live != nil {
		live.Close()
	}
}

// Line shows on standard error how far work is: one line that begins with the time
// that it takes, drawn anew on a terminal, else printed now and then. Its methods may
// be called from several goroutines.
type Line struct {
	display
	text string // how far the work is
}

// NewLine shows a line in a mode that Resolve gave, and what the work is until Show
// says how far.
func NewLine(stderr, terminal io.Writer, mode, text string) *Line {
	l := &Line{text: text}
	l.show(stderr, terminal, mode, func(width int) []string { return []string{cut(l.line(time.Now()), width)} })
	return l
}

// line is the line at a time.
func (l *Line) line(now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Span(now.Sub(l.due.Start)) + ": " + messages.EscapeLine(l.text)
}

// Show says how far the work is.
func (l *Line) Show(format string, args ...any) {
	now := time.Now()
	l.mu.Lock()
	l.text = fmt.Sprintf(format, args...)
	due := l.live == nil && l.due.Due(now)
	l.mu.Unlock()
	if due {
		fmt.Fprintln(l, l.line(now))
	}
}

// Elapsed is the time since NewLine.
func (l *Line) Elapsed() time.Duration { return time.Since(l.due.Start) }
