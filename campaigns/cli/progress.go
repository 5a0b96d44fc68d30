package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"ordeal/campaigns"
)

// plainEvery is the time between lines of progress where standard error is no
// terminal.
const plainEvery = 5 * time.Second

// progress shows on standard error how a campaign goes: a bar on a terminal,
// else a line now and then, and a line for each finding.
type progress struct {
	w    io.Writer
	bars *mpb.Progress // nil where there is no terminal
	bar  *mpb.Bar
	last time.Time

	mu   sync.Mutex
	text string // beside the bar
}

func newProgress(e *env, runs int) *progress {
	p := &progress{w: e.stderr, last: time.Now()}
	if !isTerminal(e.stderr) {
		return p
	}
	p.bars = mpb.New(mpb.WithOutput(e.stderr), mpb.WithWidth(24))
	p.bar = p.bars.AddBar(int64(runs), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d runs ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.text
		})))
	p.w = p.bars
	return p
}

// watch is told of every run that ends.
func (p *progress) watch(s *campaigns.Summary, run *campaigns.Run) {
	t := s.Total()
	elapsed := max(s.Elapsed.Seconds(), 1e-9)
	left := time.Duration(float64(s.Planned-t.Runs) / (float64(t.Runs) / elapsed) * float64(time.Second))
	text := fmt.Sprintf("%.1f runs/s, %d not sc, %d findings, %s left",
		float64(t.Runs)/elapsed, t.Weak, len(s.Findings), left.Round(time.Second))
	if run.Finding() {
		fmt.Fprintf(p.w, "finding: run %d of seed %d: %s: %s, in %s\n", run.Number, s.Seed, run.Outcome, run.Title, run.Dir)
	}
	if p.bar != nil {
		p.mu.Lock()
		p.text = " " + text
		p.mu.Unlock()
		p.bar.SetTotal(int64(s.Planned), false) // not known before, of a campaign that goes on
		p.bar.SetCurrent(int64(t.Runs))
		return
	}
	if now := time.Now(); now.Sub(p.last) >= plainEvery {
		p.last = now
		fmt.Fprintf(p.w, "%d/%d runs, %s\n", t.Runs, s.Planned, text)
	}
}

// tell shows a line.
func (p *progress) tell(line string) { fmt.Fprintln(p.w, line) }

// close removes the bar.
func (p *progress) close() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
