package papers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"ordeal/campaigns/audit"
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
	// cpuPoll is the time between readings of the CPU time of a check.
	cpuPoll = 5 * time.Millisecond
)

// withCPU bounds the CPU time from now on. When it is used, the context
// ends with cause context.DeadlineExceeded. It must be cancelled.
func withCPU(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	end := audit.ProcessTime() + limit
	ticker := time.NewTicker(cpuPoll)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if audit.ProcessTime() >= end {
					cancel(context.DeadlineExceeded)
				}
			}
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// limited runs a call with the limit of a check; out reports that it reached
// the limit, which is no error.
func (b *bench) limited(ctx context.Context, call func(ctx context.Context) error) (out bool, err error) {
	limited, cancel := withCPU(ctx, b.limit())
	defer cancel()
	err = call(limited)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), context.DeadlineExceeded) {
		return true, nil
	}
	return false, err
}

// checked has the time and the answer of a check of a history.
type checked struct {
	answer check.Answer
	spent  time.Duration
	gaveUp bool // at a limit
}

// check checks a history by a procedure and measures it.
func (b *bench) check(ctx context.Context, h *parse.History, m model.Model, procedure string) (checked, error) {
	var c checked
	var err error
	c.spent, err = measure(func() error {
		gaveUp := false
		out, err := b.limited(ctx, func(ctx context.Context) error {
			v, err := check.Check(ctx, h, m, check.Options{Procedure: procedure, MemoryBytes: memoryLimit})
			// A procedure that only refutes is Unknown without a limit, too.
			c.answer, gaveUp = v.Answer, v.Answer == check.Unknown && strings.Contains(v.Reason, "budget exhausted")
			return err
		})
		c.gaveUp = out || gaveUp
		return err
	})
	return c, err
}

// measure is the CPU time of a call, the mean of several if it is short.
func measure(call func() error) (time.Duration, error) {
	start := audit.ProcessTime()
	wall := time.Now()
	if err := call(); err != nil {
		return 0, err
	}
	spent := audit.ProcessTime() - start
	if once := time.Since(wall); once < shortCheck && spent < shortCheck {
		n := min(repeats, int(shortCheck/max(once, time.Microsecond)))
		for range n {
			if err := call(); err != nil {
				return 0, err
			}
		}
		spent = (audit.ProcessTime() - start) / time.Duration(n+1)
	}
	return spent, nil
}

// mean measures a method on histories, one by one, as long as that has used
// less than a share of the time that all of them could take at most.
func (b *bench) mean(ctx context.Context, runs []sample, m model.Model, procedure string) (Seconds, error) {
	runtime.GC()
	t := Seconds{Of: len(runs)}
	for i := range runs {
		if b.enough(&t) {
			break
		}
		c, err := b.check(ctx, runs[i].history, m, procedure)
		if err != nil {
			return t, fmt.Errorf("%s: %s: %w", configName(&runs[i]), procedure, err)
		}
		t.note(c)
	}
	return t, nil
}

// enough says that a slow method has had its time: a small part, at small
// scales, of what it would use if all checks reached the limit.
func (b *bench) enough(t *Seconds) bool {
	share := min(1, 0.05+b.Scale)
	return t.Histories > 0 && t.Mean*float64(t.Histories) >= share*float64(t.Of)*b.limit().Seconds()
}

// answer checks a history under a model by the default procedure, which is
// expected to decide.
func answer(ctx context.Context, r *sample, m model.Model) (check.Verdict, error) {
	v, err := check.Check(ctx, r.history, m, check.Options{})
	if err == nil && v.Answer == check.Unknown {
		err = fmt.Errorf("%s: undecided under %s: %s", configName(r), m.Name, v.Reason)
	}
	return v, err
}
