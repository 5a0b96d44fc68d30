// Package progress shows on standard error how long work goes on: lines that are
// drawn anew on a terminal, else a line now and then.
package progress

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// The ways to show progress.
const (
	ModeAuto  = "auto"  // live on a terminal, plain elsewhere
	ModeLive  = "live"  // lines that are drawn anew
	ModePlain = "plain" // a line now and then
	ModeNone  = "none"
)

// Modes lists the values of --progress.
func Modes() []string {
	return []string{ModeAuto, ModeLive, ModePlain, ModeNone}
}

// Flags are the flags that say how to show progress.
type Flags struct {
	mode  string
	quiet bool
}

// Declare adds the flags.
func (f *Flags) Declare(fs *pflag.FlagSet) {
	fs.StringVar(&f.mode, "progress", ModeAuto, "how to show progress on standard error: "+strings.Join(Modes(), ", "))
	fs.BoolVar(&f.quiet, "quiet", false, "show no progress and no findings as they come; as --progress none")
}

// Resolve is the mode that the flags, or the zero Flags of a command that declares
// none, mean where standard error is w.
func (f *Flags) Resolve(w io.Writer) (string, error) {
	f.mode = cmp.Or(f.mode, ModeAuto)
	switch {
	case !slices.Contains(Modes(), f.mode):
		return "", fmt.Errorf("--progress %s: want %s", f.mode, strings.Join(Modes(), ", "))
	case f.quiet && f.mode != ModeAuto && f.mode != ModeNone:
		return "", fmt.Errorf("--quiet contradicts --progress %s", f.mode)
	case f.quiet:
		return ModeNone, nil
	case f.mode == ModeLive && !IsTerminal(w):
		return "", errors.New("--progress live: standard error is no terminal")
	case f.mode == ModeAuto:
		return Auto(w), nil
	}
	return f.mode, nil
}

// Auto is what ModeAuto means where standard error is w.
func Auto(w io.Writer) string {
	if IsTerminal(w) && os.Getenv("TERM") != "dumb" {
		return ModeLive
	}
	return ModePlain
}

// Campaign shows on standard error how a campaign goes: lines that are drawn
// anew on a terminal, else a line now and then; and a line for each finding.
type Campaign struct {
	display
	state *Status // guarded by display.mu
}

// New shows the progress of a campaign in a directory, in a mode that
// Resolve gave. A campaign without a name is one that could not be read.
func New(stderr, terminal io.Writer, mode string, c *config.Campaign, dir string) *Campaign {
	p := &Campaign{state: newStatus(c)}
	p.show(stderr, terminal, mode, func(width int) []string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.state.lines(time.Now(), width)
	})
	if c.Name != "" {
		p.Logf("campaign %s: %s in %s", messages.EscapeLine(c.Name), planned(c), messages.EscapeLine(dir))
	}
	return p
}

// planned says what a campaign is to do.
func planned(c *config.Campaign) string {
	text := messages.Plural(c.Runs(), "run")
	if c.Budget > 0 {
		text += ", at most " + Span(time.Duration(c.Budget))
	}
	return text
}

// OnResult takes in a run that was recorded.
func (p *Campaign) OnResult(s *summary.Summary, run *journal.Entry) {
	now := time.Now()
	p.mu.Lock()
	found := p.state.note(s, run, now)
	text := ""
	if p.live == nil && p.due.Due(now) {
		p.state.count(s)
		text = p.state.line(now)
	}
	p.mu.Unlock()
	if found != "" {
		p.Logf("%s", found)
	}
	if text != "" {
		p.Logf("%s", text)
	}
}

// Logf prints a line that stays.
func (p *Campaign) Logf(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// Every is the time between lines of progress where standard error is no
// terminal; campaigns make it longer as they go on, up to plainMost.
const (
	Every     = 5 * time.Second
	plainMost = 5 * time.Minute
)

// Pace says when a line is due: after Every at first, then whenever a
// tenth of the time so far has gone by, so that the log of a nightly campaign has some
// hundred lines.
type Pace struct {
	Start time.Time // of the work
	last  time.Time // that a line was due
}

// Due tells whether a line is due, and counts it if so.
func (p *Pace) Due(now time.Time) bool {
	last := p.last
	if last.IsZero() {
		last = p.Start
	}
	if now.Sub(last) < min(max(Every, now.Sub(p.Start)/10), plainMost) {
		return false
	}
	p.last = now
	return true
}
