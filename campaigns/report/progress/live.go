package progress

import (
	"io"
	"strings"
	"time"

	"github.com/vbauerster/cupwriter"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// liveEvery is the time between drawings of a live display.
const liveEvery = 200 * time.Millisecond

// Live is a number of lines at the end of a terminal that are drawn anew.
// Lines that are written to it stay above them.
type Live struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

// NewLive shows the lines that draw gives for a width, in columns.
func NewLive(w io.Writer, draw func(width int) []string) *Live {
	l := &Live{bars: mpb.New(mpb.WithConsoleWriter(console{cupwriter.New(w, false)}), mpb.WithRefreshRate(liveEvery))}
	// One call draws all lines: the bar is the first, the rest extends it.
	var rest []string
	first := mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		lines := draw(max(s.AvailableWidth-1, 1)) // a full last column wraps on some terminals
		rest = lines[1:]
		_, err := io.WriteString(w, lines[0])
		return err
	})
	below := mpb.BarFillerFunc(func(w io.Writer, _ decor.Statistics) error {
		if len(rest) == 0 {
			return nil
		}
		_, err := io.WriteString(w, strings.Join(rest, "\n")+"\n")
		return err
	})
	l.bar = l.bars.MustAdd(0, first, mpb.BarFillerTrim(), mpb.BarExtender(below, false))
	return l
}

// Write shows lines that stay, above those that are drawn anew.
func (l *Live) Write(p []byte) (int, error) { return l.bars.Write(p) }

// Close removes the lines that were drawn.
func (l *Live) Close() {
	l.bar.Abort(true)
	l.bars.Wait()
}
