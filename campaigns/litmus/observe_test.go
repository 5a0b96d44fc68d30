package litmus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
)

// sbTest is SB as others write it: it asks for registers alone.
func sbTest(t testing.TB) *Test {
	return parseTest(t, "SB", "x=5;", "P0 | P1; movl $1,(x) | movl $1,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=0 /\ 1:rax=5)`)
}

// TestObserve evaluates a written log, of two copies in two repetitions, and
// requires the states that it shows.
func TestObserve(t *testing.T) {
	x, err := newExperiment(sbTest(t), options(t, "tso"))
	must.Succeed(t, err)
	x.size = size{copies: 2, repetitions: 2}
	x.o.MaxDelay = 0
	p, err := x.program(0)
	must.Succeed(t, err)
	// The stores of copy 0 write 1 to x and 2 to y, those of copy 1 write 4
	// and 5, in the second repetition 6 more: the stride is 6.
	if diff := cmp.Diff([]gen.Value{6, 4, 5}, []gen.Value{p.Stride(), p.Threads[0][2].Value, p.Threads[1][2].Value}); diff != "" {
		t.Fatalf("stride, stores of copy 1 (-want +got):\n%s\nprogram\n%s", diff, p.Text())
	}
	w := wire.NewWriter(p, 2)
	var log sim.Log
	// Thread 0 reads y: of copy 0 nothing, of copy 1 the other's; then what
	// copy 0 left in the repetition before, and the other's of this one.
	log = w.AppendThread(log, 0, []gen.Value{0, 5, 2, 5 + 6})
	// Thread 1 reads x: nothing, and nothing; the other's, and what was there.
	log = w.AppendThread(log, 1, []gen.Value{0, 0, 1 + 6, 4})
	log = w.AppendFinal(log, []gen.Value{1 + 6, 2 + 6, 4 + 6, 5 + 6})
	fresh, failure := x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log})
	if failure != nil || len(fresh) > 0 {
		t.Fatalf("forbidden %v, failure %v", fresh, failure)
	}
	if x.report.Rounds != 4 {
		t.Fatalf("%d rounds, want 4", x.report.Rounds)
	}
	x.finish()
	var got []string
	for i := range x.report.Result.States {
		s := &x.report.Result.States[i]
		got = append(got, fmt.Sprintf("%d %v %s", s.Count, s.Witness, s))
	}
	want := []string{
		"1 false 0:rax=0; 1:rax=1;", // copy 0, second: 2 is of the repetition before
		"1 true 0:rax=0; 1:rax=5;",  // copy 0, first
		"2 false 0:rax=1; 1:rax=5;", // copy 1: 0 and 4 are what was there
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("states\n%s", strings.Join(got, "\n"))
	}
	r := &x.report.Result
	if diff := cmp.Diff([]any{uint64(1), uint64(3), true}, []any{r.Positive, r.Negative, r.OK}); diff != "" {
		t.Errorf("positive, negative, OK (-want +got):\n%s", diff)
	}
}

// TestObserveFinal has a log whose last repetition shows in memory what no model
// allows: the first store to y is lost.
func TestObserveFinal(t *testing.T) {
	x, err := newExperiment(sbTest(t), options(t, "tso"))
	must.Succeed(t, err)
	x.size = size{copies: 1, repetitions: 1}
	x.o.MaxDelay = 0
	p, err := x.program(0)
	must.Succeed(t, err)
	w := wire.NewWriter(p, 1)
	log := w.AppendThread(nil, 0, []gen.Value{0})
	log = w.AppendThread(log, 1, []gen.Value{0})
	log = w.AppendFinal(log, []gen.Value{1, 0})
	fresh, failure := x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log})
	if failure != nil || len(fresh) != 1 {
		t.Fatalf("%v, %v: want a forbidden outcome", fresh, failure)
	}
	// The state that the test asks for is one that the model allows.
	if got, want := fresh[0].outcome, "P0 reads y=0; P1 reads x=5; [x]=1; [y]=0"; got != want {
		t.Errorf("outcome %q, want %q", got, want)
	}
	if fresh, failure = x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log}); len(fresh) != 0 || failure != nil {
		t.Errorf("the second time it is new: %v, %v", fresh, failure)
	}
	if x.finish(); len(x.report.Forbidden) != 1 {
		t.Fatalf("forbidden %+v, want one", x.report.Forbidden)
	}
	if diff := cmp.Diff([]any{uint64(2), 1, uint64(2)}, []any{x.report.Forbidden[0].Count, x.report.AllowedSeen, x.report.ForbiddenRounds()}); diff != "" {
		t.Errorf("count, allowed states seen, forbidden rounds (-want +got):\n%s", diff)
	}
	log = w.AppendThread(nil, 0, []gen.Value{77}) // not a value of the program
	log = w.AppendThread(log, 1, []gen.Value{0})
	log = w.AppendFinal(log, []gen.Value{1, 2})
	if _, failure = x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log}); failure == nil || failure.Outcome != sim.Violation {
		t.Errorf("failure %+v, want a violation", failure)
	}
}

// TestObserveReads has a repetition of which only the reads are known, and they
// are none that any model allows; and a condition that asks for all states.
func TestObserveReads(t *testing.T) {
	test := parseTest(t, "SB+mfences", "", "P0 | P1; movl $1,(x) | movl $1,(y); mfence | mfence; movl (y),%eax | movl (x),%eax", `forall (0:rax=1 \/ 1:rax=1)`)
	x, err := newExperiment(test, options(t, "tso"))
	must.Succeed(t, err)
	x.size = size{copies: 1, repetitions: 2}
	p, err := x.program(0)
	must.Succeed(t, err)
	w := wire.NewWriter(p, 2) // stores write 1 to x and 2 to y, then 4 and 5
	log := w.AppendThread(nil, 0, []gen.Value{0, 5})
	log = w.AppendThread(log, 1, []gen.Value{0, 4})
	log = w.AppendFinal(log, []gen.Value{4, 5})
	fresh, failure := x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log})
	if failure != nil || len(fresh) != 1 {
		t.Fatalf("%v, %v: want one forbidden outcome", fresh, failure)
	}
	if got, want := fresh[0].outcome, "P0 reads y=0; P1 reads x=0"; got != want {
		t.Fatalf("outcome %q, want %q", got, want)
	}
	x.finish()
	r := &x.report.Result
	var witnesses []bool
	for _, s := range r.States {
		witnesses = append(witnesses, s.Witness)
	}
	want := []any{[]bool{true, false}, uint64(1), uint64(1), false, litmus7.Required, 1, 3}
	if diff := cmp.Diff(want, []any{witnesses, r.Positive, r.Negative, r.OK, r.Kind, x.report.AllowedSeen, x.report.Allowed}); diff != "" {
		t.Errorf("witnesses, positive, negative, OK, kind, allowed states seen, all: -want +got\n%s", diff)
	}
}

// TestObserveMemory evaluates written logs in which threads look at memory before
// they repeat a test that asks for it.
func TestObserveMemory(t *testing.T) {
	for _, row := range []struct {
		x, y    gen.Value // observed before the second repetition
		want    string
		fresh   int
		comment string
	}{
		{4, 3, "1×[x]=1; [y]=1; 1×[x]=2; [y]=1;", 0, "what the first left, and what memory holds"},
		{4, 2 + 5, "1×[x]=2; [y]=1;", 0, "a store of the second: the first is not known"},
		{1, 2, "1×[x]=2; [y]=1; 1×[x]=2; [y]=2;", 1, "the outcome that is forbidden"},
		{0, 3, "1×[x]=0; [y]=1; 1×[x]=2; [y]=1;", 1, "lost stores"},
	} {
		test := parseTest(t, "2+2W", "", "P0 | P1; movl $2,(x) | movl $2,(y); movl $1,(y) | movl $1,(x)", "exists ([x]=2 /\\ [y]=2)")
		o := options(t, "tso")
		o.Sim, o.Config.Core, o.MaxDelay = config.SimHost, "", 0
		x, err := newExperiment(test, o)
		must.Succeed(t, err)
		if !x.size.observe {
			t.Fatalf("size %+v", x.size)
		}
		x.size.copies, x.size.repetitions = 1, 2
		p, err := x.program(0)
		must.Succeed(t, err)
		// Row by row: 1 is $2 to x, 2 is $2 to y, 3 is $1 to y, 4 is $1 to x.
		want := []gen.Op{{Kind: gen.Load, Loc: 1}, {Kind: gen.Store, Loc: 1, Value: 2}, {Kind: gen.Store, Loc: 0, Value: 4}}
		if diff := cmp.Diff(want, p.Threads[1]); diff != "" {
			t.Fatalf("thread 1 (-want +got):\n%s", diff)
		}
		w := wire.NewWriter(p, 2)
		log := w.AppendThread(nil, 0, []gen.Value{0, row.x})
		log = w.AppendThread(log, 1, []gen.Value{0, row.y})
		log = w.AppendFinal(log, []gen.Value{1 + 5, 3 + 5})
		fresh, failure := x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log})
		if failure != nil || len(fresh) != row.fresh {
			t.Fatalf("%s: %v, %v", row.comment, fresh, failure)
		}
		x.finish()
		var got []string
		for i := range x.report.Result.States {
			got = append(got, fmt.Sprintf("%d×%s", x.report.Result.States[i].Count, &x.report.Result.States[i]))
		}
		if strings.Join(got, " ") != row.want || x.report.Rounds != len(got) {
			t.Errorf("%s: %d rounds, %q, want %q", row.comment, x.report.Rounds, got, row.want)
		}
	}
}

// TestProgram looks at the programs of runs: as many copies as asked for, the
// same for the same run, with delays and layouts that differ between runs.
func TestProgram(t *testing.T) {
	test := sbTest(t)
	x, err := newExperiment(test, options(t, "tso"))
	must.Succeed(t, err)
	texts, layouts := map[string]bool{}, map[gen.Layout]bool{}
	for n := range 8 {
		p, err := x.program(n)
		must.Succeed(t, err)
		again, err := x.program(n)
		if err != nil || string(again.Text()) != string(p.Text()) {
			t.Fatalf("run %d differs from itself: %v", n, err)
		}
		texts[string(p.Text())], layouts[p.Layout] = true, true
		delays := 0
		for thread, ops := range p.Threads {
			var plain []gen.Op
			for _, op := range ops {
				if op.Kind == gen.Delay {
					delays++
					continue
				}
				plain = append(plain, op)
			}
			if len(plain) != x.size.copies*len(test.Program.Threads[thread]) {
				t.Fatalf("thread %d: %d operations", thread, len(plain))
			}
			for i, op := range plain {
				want := test.Program.Threads[thread][i%2]
				if op.Kind != want.Kind || int(op.Loc) != i/2*2+int(want.Loc) {
					t.Fatalf("thread %d operation %d: %s", thread, i, p.OpText(op))
				}
			}
		}
		if delays == 0 {
			t.Errorf("run %d has no delays", n)
		}
	}
	if len(texts) != 8 || len(layouts) != len(gen.Layouts()) {
		t.Errorf("%d programs and %d layouts in 8 runs", len(texts), len(layouts))
	}
	x.o.Layout, x.o.MaxDelay = gen.Packed, 0
	for n := range 2 {
		p, err := x.program(n)
		must.Succeed(t, err)
		if diff := cmp.Diff([]any{gen.Packed, false}, []any{p.Layout, strings.Contains(string(p.Text()), "delay")}); diff != "" {
			t.Errorf("layout, delays (-want +got):\n%s", diff)
		}
	}
}

// TestSize makes no more rounds than asked for by much, however many.
func TestSize(t *testing.T) {
	test := sbTest(t)
	for _, name := range []string{"host", "builtin", "gem5"} {
		for _, rounds := range []int{1, 10, 100, 5000, 1_000_000} {
			o := options(t, "tso")
			o.Sim, o.Rounds = name, rounds
			s := sizeOf(test, o)
			if n := s.copies * s.repetitions; n < 1 || n > rounds {
				t.Errorf("%s: %d rounds in runs of %+v", name, rounds, s)
			}
			if s.observe {
				t.Errorf("%s: %d rounds: the final state is observed", name, rounds)
			}
		}
	}
}

// BenchmarkObserve reads the states of a run off its log.
func BenchmarkObserve(b *testing.B) {
	o := options(b, "tso")
	x, err := newExperiment(sbTest(b), o)
	must.Succeed(b, err)
	p, err := x.program(0)
	must.Succeed(b, err)
	res, err := x.runner.Run(b.Context(), sim.Job{Program: p, Rounds: 1, Seed: 1, Dir: b.TempDir()})
	if err != nil || res.Outcome != sim.Passed {
		b.Fatal(res, err)
	}
	for b.Loop() {
		x.observe(p, &res)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(x.size.copies), "ns/round")
}
