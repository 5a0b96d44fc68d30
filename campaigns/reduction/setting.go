package reduction

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/gen/reduce"
	"ordeal/parse"
)

const (
	// surroundedOps is how many operations, all rounds counted, a program with a
	// background may have, and trialOps about how many its trial has.
	surroundedOps = 40
	trialOps      = 100
	// mostShapes bounds the shapes of a witness, mostCycles those of two operations in
	// each of two threads, and mostViolations those that are counted in a trial.
	mostShapes     = 8
	mostCycles     = 4
	mostViolations = 24
	// surroundLead is how many rounds of a background come first, surroundThreads the
	// least number of threads with it, wideThreads the most of a shape with copies, and
	// surroundStagger the bound of the delays before a round, in iterations.
	surroundLead    = 8
	surroundThreads = 12
	wideThreads     = 9
	surroundStagger = 64
)

// setting is what is tried: operations, and the background around them.
type setting struct {
	shape  *gen.Program
	around background.Options
	// repeats are rounds in which the threads do not wait for each other, in trials and
	// in what is reduced; 0: few rounds that begin together.
	repeats int

	mu         sync.Mutex // guards violations
	violations int        // of all runs
	runs       int
}

func (t *setting) add(violations int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.violations += violations
}

// rate is the number of violations for each operation.
func (t *setting) rate() float64 {
	return float64(t.violations) / float64(max(t.runs*t.rounds()*t.shape.Ops(), 1))
}

// rounds are those of a trial.
func (t *setting) rounds() int { return cmp.Or(t.repeats, max(trialOps/t.shape.Ops(), 1)) }

// candidate is the setting with as many rounds as it may have.
func (t *setting) candidate() reduce.Candidate {
	return reduce.Candidate{Program: t.shape, Rounds: cmp.Or(t.repeats, max(surroundedOps/t.shape.Ops(), 1))}
}

// config is the configuration of a setting's runs. Their rounds begin together or, where
// they are repeated, freely, after delays that are drawn from the seed.
func (t *setting) config(c *config.Config) config.Config {
	cfg := *c
	cfg.Runs = 1
	cfg.Programs.Threads, cfg.Programs.Locations = len(t.shape.Threads), len(t.shape.Locations)
	if cfg.Cores > 0 {
		cfg.Cores = max(cfg.Cores, len(t.shape.Threads), t.around.Threads)
	}
	cfg.Sync, cfg.Stagger = config.SyncRound, surroundStagger
	if t.repeats > 0 {
		cfg.Sync = config.SyncFree
	}
	cfg.Background, cfg.BackgroundThreads = t.around.Length, t.around.Threads
	cfg.BackgroundLead, cfg.BackgroundSeed = t.around.Lead, t.around.Seed
	return cfg
}

// settings draws them for shapes and a number of threads: at the first draw those
// without a background, too.
func settings(shapes []*gen.Program, threads, draw int) []*setting {
	var list []*setting
	for _, shape := range shapes {
		if draw == 0 {
			list = append(list, &setting{shape: shape})
		}
	}
	lengths := []int{4, 8, 4, 2}
	for n := 0; len(list) < drawn; n++ {
		shape := shapes[n%len(shapes)]
		list = append(list, &setting{shape: shape, around: background.Options{
			Length:  lengths[n/len(shapes)%len(lengths)],
			Lead:    surroundLead,
			Threads: max(threads, len(shape.Threads)+1),
			Seed:    uint64(draw*drawn + n + 1),
		}})
	}
	return list
}

// shapes are programs of one round with the operations of a minimal witness of the
// violation: of its cycles of two threads, of all its threads and of some, wide (see
// wide) and as they are. What needs all of them is rare in a long run, but a witness
// has operations that only show in which order others performed. Nil where there is
// no witness.
func (s *reducer) shapes(ctx context.Context, first *run.Evaluation) ([]*gen.Program, error) {
	if first.History == nil || len(first.Verdicts) == 0 {
		return nil, nil
	}
	verdict := first.Verdicts[0]
	w, err := diagnose.Minimize(ctx, s.program, first.History, first.Models[0], &verdict, check.Options{Timeout: minimalTimeout})
	if errors.Is(err, diagnose.ErrNone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	hint := make(reduce.Hint, len(s.program.Threads))
	for _, op := range w.Operations {
		hint[op.Thread] = append(hint[op.Thread], op.Number)
	}
	var threads []int
	for t := range hint {
		slices.Sort(hint[t])
		if len(hint[t]) > 0 {
			threads = append(threads, t)
		}
	}
	var shapes []*gen.Program
	add := func(p *gen.Program) {
		same := func(q *gen.Program) bool { return string(q.Text()) == string(p.Text()) }
		if p.X86Only() == nil && p.CoresOnly() == nil && p.Ops() <= surroundedOps && len(shapes) < mostShapes && !slices.ContainsFunc(shapes, same) {
			shapes = append(shapes, p)
		}
	}
	for _, part := range cycles(w.Operations, len(hint)) {
		add(wide(reduce.Extract(s.program, part)))
	}
	for _, some := range subsets(threads) {
		part := make(reduce.Hint, len(hint))
		for _, t := range some {
			part[t] = hint[t]
		}
		p := reduce.Extract(s.program, part)
		if len(threads) == 1 || shared(p) {
			add(wide(p))
			add(p)
		}
	}
	return shapes, nil
}

// cycles lists up to mostCycles cycles of two threads and two locations among the
// operations of a witness, as hints of so many threads: two operations of each
// thread, of which the second meets the first one of the other thread at its
// location, and one of the two stores (the critical cycles of Shasha and Snir,
// "Efficient and Correct Execution of Parallel Programs that Share Memory", TOPLAS
// 1988, of two threads). Those in which a thread stores before it loads come last,
// since store buffers let them happen.
func cycles(ops []diagnose.Operation, threads int) []reduce.Hint {
	conflict := func(a, b *diagnose.Operation) bool { return a.Loc == b.Loc && (a.Writes || b.Writes) }
	before := func(a, b *diagnose.Operation) bool {
		return a.Thread == b.Thread && a.Number < b.Number && a.Loc != b.Loc
	}
	var first, last []reduce.Hint
	for i := range ops {
		for j := range ops {
			a, b := &ops[i], &ops[j]
			if !before(a, b) {
				continue
			}
			for k := range ops {
				for l := range ops {
					c, d := &ops[k], &ops[l]
					if c.Thread <= a.Thread || !before(c, d) || !conflict(b, c) || !conflict(d, a) {
						continue
					}
					hint := make(reduce.Hint, threads)
					hint[a.Thread], hint[c.Thread] = []int{a.Number, b.Number}, []int{c.Number, d.Number}
					if a.Writes && !b.Writes || c.Writes && !d.Writes {
						last = append(last, hint)
					} else {
						first = append(first, hint)
					}
				}
			}
		}
	}
	list := append(first, last...)
	return list[:min(len(list), mostCycles)]
}

// subsets lists subsets of two and more threads, pairs first, or the only thread.
func subsets(threads []int) [][]int {
	var list [][]int
	for mask := range 1 << min(len(threads), 10) {
		var some []int
		for i, t := range threads {
			if mask>>i&1 != 0 {
				some = append(some, t)
			}
		}
		if len(some) > 1 || len(threads) == 1 && len(some) == 1 {
			list = append(list, some)
		}
	}
	slices.SortStableFunc(list, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	return list
}

// shared reports whether each operation meets one of another thread at its location,
// and one of the two stores.
func shared(p *gen.Program) bool {
	for t, ops := range p.Threads {
		for _, op := range ops {
			meets := func(o gen.Op) bool { return o.Loc == op.Loc && (o.Kind.Writes() || op.Kind.Writes()) }
			if !slices.ContainsFunc(slices.Concat(slices.Concat(p.Threads[:t], p.Threads[t+1:])...), meets) {
				return false
			}
		}
	}
	return true
}

// wide is a program in which violations are more frequent for each operation: threads of
// several stores perform them twice, so that more pairs of loads fall between two of
// them, and there are copies of the threads of several loads, up to wideThreads in all
// and as long as two rounds have at most surroundedOps operations.
func wide(p *gen.Program) *gen.Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	var loads [][]gen.Op
	value := p.Stride()
	for t, ops := range p.Threads {
		only := func(kind gen.OpKind) bool {
			return len(ops) > 1 && !slices.ContainsFunc(ops, func(op gen.Op) bool { return op.Kind != kind })
		}
		switch {
		case only(gen.Load):
			loads = append(loads, ops)
		case only(gen.Store) && 2*(q.Ops()+len(ops)) <= surroundedOps:
			for _, op := range ops {
				op.Value = value
				value++
				q.Threads[t] = append(slices.Clip(q.Threads[t]), op)
			}
		}
	}
	for n := 0; len(loads) > 0 && len(q.Threads) < wideThreads; n++ {
		more := loads[n%len(loads)]
		if 2*(q.Ops()+len(more)) > surroundedOps {
			break
		}
		q.Threads = append(q.Threads, more)
	}
	return &q
}

// violations counts those of a failed run: the loads of each refutation are left out
// until the model allows the rest.
func (s *reducer) violations(ctx context.Context, res *run.Evaluation) (int, error) {
	h, v, m := res.History, res.Verdicts[0], res.Models[0]
	for n := 1; ; n++ {
		if n == mostViolations || v.Refutation == nil {
			return n, nil
		}
		_, _, events := witness.Restrict(m.View(h), v.Refutation)
		used := m.Events(h).Ops(events)
		var kept []parse.OpID
		for id := range h.Ops {
			op := &h.Ops[id]
			if _, found := slices.BinarySearch(used, parse.OpID(id)); !found || !op.Reads() || op.Writes() {
				kept = append(kept, parse.OpID(id))
			}
		}
		if len(kept) == len(h.Ops) {
			return n, nil
		}
		h, _ = h.Select(kept)
		var err error
		if v, err = check.Check(ctx, h, m, s.check.Options); err != nil || v.Answer != check.Forbidden {
			return n, err
		}
	}
}
