package serial

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/closure"
	"ordeal/check/internal/scale"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// acyclicByPairs is the definition by Theorem 1, on all pairs of events.
func acyclicByPairs(rel Relation, s *events.Sequence, node func(int32) int32) bool {
	g := closure.Graph[struct{}]{Nodes: max(len(s.Events), len(s.Transactions))}
	c := NewConflicts(s)
	for j := range int32(len(s.Events)) {
		for i := range j {
			if node(i) != node(j) && c.Conflict(rel, i, j) {
				g.Add(node(i), node(j), struct{}{})
			}
		}
	}
	return len(g.Sort()) == g.Nodes
}

// serialBySwaps is the definition itself (Sect. 3): some sequence of valid
// swaps leads to a serial execution. Conflicts are those of s, or with dynamic
// those of the permutation that a swap is applied to. Every permutation is
// given to check.
func serialBySwaps(rel Relation, s *events.Sequence, dynamic bool, check func(perm []int8)) bool {
	c := NewConflicts(s)
	start := make([]int8, len(s.Events))
	for i := range start {
		start[i] = int8(i)
	}
	seen := map[string]bool{key(start): true}
	queue := [][]int8{start}
	serial := false
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if check != nil {
			check(p)
		}
		serial = serial || isSerial(s, p)
		var here *Conflicts
		if dynamic {
			here = NewConflicts(permuted(s, p))
		}
		for i := 0; i+1 < len(p); i++ {
			conflict := false
			switch {
			case dynamic && p[i] < p[i+1]:
				conflict = here.Conflict(rel, int32(i), int32(i+1))
			case p[i] < p[i+1]:
				conflict = c.Conflict(rel, int32(p[i]), int32(p[i+1]))
			}
			if conflict {
				continue
			}
			q := slices.Clone(p)
			q[i], q[i+1] = q[i+1], q[i]
			if k := key(q); !seen[k] {
				seen[k] = true
				queue = append(queue, q)
			}
		}
	}
	return serial
}

func key(p []int8) string {
	b := make([]byte, len(p))
	for i, v := range p {
		b[i] = byte(v)
	}
	return string(b)
}

// permuted is the sequence in the order of a permutation.
func permuted(s *events.Sequence, p []int8) *events.Sequence {
	out := &events.Sequence{Execution: s.Execution, Threads: s.Threads, Variables: s.Variables, Transactions: s.Transactions}
	where := make([]int32, len(p))
	for i, v := range p {
		where[v] = int32(i)
	}
	for _, v := range p {
		e := s.Events[v]
		if e.Issue >= 0 {
			e.Issue = where[e.Issue]
		}
		out.Events = append(out.Events, e)
	}
	return out
}

// isSerial reports whether no transaction is interrupted by another.
func isSerial(s *events.Sequence, p []int8) bool {
	closed := make([]bool, len(s.Transactions))
	last := int32(-1)
	for _, v := range p {
		tx := s.Events[v].Tx
		if tx != last {
			if closed[tx] {
				return false
			}
			if last >= 0 {
				closed[last] = true
			}
		}
		last = tx
	}
	return true
}

// sources runs an execution on a machine with store buffers and says which
// write each read reads (-1 for the initial value), by the names of events; it
// fails where the machine gets stuck.
func sources(t *testing.T, s *events.Sequence, p []int8) []int8 {
	memory := make(map[int32]int8)
	buffers := make([][]int8, len(s.Threads))
	from := make([]int8, len(p))
	for _, v := range p {
		e := &s.Events[v]
		buf := &buffers[e.Thread]
		from[v] = -2
		switch e.Kind {
		case events.Write:
			*buf = append(*buf, v)
		case events.Commit:
			if len(*buf) == 0 || int32((*buf)[0]) != e.Issue {
				t.Fatalf("permutation %v of\n%s commits event %d out of turn", p, s.Text(), e.Issue)
			}
			memory[e.Var] = (*buf)[0] + 1
			*buf = (*buf)[1:]
		case events.Fence, events.Update:
			if len(*buf) > 0 {
				t.Fatalf("permutation %v of\n%s fences with a full buffer", p, s.Text())
			}
		}
		if e.Kind == events.Read || e.Kind == events.Update {
			from[v] = memory[e.Var] - 1
			for _, w := range *buf {
				if s.Events[w].Var == e.Var {
					from[v] = w
				}
			}
		}
		if e.Kind == events.Update {
			memory[e.Var] = v + 1
		}
	}
	return from
}

// smallExecutions calls visit with every complete execution of every program
// of two threads and two variables with up to n steps, fences and updates
// included, and with many of the pending ones cut off at the end. Programs are
// taken up to the names of variables: the first access is to x0.
func smallExecutions(n int, visit func(*events.Sequence)) {
	kinds := []seqgen.Step{
		{Kind: events.Read, Var: 0}, {Kind: events.Read, Var: 1},
		{Kind: events.Write, Var: 0}, {Kind: events.Write, Var: 1},
		{Kind: events.Fence}, {Kind: events.Update, Var: 0},
	}
	var steps []seqgen.Step
	var walk func()
	walk = func() {
		if len(steps) >= 2 {
			for cut := 1; cut < len(steps); cut++ {
				p := seqgen.Program{slices.Clone(steps[:cut]), slices.Clone(steps[cut:])}
				if !p[0][0].First || !p[1][0].First {
					continue
				}
				p.Executions(2, false, func(s *events.Sequence) bool {
					visit(s)
					return true
				})
			}
		}
		if len(steps) == n {
			return
		}
		for _, k := range kinds {
			if len(steps) == 0 && k.Var == 1 {
				continue
			}
			for _, first := range []bool{true, false} {
				if len(steps) == 0 && !first {
					continue
				}
				k.First = first
				steps = append(steps, k)
				walk()
				steps = steps[:len(steps)-1]
			}
		}
	}
	walk()
}

// TestSmallExecutions compares, for all small executions, the monitor with
// all pairs, and with all valid swaps where these are few: the definition,
// taken with the conflicts of the execution and with those of each
// permutation, which differ in what is parallel. It also is Proposition 1:
// every permutation by valid swaps is an execution in which every read reads
// the same write.
func TestSmallExecutions(t *testing.T) {
	n, most, every := scale.Of(3, 4, 4), scale.Of(5, 6, 6), scale.Of(1, 37, 1)
	var executions, swapped, violations int
	smallExecutions(n, func(s *events.Sequence) {
		if t.Failed() {
			return
		}
		executions++
		v, err := Decide(TSO, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		tx := func(i int32) int32 { return s.Events[i].Tx }
		if want := acyclicByPairs(TSO, s, tx); v.Serializable != want {
			t.Fatalf("monitor says %v, all pairs say %v:\n%s", v.Serializable, want, s.Text())
		}
		if !v.Serializable {
			violations++
		}
		sc, err := SCEquivalent(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if want := acyclicByPairs(TSOPO, s, contracted(s)); sc.Serializable != want {
			t.Fatalf("SCEquivalent says %v, all pairs say %v:\n%s", sc.Serializable, want, s.Text())
		}
		if len(s.Events) > most || len(s.Events) == most && executions%every != 0 {
			return
		}
		swapped++
		identity := make([]int8, len(s.Events))
		for i := range identity {
			identity[i] = int8(i)
		}
		want := sources(t, s, identity)
		for _, dynamic := range []bool{false, true} {
			got := serialBySwaps(TSO, s, dynamic, func(p []int8) {
				if !slices.Equal(sources(t, s, p), want) {
					t.Fatalf("permutation %v changes a read of\n%s", p, s.Text())
				}
			})
			if got != v.Serializable {
				t.Fatalf("monitor says %v, swaps (dynamic %v) say %v:\n%s", v.Serializable, dynamic, got, s.Text())
			}
		}
	})
	t.Logf("%d executions, %d by swaps, %d violations", executions, swapped, violations)
	if violations == 0 || swapped < 1000 {
		t.Error("too few executions for a test")
	}
}

// TestRandomSequences compares the monitors with all pairs on larger ones.
func TestRandomSequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	runs := scale.Of(400, 1000, 20_000)
	var counts [3]int
	for range runs {
		o := seqgen.Shape{
			Threads: 2 + rng.IntN(3), Variables: 1 + rng.IntN(3), Events: 4 + rng.IntN(24),
			Read: 50, Fence: rng.IntN(20), Update: rng.IntN(10), End: 40 + rng.IntN(60), Close: rng.IntN(100),
			Commit: rng.IntN(90), Drained: rng.IntN(2) == 0,
		}
		s := seqgen.Random(rng, o)
		tx := func(i int32) int32 { return s.Events[i].Tx }
		v, err := Decide(TSO, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if want := acyclicByPairs(TSO, s, tx); v.Serializable != want {
			t.Fatalf("TSO: monitor says %v, all pairs say %v:\n%s", v.Serializable, want, s.Text())
		}
		sc, err := SCEquivalent(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if want := acyclicByPairs(TSOPO, s, contracted(s)); sc.Serializable != want {
			t.Fatalf("SCEquivalent says %v, all pairs say %v:\n%s", sc.Serializable, want, s.Text())
		}
		trace := s.Trace()
		classic, err := Decide(SC, trace)
		if err != nil {
			t.Fatalf("%v\n%s", err, trace.Text())
		}
		tx = func(i int32) int32 { return trace.Events[i].Tx }
		if want := acyclicByPairs(SC, trace, tx); classic.Serializable != want {
			t.Fatalf("SC: monitor says %v, all pairs say %v:\n%s", classic.Serializable, want, trace.Text())
		}
		for i, ok := range []bool{v.Serializable, sc.Serializable, classic.Serializable} {
			if ok {
				counts[i]++
			}
		}
	}
	t.Logf("%d sequences: serializable under TSO, equivalent to SC, serializable under SC: %v", runs, counts)
	for _, n := range counts {
		if n < runs/100 || n > runs-runs/100 {
			t.Errorf("verdicts too uniform: %v of %d", counts, runs)
		}
	}
}
