package exploration

import (
	"context"
	"time"

	"ordeal/sim/explore"
	"ordeal/sim/explore/liveness"
	"ordeal/sim/explore/search"
)

// Compiled explores a machine whose protocol is compiled, in memory alone. If it
// runs a program, its outcomes are checked by the model of that name; if its graph is
// kept, so is liveness under weak fairness. A context that ends is a limit.
func Compiled(ctx context.Context, c explore.Config, model string, o search.Options) (*Result, error) {
	m, err := newMachine(c)
	if err != nil {
		return nil, err
	}
	find, err := search.New(m, o)
	if err != nil {
		return nil, err
	}
	defer find.Close() // only a file without a name is left, which goes with the process
	if c.Program != nil {
		p := &Program{Text: string(c.Program.Text()), Placement: placement(&c)}
		r, err := (&activeSearch{machine: m, search: find, ignore: o.Ignore}).program(ctx, ctx, c.Program, p, model)
		if err != nil {
			return nil, err
		}
		return &r.Result, nil
	}
	began := time.Now()
	found, err := find.Run(ctx)
	if err != nil {
		return nil, err
	}
	r := newResult(m, found)
	run := &activeSearch{machine: m, search: find}
	err = run.findings(r, found)
	if err == nil && o.Graph && r.Complete() {
		err = run.liveness(ctx, r, liveness.Weak, o.KeepGoing)
	}
	r.Elapsed = time.Since(began)
	return r, err
}

// placement is the core of each thread.
func placement(c *explore.Config) []int {
	if c.Placement != nil {
		return c.Placement
	}
	list := make([]int, len(c.Program.Threads))
	for t := range list {
		list[t] = t
	}
	return list
}
