package serial

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/internal/scale"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// sequence reads the text form without its first line.
func sequence(t *testing.T, text string) *events.Sequence {
	t.Helper()
	s, err := events.Parse("test", []byte("ordeal-events 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func execution(t *testing.T, rel Relation, s *events.Sequence) Verdict {
	t.Helper()
	v, err := Decide(rel, s)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Text())
	}
	return v
}

func scEquivalent(t *testing.T, s *events.Sequence) Verdict {
	t.Helper()
	v, err := SCEquivalent(s)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Text())
	}
	return v
}

// taskPool is Fig. 2(a): an execution of the task pool of Fig. 1 in which both
// threads take the last task. Thread a takes from the head, thread b from the
// tail; each moves its end of the pool in one transaction, and looks at the
// other end and takes the task in the next. Our copy of the paper has lost
// the figures; this is the execution that its introduction describes.
const taskPool = `execution
threads a b
variables head tail task
a begin
a read head
a write head
a end
b begin
b read tail
b write tail
b end
a begin
a read tail
b begin
b read head
a commit head
b commit tail
a read task
b read task
a write task
a end
b write task
b end
a commit task
b commit task
`

// TestTaskPool is Fig. 2: the execution is neither serializable nor
// equivalent to one of SC, and the cycle is between the second transactions.
func TestTaskPool(t *testing.T) {
	s := sequence(t, taskPool)
	v := execution(t, TSO, s)
	var got []string
	for _, e := range v.Cycle {
		got = append(got, s.EventText(e.From)+" of "+s.TxName(s.Events[e.From].Tx))
	}
	if d := cmp.Diff([]string{"a commit task of a.2", "b read task of b.2"}, got); d != "" {
		t.Errorf("cycle (-want +got):\n%s", d)
	}
	if v := scEquivalent(t, s); v.Serializable {
		t.Error("the execution is equivalent to one of SC")
	}
	// Under SC thread b sees that the pool is empty, and does not take.
	sc := sequence(t, `trace
threads a b
variables head tail task
a begin
a read head
a write head
a end
b begin
b read tail
b write tail
b end
a begin
a read tail
b begin
b read head
a end
b read task
b write task
b end
`)
	if v := execution(t, SC, sc); !v.Serializable {
		t.Errorf("under SC: %+v", v)
	}
}

// TestSeparatingPrograms are the two programs of Sect. 4.2, after Theorem 2:
// both are serializable under TSO; one is not robust, the other one is not
// serializable under SC.
func TestSeparatingPrograms(t *testing.T) {
	r, w := events.Read, events.Write
	left := seqgen.Program{
		{{Kind: w, Var: 0, First: true}, {Kind: r, Var: 1, First: true}},
		{{Kind: w, Var: 1, First: true}, {Kind: r, Var: 0, First: true}},
	}
	robust := true
	left.Executions(2, false, func(s *events.Sequence) bool {
		if v := execution(t, TSO, s); !v.Serializable {
			t.Errorf("left program:\n%s", s.Text())
		}
		robust = robust && scEquivalent(t, s).Serializable
		return true
	})
	if robust {
		t.Error("the left program is robust")
	}
	// Values make the right program have one execution of SC only: its
	// thread 2 reads x before thread 1 writes it, and thread 1 reads y before
	// thread 2 writes it.
	right := seqgen.Program{
		{{Kind: w, Var: 0, First: true}, {Kind: r, Var: 1, First: true}},
		{{Kind: r, Var: 0, First: true}, {Kind: w, Var: 1}},
	}
	initial := func(s *events.Sequence) bool { // all reads read the initial value
		written := map[int32]bool{}
		for _, e := range s.Events {
			if e.Kind == events.Read && written[e.Var] {
				return false
			}
			if e.Kind == events.Commit {
				written[e.Var] = true
			}
		}
		return true
	}
	executions := 0
	right.Executions(2, false, func(s *events.Sequence) bool {
		if initial(s) {
			executions++
			if v := execution(t, TSO, s); !v.Serializable {
				t.Errorf("right program:\n%s", s.Text())
			}
			if v := scEquivalent(t, s); !v.Serializable {
				t.Errorf("the right program is not robust:\n%s", s.Text())
			}
		}
		return true
	})
	if executions == 0 {
		t.Error("no execution of the right program")
	}
	executions = 0
	right.Executions(2, true, func(s *events.Sequence) bool {
		if initial(s) {
			executions++
			if v := execution(t, SC, s); v.Serializable {
				t.Errorf("right program under SC:\n%s", s.Text())
			}
		}
		return true
	})
	if executions != 1 {
		t.Errorf("the right program has %d executions of SC", executions)
	}
}

// properties are what a program has, by all its executions.
type properties struct{ tso, sc, robust bool }

func propertiesOf(t *testing.T, p seqgen.Program, variables int) properties {
	all := properties{true, true, true}
	p.Executions(variables, false, func(s *events.Sequence) bool {
		all.tso = all.tso && execution(t, TSO, s).Serializable
		all.robust = all.robust && scEquivalent(t, s).Serializable
		return all.tso || all.robust
	})
	p.Executions(variables, true, func(s *events.Sequence) bool {
		all.sc = all.sc && execution(t, SC, s).Serializable
		return all.sc
	})
	return all
}

// TestTheorems2And3 is Theorem 2 on random programs, and Theorem 3 on those
// whose transactions end with fences: a program is serializable under TSO if,
// and with fences only if, it is robust and serializable under SC. A program
// is its threads here and has all their interleavings.
func TestTheorems2And3(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	runs := scale.Of(100, 200, 4000)
	var seen [2]map[properties]int
	seen[0], seen[1] = map[properties]int{}, map[properties]int{}
	for run := range runs {
		o := seqgen.Shape{
			Threads: 2, Variables: 2, Events: 4, Read: 50,
			Fence: rng.IntN(10), Update: rng.IntN(5), End: 30 + rng.IntN(60),
		}
		if rng.IntN(20) == 0 {
			o.Threads, o.Events = 3, 5
		}
		p := seqgen.RandomProgram(rng, o)
		if rng.IntN(3) == 0 { // store buffering, which few random programs have
			p = seqgen.Program{nil, nil}
			for t := range p {
				p[t] = []seqgen.Step{
					{Kind: events.Write, Var: t, First: true},
					{Kind: events.Read, Var: 1 - t, First: rng.IntN(2) == 0},
				}
				if rng.IntN(2) == 0 {
					extra := seqgen.Step{Kind: events.Read, Var: rng.IntN(2), First: rng.IntN(2) == 0}
					p[t] = append(p[t], extra)
				}
			}
		}
		fenced := run % 2
		if fenced == 1 {
			p = p.Fenced()
		}
		all := propertiesOf(t, p, o.Variables)
		seen[fenced][all]++
		if all.robust && all.sc && !all.tso {
			t.Fatalf("Theorem 2 fails: %v", p)
		}
		if fenced == 1 && all.tso != (all.robust && all.sc) {
			t.Fatalf("Theorem 3 fails: %+v: %v", all, p)
		}
	}
	t.Logf("unfenced %+v", seen[0])
	t.Logf("fenced %+v", seen[1])
	if testing.Short() {
		return
	}
	for _, row := range []struct {
		fenced int
		properties
	}{{0, properties{true, true, false}}, {0, properties{true, true, true}}, {1, properties{false, true, false}}, {1, properties{false, false, true}}} {
		if seen[row.fenced][row.properties] == 0 {
			t.Errorf("no program with %+v", row)
		}
	}
}

// TestTheorem2NeedsInterleavings: the paper takes for a program any
// prefix-closed set of sequences of events (Sect. 2), and for such a set
// Theorem 2 fails. Here it is one trace and its prefixes. The only execution
// of SC is serial, every execution of TSO is equivalent to one of SC, and yet
// one of them is not serializable: that of SC which it is equivalent to is an
// interleaving that the set lacks.
func TestTheorem2NeedsInterleavings(t *testing.T) {
	only := sequence(t, `trace
threads a b
variables x y
a begin
a write x
a write y
a end
b begin
b read x
b read y
b end
`)
	got := properties{sc: execution(t, SC, only).Serializable, robust: true, tso: true}
	executions := 0
	program := seqgen.Program{
		{{Kind: events.Write, Var: 0, First: true}, {Kind: events.Write, Var: 1}},
		{{Kind: events.Read, Var: 0, First: true}, {Kind: events.Read, Var: 1}},
	}
	program.Executions(2, false, func(s *events.Sequence) bool {
		trace := s.Trace().Events
		for i := range trace {
			if trace[i] != only.Events[i] {
				return true // an interleaving that is not in the set
			}
		}
		executions++
		got.robust = got.robust && scEquivalent(t, s).Serializable
		got.tso = got.tso && execution(t, TSO, s).Serializable
		return true
	})
	if want := (properties{sc: true, robust: true}); got != want {
		t.Errorf("of %d executions: %+v, want %+v", executions, got, want)
	}
}

// TestConflicts are the exceptions of the conflict relation and their limits,
// one by one, as executions: only where a conflict is lacking do two
// transactions of thread b fall on both sides of the one of thread a.
func TestConflicts(t *testing.T) {
	head := "execution\nthreads a b\nvariables x y z\n"
	for name, c := range map[string]struct {
		text         string
		serializable bool
	}{
		// b reads x from its buffer, then y before a writes it; a's x is in
		// memory before b's. Were the reads in order, this would be a cycle.
		"buffered read overtaken": {`b write x
b read x
b read y
a begin
a write y
a write x
a end
a commit y
a commit x
b commit x
`, true},
		"not buffered after a fence": {`b write x
b commit x
a begin
a write y
a write x
a end
b fence
b read y
b read x
a commit y
a commit x
`, true},
		"order of reads that are not buffered": {`a begin
a write y
a write x
a end
a commit y
b read y
b read x
a commit x
`, false},
		"reads around both commits": {`a begin
a write y
a write x
a end
b read x
a commit y
a commit x
b read y
`, true},
		// A fence after its write keeps the read of x before that of y.
		"order of a read after a fence": {`b write x
b commit x
b fence
a begin
a write x
a write y
a end
a commit x
b read x
b read y
a commit y
`, false},
		"write overtaken by a read": {`b write x
b read y
a begin
a write y
a read x
a end
a commit y
b commit x
`, true},
		"write not overtaken by a read of its variable": {`b write x
b read x
a begin
a read x
b commit x
a write x
a end
a commit x
b read x
`, false},
	} {
		s := sequence(t, head+c.text)
		tx := func(i int32) int32 { return s.Events[i].Tx }
		got := []bool{execution(t, TSO, s).Serializable, acyclicByPairs(TSO, s, tx)}
		if d := cmp.Diff([]bool{c.serializable, c.serializable}, got); d != "" {
			t.Errorf("%s: serializable by the monitor, by pairs (-want +got):\n%s", name, d)
		}
	}
}
