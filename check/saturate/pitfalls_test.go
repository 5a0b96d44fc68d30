package saturate_test

import (
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// expect saturates a history and verifies the refutation of a contradiction.
func expect(t *testing.T, h *parse.History, m model.Model, want bool) *saturate.Graph {
	t.Helper()
	g, ok := saturated(t, h, m)
	if ok != want {
		t.Fatalf("%s: consistent: %v, want %v\n%s", m.Name, ok, want, dump(h))
	}
	if !ok {
		if err := witness.Verify(h, m, saturate.Shrink(t.Context(), h, m, g.Refute())); err != nil {
			t.Errorf("%s: %v\n%s", m.Name, err, dump(h))
		}
	}
	return g
}

// before checks what a graph says of two operations.
func before(t *testing.T, g *saturate.Graph, a, b parse.OpID, want bool) {
	t.Helper()
	if got := g.HB(g.Node(a), g.Node(b)); got != want {
		t.Errorf("operation %d before %d: %v, want %v\n%s", a, b, got, want, dump(g.History()))
	}
}

// A read that its thread's store buffer served may precede the store. As a
// global edge its reads-from would forbid n5 and n6 under TSO.
func TestPitfallForwardingIsNotGlobal(t *testing.T) {
	buffering := cases.Parse("0: M[x] := 1\n0: M[x] == 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[y] == 1\n1: M[x] == 0")
	expect(t, buffering, model.SC, false)
	for _, m := range totals[1:] {
		g := expect(t, buffering, m, true)
		if m.Name != model.RMO.Name { // where the load has no node
			before(t, g, 0, 1, false)
		}
	}
	// Of another thread, and to an RMW, it is global.
	g := expect(t, cases.Parse("0: M[x] := 1\n0: { M[x] == 1; M[x] := 2 }\n1: M[x] == 2"), model.TSO, true)
	before(t, g, 0, 1, true)
	before(t, g, 1, 2, true)
}

// A load of what its own thread stores later is forbidden by every model,
// though under TSO, PSO and RMO no edge says so.
func TestPitfallReadOwnFuture(t *testing.T) {
	for _, m := range totals {
		expect(t, cases.Parse("0: M[x] == 1\n0: M[x] := 1"), m, false)
		expect(t, cases.Parse("0: M[x] == 1\n0: { M[x] == 0; M[x] := 1 }"), m, false)
		expect(t, cases.Parse("0: { M[x] == 1; M[x] := 2 }\n0: M[x] := 1"), m, false)
		expect(t, cases.Parse("0: M[x] == 1\n1: M[x] := 1"), m, true)
	}
}

// A cycle of dependencies and reads-from is out of thin air for models that
// look at dependencies, also where a link is a forwarded store, which no edge
// of the graph represents.
func TestPitfallThinAirThroughABuffer(t *testing.T) {
	program := "0: M[y] == 1\n0: M[x] := 1\n0: M[x] == 1\n0: M[z] := 1\n1: M[z] == 1\n1: M[y] := 1\n"
	expect(t, cases.Parse(program+"dep 0: 1 -> 2\ndep 0: 3 -> 4\ndep 1: 1 -> 2"), model.RMO, false)
	expect(t, cases.Parse(program+"dep 0: 1 -> 2\ndep 1: 1 -> 2"), model.RMO, true)
}

// Initial writes are not nodes: only readers' Writer names them.
func TestPitfallInitIsNoNode(t *testing.T) {
	h := cases.Parse("0: M[x] == 0\n0: M[y] := 1\n1: M[y] == 0\n1: M[z] == 0\n2: M[x] := 1")
	for _, m := range totals[:3] {
		g := expect(t, h, m, true)
		if g.Nodes() != len(h.Ops) {
			t.Errorf("%s: %d nodes for %d operations", m.Name, g.Nodes(), len(h.Ops))
		}
		for v := range saturate.Node(g.Nodes()) {
			if g.Op(v) < 0 || g.IsRead(v) && g.Writer(v) < int32(g.Nodes()) {
				t.Errorf("%s: node %d is operation %d", m.Name, v, g.Op(v))
			}
		}
		before(t, g, 0, 4, true) // a read of the initial value precedes every write
	}
}

// A read of the initial value after any write to its location contradicts,
// however the write precedes it: by program order, through other threads, by
// rules alone.
func TestPitfallInitAfterAWrite(t *testing.T) {
	for _, m := range totals {
		expect(t, cases.Parse("0: M[x] := 1\n0: M[x] == 0"), m, false)
		expect(t, cases.Parse("0: M[x] := 1\n0: { M[x] == 0; M[x] := 2 }"), m, false)
		expect(t, cases.Parse("0: M[x] := 1\n0: sync\n0: M[y] := 1\n1: M[y] == 1\n1: sync\n1: M[x] == 0"), m, false)
	}
	// x := 1 precedes y := 1 precedes y := 2, by rule A, precedes x == 0.
	h := cases.Parse("0: M[x] := 1\n0: M[y] := 1\n1: M[y] := 2\n1: M[x] == 0\n2: M[y] == 1\n2: M[y] == 2\n3: M[x] == 0")
	expect(t, h, model.SC, false)
	expect(t, h, model.TSO, true)
	expect(t, h, model.PSO, true)
}

// The write of an RMW follows what the RMW reads, but the RMW does not precede
// itself for that; another write does follow the RMW.
func TestPitfallRMWAndItsOwnRuleB(t *testing.T) {
	for _, m := range totals {
		g := expect(t, cases.Parse("0: { M[x] == 0; M[x] := 1 }\n1: { M[x] == 1; M[x] := 2 }\n2: M[x] := 3"), m, true)
		before(t, g, 0, 1, true)
		before(t, g, 0, 2, true) // every write follows the RMW of the initial value
		before(t, g, 1, 2, true) // and so the RMW that read what that one wrote
		expect(t, cases.Parse("0: { M[x] == 0; M[x] := 1 }\n1: { M[x] == 0; M[x] := 2 }"), m, false)
	}
}

// Rule B needs the last reader in each chain, reads-from the first: here a
// thread reads x, says so in y, and reads x again.
func TestPitfallFirstAndLastReader(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n1: M[x] == 1\n1: M[y] := 1\n1: M[x] == 1\n2: M[y] == 1\n2: M[x] := 2")
	for _, m := range []model.Model{model.SC, model.TSO, model.PSO} {
		g := expect(t, h, m, true)
		before(t, g, 0, 2, true) // the write precedes the first reader, hence y := 1
		before(t, g, 0, 5, true)
		before(t, g, 3, 5, true) // the last reader precedes the next write
	}
}

// The sweep may come to a forwarded read before it comes to the store: in n6
// the read even precedes it.
func TestPitfallReadBeforeItsStore(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[x] == 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] := 2\nfinal M[x] == 1")
	expect(t, h, model.SC, false)
	g := expect(t, h, model.TSO, true)
	before(t, g, 1, 0, true)
	if g.SweepOrder(g.Node(1)) >= g.SweepOrder(g.Node(0)) {
		t.Error("the sweep comes to the store first: this history tests nothing")
	}
	// A write that precedes such a read still precedes its store (rule A with
	// a target that the sweep has not come to), which reaches what follows it.
	h = cases.Parse("0: M[x] := 1\n0: M[x] == 1\n0: M[y] == 0\n1: M[x] := 3\n1: M[z] := 1\n1: M[y] := 1\n1: M[x] := 2\n0: M[z] == 1\nfinal M[x] == 1")
	g = expect(t, h, model.TSO, true)
	before(t, g, 4, 7, true)
}

// The row of a node holds its own position, and that alone is no cycle; a
// cycle that a repair closes is found, though no row is wrong before.
func TestPitfallOwnComponent(t *testing.T) {
	for _, n := range []int{1, 2, 9, 40} {
		h := histgen.Staircase(n)
		g := expect(t, h, model.SC, true)
		for v := range saturate.Node(g.Nodes()) {
			if got, want := g.Clock(v)[g.Chain(v)], int32(v-g.First(g.Chain(v)))+1; got != want {
				t.Errorf("own component of node %d is %d, want %d", v, got, want)
			}
		}
		// Every u_i precedes w_i; that the first thread's first write reached
		// memory last contradicts the last step of the chain.
		last := g.Op(0)
		x := h.Ops[last].Loc
		h.Final = make([]parse.OpID, len(h.Locations))
		for y := range h.Final {
			h.Final[y] = parse.NoOp
		}
		h.Final[x] = last
		expect(t, h, model.SC, false)
	}
}
