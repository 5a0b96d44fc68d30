package gem5

import (
	"sync"
	"time"

	"ordeal/sim"
	"ordeal/sim/osfile"
)

// Progress is how far a simulation got.
type Progress struct {
	// Jobs are those of the launch, in the order in which they run.
	Jobs         []sim.Job
	Ticks        int64
	Instructions int64
}

// progressInterval is the time between two looks at gem5's output.
const progressInterval = time.Second / 2

// reportProgress reports to Options.OnProgress until stop is called.
func (l *launch) reportProgress() (stop func()) {
	report := l.runner.options.OnProgress
	if report == nil {
		return func() {}
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		last := int64(0)
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
			text, err := osfile.ReadFile(l.path(StdoutFile), maxOutput)
			if err != nil {
				continue // not made yet
			}
			if s := parseStatus(string(text)); s.ticks > last {
				last = s.ticks
				report(Progress{Jobs: l.jobs, Ticks: s.ticks, Instructions: s.instructions})
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}
