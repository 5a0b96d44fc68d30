package exploration

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim/explore"
)

// readsOf are the reads that are sought of a shape when random runs have shown all outcomes of a model, or
// all but the first of them.
func readsOf(t *testing.T, shape, model string, unseen bool) []explore.Reads {
	t.Helper()
	named, err := Shapes([]string{shape})
	if err != nil {
		t.Fatal(err)
	}
	p := named[0].Program
	allowed, err := enumerate(shape, p, model)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for i := range allowed {
		shown[allowed[i].Key()] = !unseen || i > 0
	}
	list, err := soughtReads(p, allowed, shown)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSoughtReads compares what is sought with what the cycles of the shapes are: the reads that the model
// forbids, one combination for each of these. The values are those of gen/shapes.
func TestSoughtReads(t *testing.T) {
	for _, c := range []struct {
		shape, model string
		want         []explore.Reads
	}{
		{"SB", "sc", []explore.Reads{{{0}, {0}}}},
		{"SB", "tso", []explore.Reads{}},
		{"MP", "tso", []explore.Reads{{{}, {2, 0}}}},
		{"MP", "pso", []explore.Reads{}},
		{"CoRR", "tso", []explore.Reads{{{}, {1, 0}}}},
		{"WRC", "tso", []explore.Reads{{{}, {1}, {2, 0}}}},
		// Only the final memory tells that 2+2W was forbidden, and any reads go with it: none.
		{"2+2W", "tso", []explore.Reads{{{}, {}}}},
		{"2+2W", "pso", []explore.Reads{}},
	} {
		if diff := cmp.Diff(c.want, readsOf(t, c.shape, c.model, false)); diff != "" {
			t.Errorf("%s under %s (-want +got):\n%s", c.shape, c.model, diff)
		}
	}
	// The first outcome of SB by its reads is that of two zeros, which TSO allows.
	if diff := cmp.Diff([]explore.Reads{{{0}, {0}}}, readsOf(t, "SB", "tso", true)); diff != "" {
		t.Errorf("an outcome that was not shown (-want +got):\n%s", diff)
	}
}

// TestSoughtExactly compares what is sought of random programs with its definition: values of the stores to
// each location, tried one combination after the other.
func TestSoughtExactly(t *testing.T) {
	for seed := range uint64(40) {
		p := randomProgram(seed)
		allowed, err := enumerate("random", p, "tso")
		if err != nil {
			t.Fatal(err)
		}
		shown, want := map[string]bool{}, map[string]bool{}
		for i := range allowed {
			shown[allowed[i].Key()] = i%5 > 0
		}
		known, explained := map[string]bool{}, map[string]bool{}
		for i := range allowed {
			key := readsKey(allowed[i].Reads)
			explained[key] = true
			if shown[allowed[i].Key()] {
				known[allowed[i].Key()] = true
			} else {
				want[key] = true
			}
		}
		all, err := outcomes.Candidates(p, 1<<16, func(h *parse.History) (bool, error) {
			o := outcomeOf(p, h)
			key := readsKey(o.Reads)
			if !explained[key] && coherent(p, o, true) || !known[o.Key()] && coherent(p, o, false) {
				want[key] = true
			}
			return true, nil
		})
		if err != nil || len(all) == 0 {
			t.Fatalf("seed %d: %v, %d candidates", seed, err, len(all))
		}
		list, err := soughtReads(p, allowed, shown)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, r := range list {
			got[readsKey(r)] = true
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != len(list) {
			t.Errorf("seed %d (-want +got):\n%s\n%s", seed, diff, p.Text())
		}
	}
}

// randomProgram has two or three threads of loads, stores and exchanges of two locations.
func randomProgram(seed uint64) *gen.Program {
	random := rand.New(rand.NewPCG(seed, 7))
	p := &gen.Program{Layout: gen.Spread, Locations: []string{"x", "y"}, Threads: make([][]gen.Op, 2+random.IntN(2))}
	for n := range 5 {
		op := gen.Op{Kind: []gen.OpKind{gen.Load, gen.Store, gen.Exchange}[random.IntN(3)], Loc: gen.LocID(random.IntN(2))}
		if op.Kind != gen.Load {
			op.Value = gen.Value(n + 1)
		}
		t := random.IntN(len(p.Threads))
		p.Threads[t] = append(p.Threads[t], op)
	}
	for t := range p.Threads {
		if len(p.Threads[t]) == 0 {
			p.Threads[t] = []gen.Op{{Kind: gen.Load, Loc: 0}}
		}
	}
	return p
}

// coherent reports whether some order of the accesses to each location explains what they read and, unless any
// order will do, the final memory; else it keeps the order of each thread. It tries all orders.
func coherent(p *gen.Program, o *outcomes.Outcome, anyOrder bool) bool {
	type access struct {
		gen.Op
		thread int
		read   gen.Value
	}
	for l := range p.Locations {
		var list []access
		for t, ops := range p.Threads {
			n := 0
			for _, op := range ops {
				a := access{Op: op, thread: t}
				if op.Kind.Reads() {
					a.read = o.Reads[t][n]
					n++
				}
				if op.Loc == gen.LocID(l) {
					list = append(list, a)
				}
			}
		}
		var order func(left []access, memory gen.Value) bool
		order = func(left []access, memory gen.Value) bool {
			if len(left) == 0 {
				return anyOrder || memory == o.Final[l]
			}
			for i, a := range left {
				early := slices.ContainsFunc(left[:i], func(b access) bool { return b.thread == a.thread })
				if early && !anyOrder || a.Kind.Reads() && a.read != memory {
					continue
				}
				next := memory
				if a.Kind.Writes() {
					next = a.Value
				}
				if order(slices.Delete(slices.Clone(left), i, i+1), next) {
					return true
				}
			}
			return false
		}
		if !order(list, 0) {
			return false
		}
	}
	return true
}

// TestSample requires random runs to show all outcomes of a cycle in which a thread has to see what both others
// have done: each that is missing is searched for.
func TestSample(t *testing.T) {
	s := &Spec{Machine: config.Machine{Protocol: "mesi-two-level"}, Explore: config.Explore{Shape: []string{"ISA2+rmws"}}}
	if err := s.shapes(); err != nil {
		t.Fatal(err)
	}
	for i := range s.Programs {
		m, p, err := s.program(&s.Programs[i])
		if err != nil {
			t.Fatal(err)
		}
		shown, err := sample(t.Context(), m, p, 7)
		if err != nil || len(shown) != 7 {
			t.Errorf("%s: %v, %d outcomes, want 7", s.Programs[i].Name, err, len(shown))
		}
	}
}

// TestOutcomesOnly compares explorations for outcomes only with those of all states: the same outcomes,
// allowed ones that never happen and shortest counterexamples, of fewer states.
func TestOutcomesOnly(t *testing.T) {
	for _, c := range []struct {
		machine config.Machine
		shapes  []string
	}{
		{config.Machine{Protocol: "mi"}, []string{"SB", "MP", "CoRR", "2+2W", "S", "SB+xchgs"}},
		{config.Machine{Protocol: "mi", Core: "inorder"}, []string{"SB", "LB"}},
		{config.Machine{Protocol: "mesi-two-level", Core: "ooo"}, []string{"MP", "CoRR"}},
		{config.Machine{Protocol: "mi", Core: "ooo", PrivateCache: "1x2", Mutant: "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu"}, []string{"MP", "CoRR", "R"}},
	} {
		run := func(only bool) *Explored {
			s := &Spec{Machine: c.machine, Explore: config.Explore{Shape: c.shapes, OutcomesOnly: only, KeepGoing: true}}
			if err := s.shapes(); err != nil {
				t.Fatal(err)
			}
			x, err := RunPrograms(t.Context(), s, Options{Workers: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		all, only := run(false), run(true)
		for i, a := range all.Programs {
			o := only.Programs[i]
			if a.Shown != o.Shown || a.Allowed != o.Allowed || !slices.Equal(a.Never, o.Never) || !o.Complete() {
				t.Errorf("%s of %s: %d outcomes of %d, never %q, and %d of %d, never %q for outcomes only", a.Name, c.machine.Protocol,
					a.Shown, a.Allowed, a.Never, o.Shown, o.Allowed, o.Never)
			}
			if diff := cmp.Diff(steps(a), steps(o)); diff != "" {
				t.Errorf("%s of %s: lengths of counterexamples (-all +outcomes only):\n%s", a.Name, c.machine.Protocol, diff)
			}
			if o.Orbits > a.Orbits {
				t.Errorf("%s of %s: %d states, and %d for outcomes only", a.Name, c.machine.Protocol, a.Orbits, o.Orbits)
			}
		}
		if c.machine.Mutant != "" && len(only.Result.Findings) == 0 || only.Result.Orbits*3 > all.Result.Orbits*2 {
			t.Errorf("%+v: %d findings, %d states of %d", c.machine, len(only.Result.Findings), only.Result.Orbits, all.Result.Orbits)
		}
	}
}

// steps are the lengths of the counterexamples by title.
func steps(r *ProgramResult) map[string]int {
	list := map[string]int{}
	for i := range r.Findings {
		list[r.Findings[i].Title] = len(r.Findings[i].Steps)
	}
	return list
}
