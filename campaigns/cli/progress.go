package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
)

// The ways to show progress.
const (
	progressAuto  = "auto"  // live on a terminal, plain elsewhere
	progressLive  = "live"  // lines that are drawn anew
	progressPlain = "plain" // a line now and then
	progressNone  = "none"
)

// progressModes lists the values of --progress.
func progressModes() []string {
	return []string{progressAuto, progressLive, progressPlain, progressNone}
}

// progressFlags are the flags that say how to show progress.
type progressFlags struct {
	mode  string
	quiet bool
}

func (f *progressFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.mode, "progress", progressAuto, "how to show progress on standard error: "+strings.Join(progressModes(), ", "))
	fs.BoolVar(&f.quiet, "quiet", false, "show no progress and no findings as they come; as --progress none")
}

// resolve is the mode that the flags mean where standard error is w.
func (f *progressFlags) resolve(w io.Writer) (string, error) {
	switch {
	case !slices.Contains(progressModes(), f.mode):
		return "", fmt.Errorf("--progress %s: want %s", f.mode, strings.Join(progressModes(), ", "))
	case f.quiet && f.mode != progressAuto && f.mode != progressNone:
		return "", fmt.Errorf("--quiet contradicts --progress %s", f.mode)
	case f.quiet:
		return progressNone, nil
	case f.mode == progressLive && !isTerminal(w):
		return "", errors.New("--progress live: standard error is no terminal")
	case f.mode == progressAuto && isTerminal(w) && os.Getenv("TERM") != "dumb":
		return progressLive, nil
	case f.mode == progressAuto:
		return progressPlain, nil
	}
	return f.mode, nil
}

// progress shows on standard error how a campaign goes: lines that are drawn
// anew on a terminal, else a line now and then; and a line for each finding.
type progress struct {
	w    io.Writer // for lines that stay
	live *live     // nil: plain
	due  pace

	mu    sync.Mutex
	state *state
}

// newProgress shows the progress of a campaign in a directory, in a mode that
// resolve gave. A campaign without a name is one that could not be read.
func newProgress(e *env, mode string, c *config.Campaign, dir string) *progress {
	p := &progress{w: e.stderr, state: newState(c), due: pace{start: time.Now()}}
	switch mode {
	case progressNone:
		p.w = io.Discard
		return p
	case progressLive:
		p.live = newLive(e.terminal, func(width int) []string {
			p.mu.Lock()
			defer p.mu.Unlock()
			lines := p.state.lines(time.Now(), width)
			for i := range lines {
				lines[i] = messages.EscapeLine(lines[i])
			}
			return lines
		})
		p.w = &messages.Escaper{W: p.live}
	}
	if c.Name != "" {
		p.logf("campaign %s: %s in %s", c.Name, planned(c), dir)
	}
	return p
}

// planned says what a campaign is to do.
func planned(c *config.Campaign) string {
	text := messages.Plural(c.Runs(), "run")
	if c.Budget > 0 {
		text += ", at most " + span(time.Duration(c.Budget))
	}
	return text
}

// onResult takes in a run that was recorded.
func (p *progress) onResult(s *summary.Summary, run *journal.Entry) {
	now := time.Now()
	p.mu.Lock()
	found := p.state.note(s, run, now)
	text := ""
	if p.live == nil && p.due.now(now) {
		text = p.state.line(now)
	}
	p.mu.Unlock()
	if found != "" {
		p.logf("%s", found)
	}
	if text != "" {
		p.logf("%s", text)
	}
}

// logf prints a line that stays.
func (p *progress) logf(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// close removes what is not to stay.
func (p *progress) close() {
	if p.live != nil {
		p.live.close()
	}
}

// plainEvery is the time between lines of progress where standard error is no
// terminal; campaigns make it longer as they go on, up to plainMost.
const (
	plainEvery = 5 * time.Second
	plainMost  = 5 * time.Minute
)

// pace says when a line is due: after plainEvery at first, then whenever a
// tenth of the time so far has gone by, so that the log of a nightly campaign has some
// hundred lines.
type pace struct{ start, last time.Time }

// now tells whether a line is due, and counts it if so.
func (p *pace) now(now time.Time) bool {
	last := p.last
	if last.IsZero() {
		last = p.start
	}
	if now.Sub(last) < min(max(plainEvery, now.Sub(p.start)/10), plainMost) {
		return false
	}
	p.last = now
	return true
}

// isTerminal reports whether w, or r, is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
