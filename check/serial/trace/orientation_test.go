package trace

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/closure"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// mixed is the event-graph of a trace by Definition 4 of the paper, word for
// word: directed and undirected edges, from earlier to later events.
type mixed struct {
	s                    *events.Sequence
	directed, undirected [][2]int32
}

func eventGraph(s *events.Sequence) *mixed {
	g := &mixed{s: s}
	c := serial.NewConflicts(s)
	for j := range int32(len(s.Events)) {
		for i := range j {
			a, b := &s.Events[i], &s.Events[j]
			edge := [2]int32{i, j}
			if a.Thread == b.Thread {
				if c.Conflict(serial.TSO, i, j) {
					g.directed = append(g.directed, edge)
				}
				continue
			}
			if !c.Conflict(serial.SC, i, j) {
				continue
			}
			fence := a.Kind.Drains()
			for k := i + 1; k < j; k++ {
				fence = fence || s.Events[k].Thread == a.Thread && s.Events[k].Kind.Drains()
			}
			if fence || a.Kind == events.Read && !c.Buffered(i) {
				g.directed = append(g.directed, edge)
			} else {
				g.undirected = append(g.undirected, edge)
			}
		}
	}
	return g
}

// cyclic reports whether edges form a cycle of nodes.
func cyclic(n int, edges [][2]int32) bool {
	g := closure.Graph[struct{}]{Nodes: n}
	for _, e := range edges {
		if e[0] != e[1] {
			g.Add(e[0], e[1], struct{}{})
		}
	}
	return len(g.Sort()) < n
}

// orientations calls visit with the edges of every acyclic orientation until
// it returns false.
func (g *mixed) orientations(visit func([][2]int32) bool) {
	edges := g.directed[:len(g.directed):len(g.directed)]
	var walk func(k int) bool
	walk = func(k int) bool {
		if cyclic(len(g.s.Events), edges) {
			return true
		}
		if k == len(g.undirected) {
			return visit(edges)
		}
		e := g.undirected[k]
		for range 2 {
			edges = append(edges, e)
			more := walk(k + 1)
			edges = edges[:len(edges)-1]
			if !more {
				return false
			}
			e[0], e[1] = e[1], e[0]
		}
		return true
	}
	walk(0)
}

// byOrientations is Theorem 5 as the paper has it: every acyclic orientation
// of the event-graph induces an acyclic conflict-graph.
func byOrientations(s *events.Sequence) bool {
	all := true
	eventGraph(s).orientations(func(edges [][2]int32) bool {
		all = !cyclic(len(s.Transactions), induced(s, edges))
		return all
	})
	return all
}

func induced(s *events.Sequence, edges [][2]int32) [][2]int32 {
	out := make([][2]int32, len(edges))
	for i, e := range edges {
		out[i] = [2]int32{s.Events[e[0]].Tx, s.Events[e[1]].Tx}
	}
	return out
}

// contraction lists the edges of the write-contraction of an execution's
// event-graph, in the numbers of its trace, and the pairs of a write and a
// read that are parallel in it.
func contraction(x *events.Sequence) (edges, parallel [][2]int32) {
	c := serial.NewConflicts(x)
	node := make([]int32, len(x.Events)) // in the trace
	next := int32(0)
	for i := range x.Events {
		if x.Events[i].Kind == events.Commit {
			node[i] = node[x.Events[i].Issue]
			continue
		}
		node[i] = next
		next++
	}
	for j := range int32(len(x.Events)) {
		for i := range j {
			if node[i] != node[j] && c.Conflict(serial.TSO, i, j) {
				edges = append(edges, [2]int32{node[i], node[j]})
			}
		}
		for i := range int32(len(x.Events)) {
			a, b := &x.Events[i], &x.Events[j]
			if a.Kind == events.Read && b.Kind == events.Commit && a.Thread != b.Thread && a.Var == b.Var && c.Parallel(i, j) {
				parallel = append(parallel, [2]int32{node[j], node[i]})
			}
		}
	}
	return edges, parallel
}

// trace reads the text form without its first line.
func trace(t *testing.T, text string) *events.Sequence {
	t.Helper()
	s, err := events.Parse("test", []byte("ordeal-events 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheorem4 is its first half: the write-contraction of every execution is
// a valid orientation of the trace's event-graph, if parallel pairs are
// directed from the write to the read. The paper forgets about these: they do
// not conflict in the execution (Sect. 4.1), and so the contraction has no
// edge where the event-graph has an undirected one.
func TestTheorem4(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	withParallel := 0
	for range 150 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(2), Variables: 1 + rng.IntN(2), Events: 4 + rng.IntN(3), Trace: true,
			Read: 50, Fence: rng.IntN(20), End: 50,
		})
		g := eventGraph(s)
		want := map[[2]int32]bool{} // edges, undirected ones in both directions
		for _, e := range g.directed {
			want[e] = true
		}
		for _, e := range g.undirected {
			want[e], want[[2]int32{e[1], e[0]}] = true, true
		}
		executions(s, func(x *events.Sequence) bool {
			edges, parallel := contraction(x)
			if len(parallel) > 0 {
				withParallel++
			}
			has := map[[2]int32]bool{}
			for _, e := range append(edges, parallel...) {
				has[e] = true
				if !want[e] {
					t.Fatalf("edge %v is not in the event-graph of\n%s", e, x.Text())
				}
			}
			for _, e := range g.directed {
				if !has[e] {
					t.Fatalf("edge %v is not in the contraction of\n%s", e, x.Text())
				}
			}
			for _, e := range g.undirected {
				if has[e] == has[[2]int32{e[1], e[0]}] {
					t.Fatalf("pair %v has no direction, or both, in\n%s", e, x.Text())
				}
			}
			if cyclic(len(s.Events), append(edges, parallel...)) != cyclic(len(s.Events), edges) {
				t.Fatalf("parallel pairs matter in\n%s", x.Text())
			}
			return true
		})
	}
	if withParallel == 0 {
		t.Error("no execution has a parallel pair")
	}
}

// TestTheorem4Converse: the other half, that every valid orientation is the
// contraction of an execution of the trace, and with it Theorem 5, fail for
// two reasons. They call traces not serializable whose executions all are, and
// only such: violations by Definition 3 are violations by Theorem 5.
func TestTheorem4Converse(t *testing.T) {
	for name, text := range map[string]string{
		// The orientation a.write → b.write → a.read is acyclic, for the read
		// is buffered. But b's write is issued after the read: if it is
		// committed after a's, the read precedes it, from the buffer or from
		// memory.
		"buffered read": `trace
threads a b
variables x
a begin
a write x
a read x
a end
b write x
`,
		// The orientation c.read x → a.write x → a.write y → b.read y is
		// acyclic, and c and b do not conflict in the other direction. But b
		// reads before c does, so a's write to y is committed before that to
		// x is, against the order of the store buffer.
		"order of reads": `trace
threads a b c
variables x y z
a begin
a write x
a write y
a end
b begin
b read y
b read z
b end
c begin
c write z
c read x
c end
`,
	} {
		s := trace(t, text)
		if byOrientations(s) {
			t.Errorf("%s: Theorem 5 says serializable", name)
		}
		if !serializable(t, s) {
			t.Errorf("%s: an execution is not serializable", name)
		}
		if !decide(t, s) {
			t.Errorf("%s: not serializable", name)
		}
	}
	rng := rand.New(rand.NewPCG(8, 0))
	var agree, differ int
	for range 400 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(2), Variables: 1 + rng.IntN(3), Events: 4 + rng.IntN(4), Trace: true,
			Read: 50, Fence: rng.IntN(20), End: 50,
		})
		exact, oriented := decide(t, s), byOrientations(s)
		if oriented && !exact {
			t.Fatalf("Theorem 5 misses a violation:\n%s", s.Text())
		}
		if oriented == exact {
			agree++
		} else {
			differ++
		}
	}
	t.Logf("Definition 3 and Theorem 5 agree on %d traces and differ on %d", agree, differ)
	if differ == 0 || agree == 0 {
		t.Error("the traces are too uniform for a test")
	}
}

// TestProposition2: if an execution is not serializable, its trace is not.
func TestProposition2(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	violations := 0
	for range 400 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(3), Variables: 1 + rng.IntN(4), Events: 6 + rng.IntN(30),
			Read: 50, Fence: rng.IntN(20), Update: rng.IntN(5), End: 60, Close: 50, Commit: rng.IntN(70),
		})
		v, err := serial.Decide(serial.TSO, s)
		if err != nil {
			t.Fatal(err)
		}
		if v.Serializable {
			continue
		}
		violations++
		if decide(t, s) {
			t.Fatalf("the trace is serializable, the execution is not:\n%s", s.Text())
		}
	}
	if violations < 40 {
		t.Errorf("%d executions are not serializable", violations)
	}
}

// TestCheckRank has the checker refuse damaged ranks.
func TestCheckRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 0))
	accepted, refused := 0, 0
	for range 300 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 3, Variables: 3, Events: 14, Trace: true, Read: 50, Fence: 10, Update: 5, End: 90, Close: 50,
		})
		v, err := Decide(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Serializable {
			continue
		}
		a, b := rng.IntN(len(v.Rank)), rng.IntN(len(v.Rank))
		v.Rank[a], v.Rank[b] = v.Rank[b], v.Rank[a]
		l := newTimeline(s)
		want := true
		for i := range int32(len(s.Events)) {
			for j := range int32(len(s.Events)) {
				lower := v.Rank[s.Events[i].Tx] > v.Rank[s.Events[j].Tx]
				want = want && !(lower && l.conflicting(i, j) && l.possible(i, j))
			}
		}
		switch err := CheckRank(s, v.Rank); {
		case (err == nil) != want:
			t.Fatalf("ranks are right: %v; checker: %v\n%v\n%s", want, err, v.Rank, s.Text())
		case want:
			accepted++
		default:
			refused++
		}
		if CheckRank(s, v.Rank[1:]) == nil {
			t.Fatal("a rank too few is accepted")
		}
	}
	if accepted < 10 || refused < 10 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
