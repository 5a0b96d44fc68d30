package gem5

import (
	"os"
	"sync"
	"time"

	"ordeal/sim"
)

// Progress is how far a simulation got.
type Progress struct {
	// Jobs are those of the launch, in the order in which they run.
	Jobs         []sim.Job
	Ticks        int64
	Instructions int64
}

// Watch has watch told of the progress of simulations, instead of
// Options.Watch. It is for callers that did not make the runner; call it
// before the first run.
func (r *Runner) Watch(watch func(Progress)) { r.options.Watch = watch }

// watchEvery is the time between looks at gem5's output.
const watchEvery = time.Second / 2

// watch has Options.Watch told of the progress until the function returned is
// called.
func (l *launched) watch() (stop func()) {
	if l.runner.options.Watch == nil {
		return func() {}
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		var last said
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
			text, err := os.ReadFile(l.path(StdoutFile))
			if err != nil {
				continue // not made yet
			}
			if s := parseSaid(string(text)); s.ticks > last.ticks {
				last = s
				l.runner.options.Watch(Progress{Jobs: l.jobs, Ticks: s.ticks, Instructions: s.instructions})
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}
