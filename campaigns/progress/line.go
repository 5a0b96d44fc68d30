package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"ordeal/campaigns/internal/messages"
)

// Line shows on standard error how far work is: one line that begins with the time
// that it takes, drawn anew on a terminal, else printed now and then. Its methods may
// be called from several goroutines.
type Line struct {
	plain io.Writer

	mu   sync.Mutex
	live *Live     // nil: plain
	w    io.Writer // for lines that stay
	due  Pace
	text string // how far the work is
}

// NewLine shows a line in a mode that Resolve gave, and what the work is until Show
// says how far.
func NewLine(stderr, terminal io.Writer, mode, text string) *Line {
	l := &Line{plain: stderr, w: stderr, text: text, due: Pace{Start: time.Now()}}
	switch mode {
	case ModeNone:
		l.plain, l.w = io.Discard, io.Discard
	case ModeLive:
		l.live = NewLive(terminal, func(width int) []string { return []string{cut(l.line(time.Now()), width)} })
		l.w = &messages.Escaper{W: l.live}
	}
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

// Write prints lines that stay.
func (l *Line) Write(p []byte) (int, error) {
	l.mu.Lock()
	w := l.w
	l.mu.Unlock()
	return w.Write(p)
}

// Close removes what was drawn. Results are printed after it.
func (l *Line) Close() {
	l.mu.Lock()
	live := l.live
	l.live, l.w = nil, l.plain
	l.mu.Unlock()
	if live != nil {
		live.Close()
	}
}
