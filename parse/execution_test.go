package parse_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/parse/formats/events"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// simulate runs a random program with its steps recorded.
func simulate(t *testing.T, o builtin.Options, seed uint64) (*gen.Program, sim.Log) {
	t.Helper()
	g := gen.Defaults()
	g.Threads, g.Ops, g.Locations, g.Transaction = 3, 60, 4, 4
	g.Mix = gen.Mix{Load: 45, Store: 40, Exchange: 5, Add: 5, Fence: 5}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), g)
	if err != nil {
		t.Fatal(err)
	}
	r, err := builtin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(context.Background(), sim.Job{Program: p, Rounds: 3, Seed: seed})
	if err != nil || result.Outcome != sim.Passed {
		t.Fatalf("%s core: %s %s %v", o.Core, result.Outcome, result.Detail, err)
	}
	return p, result.Log
}

// TestExecution has every kind of core with a FIFO buffer record its steps:
// they are an execution of TSO with every operation and the order of stores of
// the log, under SC in order; and recording changes nothing else in the log.
func TestExecution(t *testing.T) {
	seeds := uint64(5)
	if testing.Short() {
		seeds = 1
	}
	for _, kind := range []core.Kind{core.InOrder, core.TSO, core.OOO} {
		for _, protocol := range builtin.Protocols() {
			for _, rmw := range []core.RMW{core.OneAccess, core.Locked} {
				if rmw == core.Locked && protocol != builtin.Ideal {
					continue
				}
				for seed := range seeds {
					o := builtin.Options{Core: kind, Protocol: protocol, RMW: rmw}
					_, silent := simulate(t, o, seed)
					o.Execution = true
					p, log := simulate(t, o, seed)
					x, err := parse.Execution(p, 3, log)
					if err != nil {
						t.Fatalf("%s on %s: %v", kind, protocol, err)
					}
					if _, err := events.Parse("x", x.Text()); err != nil {
						t.Fatal(err)
					}
					late := checkExecution(t, p, log, x)
					if kind == core.InOrder && late > 0 {
						t.Errorf("in order: %d stores are not committed at once", late)
					}
					if kind != core.InOrder && late == 0 {
						t.Errorf("%s: all stores are committed at once", kind)
					}
					if len(silent) >= len(log) || !bytes.HasPrefix(log, silent) {
						t.Errorf("%s: steps change the log", kind)
					}
				}
			}
		}
	}
}

// checkExecution compares an execution with the history of its log, and
// returns how many stores are not committed at once.
func checkExecution(t *testing.T, p *gen.Program, log sim.Log, x *events.Sequence) int {
	t.Helper()
	h, err := parse.Native(p, 3, log)
	if err != nil {
		t.Fatal(err)
	}
	next := slices.Clone(h.Start[:h.Threads()])
	op := make([]parse.OpID, len(x.Events)) // of each event
	var order [4][]parse.OpID
	late := 0
	for i, e := range x.Events {
		if e.Kind == events.Commit {
			op[i] = op[e.Issue]
			order[e.Var] = append(order[e.Var], op[i])
			if int(e.Issue) != i-1 {
				late++
			}
			continue
		}
		op[i] = next[e.Thread]
		next[e.Thread]++
		o := &h.Ops[op[i]]
		want := map[events.Kind]parse.Kind{
			events.Read: parse.Read, events.Write: parse.Write, events.Fence: parse.Fence, events.Update: parse.RMW,
		}[e.Kind]
		if o.Kind != want || o.Loc != e.Var {
			t.Fatalf("event %d (%s) is operation %+v", i, x.EventText(int32(i)), *o)
		}
		if e.Kind == events.Update {
			order[e.Var] = append(order[e.Var], op[i])
		}
	}
	for thread := range h.Threads() {
		if next[thread] != h.Start[thread+1] {
			t.Fatalf("thread %d lacks operations", thread)
		}
	}
	for loc := range order {
		if !slices.Equal(order[loc], h.StoreOrder[loc]) {
			t.Fatalf("order of stores to %s: %v: want %v", x.Variables[loc], order[loc], h.StoreOrder[loc])
		}
	}
	return late
}

func TestExecutionFaults(t *testing.T) {
	if _, err := builtin.New(builtin.Options{Core: core.PSO, Execution: true}); err == nil {
		t.Error("steps of PSO cores are accepted")
	}
	p, log := simulate(t, builtin.Options{Core: core.TSO}, 1)
	if _, err := parse.Execution(p, 3, log); !errors.Is(err, parse.ErrNoSteps) {
		t.Errorf("a log without steps: %v", err)
	}
	p, log = simulate(t, builtin.Options{Core: core.TSO, Execution: true}, 1)
	if _, err := parse.Execution(p, 3, log[:len(log)-9]); !errors.Is(err, parse.ErrPartial) {
		t.Errorf("a torn log: %v", err)
	}
	refused := 0
	for seed := range uint64(20) {
		p, log = simulate(t, builtin.Options{Core: core.OOO, Protocol: builtin.IdealCached, Execution: true, Bugs: []core.Bug{core.LoadNotSquashed}}, seed)
		if _, err := parse.Execution(p, 3, log); err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no run of cores that break TSO is refused")
	}
	w := wire.NewWriter(p, 3)
	for name, steps := range map[string][]gen.Value{
		"few":    {wire.Step(0, false)},
		"thread": {wire.Step(3, false)},
		"commit": {wire.Step(0, true)},
		"many":   slices.Repeat([]gen.Value{wire.Step(0, false)}, 1000),
	} {
		_, silent := simulate(t, builtin.Options{Core: core.OOO, Protocol: builtin.IdealCached, Bugs: []core.Bug{core.LoadNotSquashed}}, 19)
		if _, err := parse.Execution(p, 3, w.AppendSteps(silent, steps)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FuzzExecution: whatever the steps of a log say, what is accepted is a valid
// execution.
func FuzzExecution(f *testing.F) {
	g := gen.Defaults()
	g.Threads, g.Ops, g.Locations, g.Transaction = 2, 8, 2, 3
	p, err := gen.Random(rand.New(rand.NewPCG(2, 0)), g)
	if err != nil {
		f.Fatal(err)
	}
	var logs [2]sim.Log // without and with the steps, which come last
	for i := range logs {
		r, err := builtin.New(builtin.Options{Core: core.TSO, Execution: i == 1})
		if err != nil {
			f.Fatal(err)
		}
		result, err := r.Run(context.Background(), sim.Job{Program: p, Rounds: 1, Seed: 1})
		if err != nil {
			f.Fatal(err)
		}
		logs[i] = result.Log
	}
	var seed []byte
	for words := logs[1][len(logs[0])+wire.HeaderBytes:]; len(words) > 0; words = words[8:] {
		seed = append(seed, words[0])
	}
	if _, err := parse.Execution(p, 1, logs[1]); err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, steps []byte) {
		words := make([]gen.Value, len(steps))
		for i, b := range steps {
			words[i] = gen.Value(b % 6)
		}
		log := wire.NewWriter(p, 1).AppendSteps(slices.Clone(logs[0]), words)
		x, err := parse.Execution(p, 1, log)
		if err != nil {
			return
		}
		if _, err := events.Parse("x", x.Text()); err != nil {
			t.Fatal(err)
		}
	})
}
