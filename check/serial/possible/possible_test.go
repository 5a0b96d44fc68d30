package possible

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/scale"
	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/check/serial/robust"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// historyOf is what a history says of an execution that has committed all
// writes: what reads read, without the order. With final it has the final
// values, too, and with stores the order of the writes to each location.
func historyOf(s *events.Sequence, p seqgen.Program, variables int, final, stores bool) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}, ThreadNames: seqgen.Names("P", len(p)), Locations: seqgen.Names("x", variables)}
	first := make([]parse.OpID, len(p)) // of each thread
	for t, steps := range p {
		first[t] = parse.OpID(len(h.Ops))
		begin := first[t]
		for i, step := range steps {
			id := parse.OpID(len(h.Ops))
			op := parse.Op{Loc: int32(step.Var), RF: parse.NoOp}
			switch step.Kind {
			case events.Read:
				op.Kind = parse.Read
			case events.Write:
				op.Kind, op.Write = parse.Write, gen.Value(id)+1
			case events.Update:
				op.Kind, op.Write = parse.RMW, gen.Value(id)+1
			default:
				op.Kind, op.Loc, op.Mask = parse.Fence, -1, parse.FullFence
			}
			h.Ops = append(h.Ops, op)
			if i+1 == len(steps) || steps[i+1].First {
				h.Transactions = append(h.Transactions, parse.Transaction{First: begin, End: id + 1})
				begin = id + 1
			}
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	// Run the execution on memory and store buffers.
	memory := slices.Repeat([]parse.OpID{parse.Init}, variables)
	buffers := make([][]parse.OpID, len(p))
	order := make([][]parse.OpID, variables)
	reach := func(id parse.OpID) {
		x := h.Ops[id].Loc
		memory[x], order[x] = id, append(order[x], id)
	}
	next := slices.Clone(first)
	for i := range s.Events {
		e := &s.Events[i]
		if e.Kind == events.Commit {
			reach(buffers[e.Thread][0])
			buffers[e.Thread] = buffers[e.Thread][1:]
			continue
		}
		id := next[e.Thread]
		next[e.Thread]++
		op := &h.Ops[id]
		if op.Reads() {
			op.RF = memory[e.Var]
			for _, w := range buffers[e.Thread] {
				if h.Ops[w].Loc == e.Var {
					op.RF = w
				}
			}
			if op.RF != parse.Init {
				op.Read = h.Ops[op.RF].Write
			}
		}
		switch e.Kind {
		case events.Write:
			buffers[e.Thread] = append(buffers[e.Thread], id)
		case events.Update:
			reach(id)
		}
	}
	if final {
		h.Final = memory
	}
	if stores {
		h.StoreOrder = order
	}
	return h
}

// answers says of an execution, by question, whether the answer is yes; it is
// absent where the question is not about the execution.
func answers(t *testing.T, s *events.Sequence) map[Question]bool {
	t.Helper()
	out := map[Question]bool{}
	v, err := serial.Decide(serial.TSO, s)
	if err != nil {
		t.Fatal(err)
	}
	out[SerializableTSO] = v.Serializable
	if v, err = serial.SCEquivalent(s); err != nil {
		t.Fatal(err)
	}
	if out[Robust] = v.Serializable; !v.Serializable {
		return out
	}
	sc, err := serial.SCExecution(s, v.Order)
	if err != nil {
		t.Fatal(err)
	}
	violation, err := robust.Search(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	out[Robust] = violation == nil
	if v, err = serial.Decide(serial.SC, sc); err != nil {
		t.Fatal(err)
	}
	out[SerializableSC] = v.Serializable
	return out
}

// decideHistory is the answer of Decide; false if the model forbids the history.
func decideHistory(t *testing.T, h *parse.History, q Question) (Answer, bool) {
	t.Helper()
	v, err := check.Check(t.Context(), h, q.Model(), check.Options{})
	if err != nil || v.Answer == check.Unknown {
		t.Fatal(v.Reason, err)
	}
	if v.Answer == check.Forbidden {
		return Answer{}, false
	}
	a, err := Decide(t.Context(), h, q, []*witness.Order{v.Order}, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Searched {
		t.Fatal("the search has no end")
	}
	proved(t, h, q, a)
	return a, true
}

// TestAgainstAllExecutions runs every execution of random small programs, and
// compares the answers about those that one history explains, which are put
// together here, with what Decide finds from the history alone.
func TestAgainstAllExecutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	programs := scale.Of(20, 20, 1500)
	counts := map[string]int{}
	for n := range programs {
		p, variables := randomProgram(rng)
		final, stores := rng.IntN(3) == 0, rng.IntN(6) == 0
		type group struct {
			h     *parse.History
			kinds map[Question][2]bool // fails, holds
		}
		groups := map[string]*group{}
		var keys []string
		p.Executions(variables, false, func(s *events.Sequence) bool {
			h := historyOf(s, p, variables, final, stores)
			key := fmt.Sprint(h.Ops, h.Final, h.StoreOrder)
			g := groups[key]
			if g == nil {
				g = &group{h: h, kinds: map[Question][2]bool{}}
				groups[key] = g
				keys = append(keys, key)
			}
			for q, yes := range answers(t, s) {
				k := g.kinds[q]
				if yes {
					k[1] = true
				} else {
					k[0] = true
				}
				g.kinds[q] = k
			}
			return true
		})
		rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys[:min(len(keys), 8)] {
			g := groups[key]
			for _, q := range []Question{SerializableSC, SerializableTSO, Robust} {
				want := g.kinds[q]
				a, allowed := decideHistory(t, g.h, q)
				if got := [2]bool{a.Fails != nil, a.Holds != nil}; got != want || allowed != (want[0] || want[1]) {
					t.Fatalf("program %d, %s: some fail, some hold: %v, want %v\n%v\n%v", n, q, got, want, p, g.h.Ops)
				}
				counts[fmt.Sprint(q, want)]++
			}
		}
	}
	t.Log(counts)
	for _, q := range []Question{SerializableSC, SerializableTSO, Robust} {
		for _, kinds := range [][2]bool{{true, false}, {false, true}, {true, true}} {
			if counts[fmt.Sprint(q, kinds)] == 0 {
				t.Errorf("%s: no history whose executions fail, hold: %v", q, kinds)
			}
		}
	}
}

// randomProgram is a program with few executions and several writes to one
// variable; every other one is store buffering with more steps.
func randomProgram(rng *rand.Rand) (seqgen.Program, int) {
	for {
		variables := 1 + rng.IntN(3)
		p := seqgen.RandomProgram(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(2), Variables: variables, Events: 4 + rng.IntN(5),
			Read: 45, Fence: rng.IntN(15), Update: rng.IntN(15), End: 20 + rng.IntN(60),
		})
		if rng.IntN(2) == 0 {
			p, variables = storeBuffering(rng), 2
		}
		size := 0 // steps and commits
		for _, steps := range p {
			size += len(steps)
			for _, s := range steps {
				if s.Kind == events.Write {
					size++
				}
			}
		}
		if size <= 9 || len(p) == 2 && size <= 11 {
			return p, variables
		}
	}
}

// storeBuffering is two threads that write one variable and read the other, with
// steps put in.
func storeBuffering(rng *rand.Rand) seqgen.Program {
	p := make(seqgen.Program, 2)
	for t := range p {
		p[t] = []seqgen.Step{{Kind: events.Write, Var: t}, {Kind: events.Read, Var: 1 - t}}
	}
	for range 1 + rng.IntN(3) {
		t := rng.IntN(len(p))
		kind := events.Write
		if rng.IntN(4) == 0 {
			kind = events.Read
		}
		p[t] = slices.Insert(p[t], rng.IntN(len(p[t])+1), seqgen.Step{Kind: kind, Var: rng.IntN(2)})
	}
	for t := range p {
		for i := range p[t] {
			p[t][i].First = i == 0 || rng.IntN(2) == 0
		}
	}
	return p
}

// TestRobustByOrder: whether an execution has a violation next to it depends on
// the order of two writes. The write of x can wait while y is read, and another
// thread that overwrites y goes on to read x, only if y's value comes first.
func TestRobustByOrder(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 1, Read: 5, RF: 4},
			{Kind: parse.Write, Loc: 1, Write: 6, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 0, Read: 1, RF: 0},
			{Kind: parse.Write, Loc: 1, Write: 5, RF: parse.NoOp},
		},
		Start: []parse.OpID{0, 2, 4, 5}, ThreadNames: seqgen.Names("P", 3), Locations: []string{"x", "y"},
	}
	for name, ops := range map[string][]parse.OpID{
		"given the robust one":      {2, 4, 0, 1, 3},
		"given the one that is not": {4, 0, 1, 2, 3},
	} {
		// In another order of threads the solver proposes other orders first.
		for _, threads := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			permuted := permute(h, threads)
			order := &witness.Order{}
			for _, id := range ops {
				was := h.Thread(id)
				order.Ops = append(order.Ops, permuted.Start[slices.Index(threads, was)]+id-h.Start[was])
			}
			a, err := Decide(t.Context(), permuted, Robust, []*witness.Order{order}, search.Limits{})
			if err != nil || a.Holds == nil || a.Fails == nil {
				t.Errorf("%s, threads %v: robust %v, not robust %v, %v; want both", name, threads, a.Holds != nil, a.Fails != nil, err)
			}
			if a, err = searchSC(t, permuted, order); err != nil || a.Holds == nil || a.Fails == nil {
				t.Errorf("%s, threads %v, under SC: robust %v, not robust %v, %v; want both", name, threads, a.Holds != nil, a.Fails != nil, err)
			}
		}
	}
}

// searchSC is the last step of the search for robust executions alone, which
// the others seldom leave anything to.
func searchSC(t *testing.T, h *parse.History, order *witness.Order) (Answer, error) {
	t.Helper()
	d := &decider{h: h, q: Robust}
	if err := d.add(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	c, err := newConflicts(t.Context(), h, Robust.Model(), search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.split(); err != nil {
		t.Fatal(err)
	}
	s, err := newSolver(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r := robustness{decider: d, solver: s, program: d.graph(c)}
	err = r.searchSC(t.Context(), order, s.Kind())
	return d.answer, err
}

// TestLimits: what is known is kept when memory or time ends.
func TestLimits(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp}, {Kind: parse.Write, Loc: 1, Write: 1, RF: parse.NoOp},
			{Kind: parse.Write, Loc: 0, Write: 2, RF: parse.NoOp}, {Kind: parse.Write, Loc: 1, Write: 2, RF: parse.NoOp},
		},
		Start: []parse.OpID{0, 2, 4}, ThreadNames: seqgen.Names("P", 2), Locations: []string{"x", "y"},
		Transactions: []parse.Transaction{{First: 0, End: 2}, {First: 2, End: 4}},
	}
	known := []*witness.Order{{Ops: []parse.OpID{0, 1, 2, 3}}}
	a, err := Decide(t.Context(), h, SerializableTSO, known, search.Limits{MemoryBytes: 1})
	if !errors.Is(err, search.ErrMemory) || a.Holds == nil || a.Searched {
		t.Errorf("one byte: %v, %v", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err = Decide(ctx, h, SerializableTSO, known, search.Limits{}); !errors.Is(err, context.Canceled) || a.Holds == nil || a.Searched {
		t.Errorf("cancelled: %v, %v", a, err)
	}
}
