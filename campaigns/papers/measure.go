package papers

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
)

const (
	// memoryLimit bounds what one check may need, in bytes.
	memoryLimit = 4 << 30
	// shortCheck is the time below which a check is repeated, repeats times at
	// most, since the kernel divides time between user and system by ticks.
	shortCheck = 10 * time.Millisecond
	repeats    = 20
	// cpuLook is how often the time of a check is looked at.
	cpuLook = 5 * time.Millisecond
)

// userCPU is the user CPU time that this process has used.
func userCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(u.Utime.Nano())
}

// cpuContext ends when the process has used some user CPU time, with the error
// of a deadline.
type cpuContext struct {
	context.Context
	parent context.Context
}

// withCPU bounds the user CPU time from now on. It must be cancelled.
func withCPU(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	end := userCPU() + limit
	ticker := time.NewTicker(cpuLook)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-inner.Done():
				return
			case <-ticker.C:
				if userCPU() >= end {
					cancel(context.DeadlineExceeded)
				}
			}
		}
	}()
	return &cpuContext{inner, parent}, func() { cancel(context.Canceled) }
}

// Err is DeadlineExceeded when the time is used.
func (c *cpuContext) Err() error {
	if err := c.Context.Err(); err == nil || c.parent.Err() != nil {
		return err
	}
	return context.DeadlineExceeded
}

// check judges a history by a procedure and measures it.
func (b *bench) check(ctx context.Context, h *parse.History, m model.Model, procedure string) (check.Verdict, time.Duration, error) {
	var v check.Verdict
	spent, err := measure(func() (err error) {
		limited, cancel := withCPU(ctx, b.limit())
		defer cancel()
		v, err = check.Check(limited, h, m, check.Options{Procedure: procedure, MemoryBytes: memoryLimit})
		return err
	})
	return v, spent, err
}

// measure is the user CPU time of a call, the mean of several if it is short.
func measure(call func() error) (time.Duration, error) {
	start := userCPU()
	wall := time.Now()
	if err := call(); err != nil {
		return 0, err
	}
	spent := userCPU() - start
	if once := time.Since(wall); once < shortCheck && spent < shortCheck {
		n := min(repeats, int(shortCheck/max(once, time.Microsecond)))
		for range n {
			if err := call(); err != nil {
				return 0, err
			}
		}
		spent = (userCPU() - start) / time.Duration(n+1)
	}
	return spent, nil
}

// mean measures a method on histories, one by one, as long as that has used
// less than a share of the time that all of them could take at most.
func (b *bench) mean(ctx context.Context, runs []run, m model.Model, procedure string) (Seconds, error) {
	runtime.GC()
	t := Seconds{Of: len(runs)}
	for i := range runs {
		if b.enough(&t) {
			break
		}
		v, cpu, err := b.check(ctx, runs[i].history, m, procedure)
		if err != nil {
			return t, fmt.Errorf("%s: %s: %w", configName(&runs[i]), procedure, err)
		}
		t.note(cpu.Seconds(), gaveUp(&v))
	}
	return t, nil
}

// enough says that a slow method has had its time: a small part, at small
// scales, of what it would use if all checks reached the limit.
func (b *bench) enough(t *Seconds) bool {
	share := min(1, 0.05+b.Scale)
	return t.Histories > 0 && t.Mean*float64(t.Histories) >= share*float64(t.Of)*b.limit().Seconds()
}

// answer judges a history under a model by the default procedure, which is
// expected to decide.
func answer(ctx context.Context, r *run, m model.Model) (check.Verdict, error) {
	v, err := check.Check(ctx, r.history, m, check.Options{})
	if err == nil && v.Answer == check.Unknown {
		err = fmt.Errorf("%s: undecided under %s: %s", configName(r), m.Name, v.Reason)
	}
	return v, err
}

// gaveUp says whether a check ended at a limit; a procedure that only refutes
// is Unknown otherwise, too.
func gaveUp(v *check.Verdict) bool {
	return v.Answer == check.Unknown && strings.Contains(v.Reason, "budget exhausted")
}
