// Package reduce makes failing programs small. It is independent of simulators
// and models: a predicate reports whether a candidate still fails in the same way.
//
// The method is delta debugging (Zeller and Hildebrandt, TSE 2002) over the
// parts of a program, coarse ones first: rounds, threads, locations, groups of
// operations, single operations, then what operations do, the layout, and the
// sizes of the machine. The passes repeat until none of them finds anything,
// so that no single part of the result can be left out: it is 1-minimal for
// the predicate.
package reduce

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
)

// Candidate is a program that may fail, with the number of its rounds and the
// sizes of the machine to run it on.
type Candidate struct {
	Program *gen.Program
	Rounds  int
	// Sizes has a value for each of Options.Sizes.
	Sizes []int
	_     struct{}
}

// Ops is the number of operations of all rounds.
func (c *Candidate) Ops() int { return c.Program.Ops() * c.Rounds }

func (c *Candidate) hash() [sha256.Size]byte {
	h := sha256.New()
	h.Write(c.Program.Text())
	fmt.Fprint(h, c.Rounds, c.Sizes)
	return [sha256.Size]byte(h.Sum(nil))
}

// Size is a number that describes the machine, such as the sets of a cache.
type Size struct {
	Name string
	// Values are those to try, the smallest machine first.
	Values []int
}

// ErrBudget is what a predicate returns when it may not run any more
// candidates; see Run.
var ErrBudget = errors.New("budget used up")

// Options steer Run.
type Options struct {
	// Fails says whether a candidate fails in the way of the start. A
	// predicate that runs a candidate under several seeds keeps the one that
	// failed for itself. It is asked once for each candidate. Its error ends
	// the reduction.
	Fails func(ctx context.Context, c *Candidate) (bool, error)
	// Hints lists sets of operations, by their index among the operations of
	// all rounds of a thread, that are likely to fail alone; the first set
	// that does is the start of everything else. They may be nil.
	Hints []Hint
	// Sizes are those of the machine.
	Sizes []Size
	// OnBest is called with each candidate that fails, the best so far; nil
	// means no callback.
	OnBest func(best *Candidate)
	_      struct{}
}

// Hint gives for each thread the operations to keep, by their index among
// those of all rounds: operation i of round r is r·n + i where the thread has
// n operations.
type Hint [][]int

// Result is the result of a reduction.
type Result struct {
	Best Candidate
	// Tried counts the candidates that the predicate was asked about, Same
	// those that had been tried before.
	Tried, Same int
	// Minimal says that the reduction is complete.
	Minimal bool
	_       struct{}
}

// Run reduces a candidate that fails. The result is the smallest candidate
// found; it is there even with an error, which is that of the predicate or of
// ctx. ErrBudget ends the reduction without being an error.
//
// A start that does not fail is an error.
func Run(ctx context.Context, start Candidate, o Options) (Result, error) {
	r := &reducer{o: o, best: start, tried: map[[sha256.Size]byte]bool{}}
	r.fails = func(c *Candidate) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return o.Fails(ctx, c)
	}
	ok, err := r.ask(&start)
	if err == nil && !ok {
		err = errors.New("the program does not fail: there is nothing to reduce")
	}
	if err == nil {
		err = r.passes()
	}
	res := Result{Best: r.best, Tried: len(r.tried), Same: r.same, Minimal: err == nil}
	if errors.Is(err, ErrBudget) {
		err = nil
	}
	return res, err
}

type reducer struct {
	o     Options
	fails func(c *Candidate) (bool, error)
	best  Candidate
	tried map[[sha256.Size]byte]bool // whether it failed
	same  int
	err   error
}

// ask asks the predicate, once for each candidate.
func (r *reducer) ask(c *Candidate) (bool, error) {
	if err := c.Program.ValidateRounds(c.Rounds); err != nil {
		return false, nil // no candidate
	}
	key := c.hash()
	if failed, ok := r.tried[key]; ok {
		r.same++
		return failed, nil
	}
	failed, err := r.fails(c)
	if err != nil {
		return false, err
	}
	r.tried[key] = failed
	return failed, nil
}

// try makes a candidate the best if it fails. After an error nothing fails.
func (r *reducer) try(c Candidate) bool {
	if r.err != nil || len(c.Program.Threads) == 0 {
		return false
	}
	c.Program = tidy(c.Program)
	failed, err := r.ask(&c)
	if err != nil {
		r.err = err
		return false
	}
	if failed {
		r.best = c
		if r.o.OnBest != nil {
			r.o.OnBest(&c)
		}
	}
	return failed
}

// passes repeats all passes until none of them changes anything.
func (r *reducer) passes() error {
	r.hints()
	for r.err == nil {
		before := r.best.hash()
		for _, pass := range []func(){
			r.rounds, r.threads, r.locations, r.operations, r.unroll, r.kinds, r.delays, r.merge, r.layout, r.sizes, r.values,
		} {
			pass()
		}
		if r.best.hash() == before {
			break
		}
	}
	return r.err
}

func (r *reducer) with(p *gen.Program) Candidate {
	return Candidate{Program: p, Rounds: r.best.Rounds, Sizes: r.best.Sizes}
}

func withThreads(p *gen.Program, threads [][]gen.Op) *gen.Program {
	if p.ISA != gen.X86 { // operations may lack what they depend on
		threads = slices.Clone(threads)
		for t := range threads {
			threads[t] = slices.Clone(threads[t])
		}
	}
	q := &gen.Program{ISA: p.ISA, Layout: p.Layout, Locations: p.Locations, Threads: threads, Agents: p.Agents}
	q.Repair()
	return q
}

// tidy leaves out threads without operations and locations that no operation
// names.
func tidy(p *gen.Program) *gen.Program {
	used := make([]bool, len(p.Locations))
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Reads() || op.Kind.Writes() {
				used[op.Loc] = true
			}
		}
	}
	number := make([]gen.LocID, len(used))
	t := &gen.Program{ISA: p.ISA, Layout: p.Layout}
	var agents []gen.Agent
	for l, u := range used {
		number[l] = gen.LocID(len(t.Locations))
		if u {
			t.Locations = append(t.Locations, p.Locations[l])
		}
	}
	for i, ops := range p.Threads {
		if len(ops) == 0 {
			continue
		}
		agents = append(agents, p.AgentOf(gen.ThreadID(i)))
		ops = slices.Clone(ops)
		for i := range ops {
			if ops[i].Kind.Reads() || ops[i].Kind.Writes() {
				ops[i].Loc = number[ops[i].Loc]
			}
		}
		t.Threads = append(t.Threads, ops)
	}
	if len(p.Agents) > 0 {
		t.Agents = agents
	}
	return t
}
