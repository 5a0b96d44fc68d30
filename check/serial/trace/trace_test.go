package trace

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// executions calls visit with every execution of a trace, all writes
// committed, until it returns false: Execs of Sect. 5.
func executions(s *events.Sequence, visit func(*events.Sequence) bool) {
	pending := make([]int, len(s.Threads))
	var choices []int32 // an event, or the complement of a thread that commits
	stopped := false
	var walk func(i int32)
	walk = func(i int32) {
		if stopped {
			return
		}
		waiting := false
		for t := range pending {
			if pending[t] > 0 {
				waiting = true
				pending[t]--
				choices = append(choices, ^int32(t))
				walk(i)
				choices = choices[:len(choices)-1]
				pending[t]++
			}
		}
		if int(i) == len(s.Events) {
			if !waiting && !stopped {
				stopped = !visit(assemble(s, choices))
			}
			return
		}
		e := &s.Events[i]
		if e.Kind.Drains() && pending[e.Thread] > 0 {
			return
		}
		if e.Kind == events.Write {
			pending[e.Thread]++
			defer func() { pending[e.Thread]-- }()
		}
		choices = append(choices, i)
		walk(i + 1)
		choices = choices[:len(choices)-1]
	}
	walk(0)
}

// assemble makes the execution that a list of choices describes.
func assemble(s *events.Sequence, choices []int32) *events.Sequence {
	x := &events.Sequence{Execution: true, Threads: s.Threads, Variables: s.Variables, Transactions: s.Transactions}
	buffers := make([][]int32, len(s.Threads))
	for _, c := range choices {
		if c < 0 {
			issue := buffers[^c][0]
			buffers[^c] = buffers[^c][1:]
			e := x.Events[issue]
			e.Kind, e.Issue = events.Commit, issue
			x.Events = append(x.Events, e)
			continue
		}
		if e := s.Events[c]; e.Kind == events.Write {
			buffers[e.Thread] = append(buffers[e.Thread], int32(len(x.Events)))
		}
		x.Events = append(x.Events, s.Events[c])
	}
	return x
}

// serializable is Definition 3: every execution of the trace is serializable.
func serializable(t *testing.T, s *events.Sequence) bool {
	all := true
	executions(s, func(x *events.Sequence) bool {
		v, err := serial.Decide(serial.TSO, x)
		if err != nil {
			t.Fatalf("%v\n%s", err, x.Text())
		}
		all = v.Serializable
		return all
	})
	return all
}

// decide decides a trace and checks the evidence.
func decide(t *testing.T, s *events.Sequence) bool {
	t.Helper()
	v, err := Decide(context.Background(), s)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Text())
	}
	if _, err := events.Parse("", v.Execution.Text()); err != nil {
		t.Fatalf("%v\n%s", err, s.Text())
	}
	return v.Serializable
}

// smallTraces calls visit with all traces of n events of some threads over two
// variables, up to the names of threads and variables.
func smallTraces(n, threads int, kinds []events.Kind, visit func(*events.Sequence)) {
	type step struct {
		thread, variable int
		kind             events.Kind
		begin            bool
	}
	var steps []step
	var walk func(threadsUsed, variablesUsed int)
	walk = func(threadsUsed, variablesUsed int) {
		if len(steps) == n {
			b := events.NewBuilder(false, seqgen.Names("P", threads), seqgen.Names("x", 2))
			inside := make([]bool, threads)
			for _, s := range steps {
				if s.begin {
					if inside[s.thread] {
						_ = b.End(s.thread) // it is inside
					}
					_ = b.Begin(s.thread) // it is outside
					inside[s.thread] = true
				}
				if err := b.Add(s.thread, s.kind, s.variable); err != nil {
					panic(err)
				}
			}
			visit(b.Sequence())
			return
		}
		seen := make([]bool, threads)
		for _, s := range steps {
			seen[s.thread] = true
		}
		for t := range min(threadsUsed+1, threads) {
			for _, kind := range kinds {
				for x := range min(variablesUsed+1, 2) {
					if kind == events.Fence && (x > 0 || !seen[t]) {
						continue
					}
					for _, begin := range []bool{true, false} {
						if !begin && !seen[t] {
							continue
						}
						used := variablesUsed
						if kind != events.Fence {
							used = max(used, x+1)
						}
						steps = append(steps, step{t, x, kind, begin})
						walk(max(threadsUsed, t+1), used)
						steps = steps[:len(steps)-1]
					}
				}
			}
		}
	}
	walk(0, 0)
}

// TestSmallTraces compares both procedures with all executions of all traces
// of up to four events, and of some of five.
func TestSmallTraces(t *testing.T) {
	n := scale.Of(4, 5, 5)
	every := scale.Of(map[int]int{4: 23}, map[int]int{4: 13, 5: 2999}, map[int]int{5: 499})
	traces, violations := 0, 0
	for size := 2; size <= n; size++ {
		smallTraces(size, 3, []events.Kind{events.Read, events.Write, events.Fence, events.Update}, func(s *events.Sequence) {
			if t.Failed() {
				return
			}
			if traces++; every[size] > 0 && traces%every[size] != 0 {
				return
			}
			want := serializable(t, s)
			if !want {
				violations++
			}
			if got := decide(t, s); got != want {
				t.Fatalf("%v, all executions say %v:\n%s", got, want, s.Text())
			}
		})
	}
	t.Logf("%d traces, %d violations", traces, violations)
}

// TestRandomTraces compares with all executions of random traces; where there are too
// many, the evidence of violations speaks for itself.
func TestRandomTraces(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	runs := scale.Of(300, 300, 12_000)
	small, violations := 0, 0
	for range runs {
		o := seqgen.Shape{
			Threads: 2 + rng.IntN(3), Variables: 1 + rng.IntN(4), Events: 4 + rng.IntN(9), Trace: true,
			Read: 30 + rng.IntN(40), Fence: rng.IntN(30), Update: rng.IntN(10), End: 40 + rng.IntN(60), Close: rng.IntN(100),
		}
		if rng.IntN(4) == 0 {
			o.Events += 10
			o.Fence, o.Close = 20, 90
		}
		s := seqgen.Random(rng, o)
		got := decide(t, s)
		if !got {
			violations++
		}
		if len(s.Events) > 11 {
			continue
		}
		small++
		if want := serializable(t, s); got != want {
			t.Fatalf("%v, all executions say %v:\n%s", got, want, s.Text())
		}
	}
	t.Logf("%d traces, %d of them with all executions, %d violations", runs, small, violations)
	if violations < runs/20 || violations > runs-runs/20 {
		t.Errorf("verdicts too uniform: %d violations in %d traces", violations, runs)
	}
}

// TestCircles is a trace whose first candidates for a violation order events
// in a circle, and later ones do not.
func TestCircles(t *testing.T) {
	s := trace(t, `trace
threads P0 P1 P3
variables x0 x1
P0 begin
P0 write x0
P1 write x1
P3 read x1
P0 read x1
P0 end
P0 read x0
P3 read x1
P3 read x0
`)
	want := serializable(t, s)
	if want {
		t.Fatal("the trace is serializable")
	}
	if decide(t, s) {
		t.Error("found serializable")
	}
}

// TestInterrupted: the search stops when it is asked to.
func TestInterrupted(t *testing.T) {
	edges, _ := matrix(4, 0)
	for v := 1; v < 4; v++ {
		edges[0][v], edges[v][0] = true, true
	}
	s := hamiltonTrace(edges)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Decide(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
