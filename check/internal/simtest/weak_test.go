package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// target is an instruction set with the cores that run it.
type target struct {
	promise
	isa gen.ISA
}

var targets = []target{
	{promise{core.Arm, model.Armv8, model.PSO}, gen.AArch64},
	{promise{core.RISCV, model.RVWMO, model.PSO}, gen.RISCV64},
	{promise{core.RISCV, model.RVWMO, model.PSO}, gen.RISCV64A},
	{promise{core.Arm, model.Armv8, model.PSO}, gen.X86},
	{promise{core.RISCV, model.RVWMO, model.PSO}, gen.X86},
}

// newTarget makes a machine whose programs use all of an instruction set.
func newTarget(t testing.TB, g target, machine builtin.Options) *subject {
	s := newSubject(t, g.promise, machine)
	if g.isa == gen.X86 {
		return s
	}
	s.program.ISA = g.isa
	s.program.Mix = gen.Mix{Load: 45, Store: 35, Exchange: 5, Add: 5, Fence: 8, Pair: 5}
	s.program.Annotations, s.program.PartialFences, s.program.Dependencies = 0.2, 0.6, 0.3
	return s
}

// TestInstructionSets requires random programs with everything that an instruction
// set has to keep its model, and most to break PSO.
func TestInstructionSets(t *testing.T) {
	seeds := scale.Of[uint64](2, 4, 400)
	for _, g := range targets {
		for _, protocol := range builtin.Protocols() {
			t.Run(fmt.Sprintf("%s/%s/%s", g.kind, g.isa, protocol), func(t *testing.T) {
				t.Parallel()
				var cores core.Statistics
				broken := newTarget(t, g, builtin.Options{Protocol: protocol}).pass(t, seeds, func(_ *parse.History, r builtin.Report) {
					cores.Squashed += r.Statistics.Cores.Squashed
					cores.Failed += r.Statistics.Cores.Failed
				})
				if broken < int(seeds)/2 {
					t.Errorf("only %d of %d runs break %s", broken, seeds, g.breaks.Name)
				}
				if g.isa != gen.X86 && cores.Failed < seeds {
					t.Errorf("%d store-conditionals fail in %d runs", cores.Failed, seeds)
				}
				t.Logf("%d loads started again", cores.Squashed)
			})
		}
	}
}

// TestRetries requires programs with further attempts of their pairs to keep their
// model, and a further attempt to be made where the one before it was and failed, and
// only there.
func TestRetries(t *testing.T) {
	for _, g := range targets {
		if g.isa == gen.X86 {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s", g.kind, g.isa), func(t *testing.T) {
			t.Parallel()
			s := newTarget(t, g, builtin.Options{})
			s.program.Locations, s.program.Threads, s.program.Retries = 2, 4, 2
			s.program.Mix.Pair = 20
			made, needed := 0, 0
			for seed := range uint64(3) {
				h, _, err := s.run(t, seed)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				p := s.programOf(t, seed)
				origins := parse.NewOrigins(p, h)
				for id := range h.Ops {
					from := origins.Of(parse.OpID(id))
					ops := p.Threads[from.Thread]
					if op := ops[from.Index]; op.Kind != gen.LoadLinked || op.Attr&gen.Retry == 0 {
						continue
					}
					// The store-conditional before it failed, if that attempt was made.
					due := h.Ops[id-1].Kind == parse.Fence && (ops[from.Index-1].Attr&gen.Retry == 0 || h.Ops[id-2].Kind == parse.Read)
					if due {
						needed++
					}
					if h.Ops[id].Kind == parse.Read {
						made++
					}
					if due != (h.Ops[id].Kind == parse.Read) {
						t.Errorf("seed %d: operation %d: due %t, made %t", seed, id, due, !due)
					}
				}
			}
			if made == 0 || made != needed {
				t.Errorf("%d further attempts, %d needed", made, needed)
			}
		})
	}
}

// TestInstructionSetBugs runs each injected bug of the cores of instruction sets
// until a run breaks their model. What a bug is about is frequent.
func TestInstructionSetBugs(t *testing.T) {
	const seeds = 60
	for _, g := range targets {
		for _, bug := range core.Bugs(g.kind) {
			if !applies(bug, g.isa) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/%s", g.kind, g.isa, bug), func(t *testing.T) {
				t.Parallel()
				s := newTarget(t, g, builtin.Options{Bugs: []core.Bug{bug}})
				s.program.Locations = 4
				for seed := range uint64(seeds) {
					if h, report, err := s.run(t, seed); err != nil {
						if h == nil {
							t.Fatalf("seed %d: %v", seed, report)
						}
						t.Logf("seed %d", seed)
						return
					}
				}
				t.Errorf("%d runs keep %s", seeds, g.keeps.Name)
			})
		}
	}
}

// applies reports whether programs of an instruction set have what a bug is about.
func applies(bug core.Bug, isa gen.ISA) bool {
	switch bug {
	case core.AcquireIgnored, core.ReleaseIgnored, core.DependencyIgnored, core.AtomicOrderIgnored, core.ReservationIgnored:
		return isa != gen.X86
	}
	return true
}

// Instruction sets that have an edge.
var (
	others    = []gen.ISA{gen.AArch64, gen.RISCV64, gen.RISCV64A}
	annotated = []gen.ISA{gen.AArch64, gen.RISCV64A}
	riscv     = []gen.ISA{gen.RISCV64, gen.RISCV64A}
	aarch64   = []gen.ISA{gen.AArch64}
)

// edges are ways in which an operation of an instruction set may be ordered with
// the one before it, besides fences.
var edges = []struct {
	name string
	isa  []gen.ISA // all if empty
	make func(from, to *gen.Op) (fence gen.Op, ok bool)
}{
	{"po", nil, func(_, _ *gen.Op) (gen.Op, bool) { return gen.Op{}, true }},
	{"addr", others, depends(gen.DepAddress)},
	{"data", others, depends(gen.DepData)},
	{"ctrl", others, depends(gen.DepControl)},
	{"ctrlisb", aarch64, func(from, _ *gen.Op) (gen.Op, bool) {
		return gen.Op{Kind: gen.PartialFence, Value: gen.InstructionBarrier, Dep: gen.DepControl, Back: 1}, from.Kind == gen.Load
	}},
	{"acquire", annotated, func(from, _ *gen.Op) (gen.Op, bool) {
		from.Attr |= gen.Acquire
		return gen.Op{}, from.Kind == gen.Load && from.Attr&gen.AcquirePC == 0
	}},
	{"acquirepc", aarch64, func(from, _ *gen.Op) (gen.Op, bool) {
		from.Attr |= gen.AcquirePC
		return gen.Op{}, from.Kind == gen.Load && from.Attr == gen.AcquirePC
	}},
	{"release", annotated, func(_, to *gen.Op) (gen.Op, bool) {
		to.Attr |= gen.Release
		return gen.Op{}, to.Kind == gen.Store
	}},
	{"release-acquire", annotated, func(from, to *gen.Op) (gen.Op, bool) {
		from.Attr |= gen.Release
		to.Attr |= gen.Acquire
		return gen.Op{}, from.Kind == gen.Store && to.Kind == gen.Load
	}},
	{"release-acquirepc", aarch64, func(from, to *gen.Op) (gen.Op, bool) {
		from.Attr |= gen.Release
		to.Attr |= gen.AcquirePC
		return gen.Op{}, from.Kind == gen.Store && to.Kind == gen.Load
	}},
	{"fence", nil, func(_, _ *gen.Op) (gen.Op, bool) { return gen.Op{Kind: gen.FullFence}, true }},
	{"fence r.rw", others, partial("r.rw")},
	{"fence w.w", others, partial("w.w")},
	{"fence tso", riscv, partial("tso")},
	{"fence w.r", riscv, partial("w.r")},
	{"fence rw.w", riscv, partial("rw.w")},
	{"atomic", nil, func(_, to *gen.Op) (gen.Op, bool) {
		store := to.Kind == gen.Store
		to.Kind = gen.Exchange
		return gen.Op{}, store
	}},
}

func depends(kind gen.DepKind) func(from, to *gen.Op) (gen.Op, bool) {
	return func(from, to *gen.Op) (gen.Op, bool) {
		to.Dep, to.Back = kind, 1
		return gen.Op{}, from.Kind == gen.Load && (kind != gen.DepData || to.Kind == gen.Store)
	}
}

func partial(name string) func(from, to *gen.Op) (gen.Op, bool) {
	return func(_, _ *gen.Op) (gen.Op, bool) {
		return gen.Op{Kind: gen.PartialFence, Value: gen.FenceByName(name)}, true
	}
}

// decorate is a shape as a program of one round, with a random edge between any two
// operations of a thread that follow one another, and its name.
func decorate(rng *rand.Rand, s *shapes.Shape, isa gen.ISA) (*gen.Program, string) {
	p := shapeProgram(s, rng)
	p.ISA = isa
	name := s.Name
	for t, ops := range p.Threads {
		thread := ops[1:2:2] // without the delay
		for _, to := range ops[2:] {
			from := &thread[len(thread)-1]
			for {
				e := edges[rng.IntN(len(edges))]
				before, after := *from, to
				fence, ok := e.make(&before, &after)
				if !ok || len(e.isa) > 0 && !slices.Contains(e.isa, isa) {
					continue
				}
				*from = before
				if fence.Kind != gen.OpUnknown {
					thread = append(thread, fence)
				}
				thread, name = append(thread, after), name+"+"+e.name
				break
			}
		}
		p.Threads[t] = thread
	}
	return p, name
}

// outcome is what a run of one round read and left in memory.
type outcome string

// outcomes are those of a program that a model allows.
func outcomes(t testing.TB, p *gen.Program, m model.Model) map[outcome]bool {
	t.Helper()
	values := make([][]gen.Value, len(p.Locations)) // of each location
	for l := range values {
		values[l] = []gen.Value{0}
	}
	var reads []gen.LocID
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Reads() {
				reads = append(reads, op.Loc)
			}
			if op.Kind.Writes() {
				values[op.Loc] = append(values[op.Loc], op.Value)
			}
		}
	}
	for l := range p.Locations {
		reads = append(reads, gen.LocID(l)) // the end
	}
	allowed := map[outcome]bool{}
	choice := make([]int, len(reads))
	for {
		got := make([]gen.Value, len(reads))
		for i, l := range reads {
			got[i] = values[l][choice[i]]
		}
		if h, err := parse.Native(p, 1, logOf(p, got)); err == nil {
			v, err := check.Check(t.Context(), h, m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Answer == check.Allowed { // one that reads from itself is undecided
				allowed[outcome(fmt.Sprint(got))] = true
			}
		}
		i := 0
		for ; i < len(choice); i++ {
			if choice[i]++; choice[i] < len(values[reads[i]]) {
				break
			}
			choice[i] = 0
		}
		if i == len(choice) {
			return allowed
		}
	}
}

// logOf is the log of a run that read such values, those at the end last.
func logOf(p *gen.Program, values []gen.Value) (log sim.Log) {
	w := wire.NewWriter(p, 1)
	for t := range p.Threads {
		n := p.Reads(gen.ThreadID(t))
		log = w.AppendThread(log, gen.ThreadID(t), values[:n])
		values = values[n:]
	}
	return w.AppendFinal(log, values)
}

// TestDecoratedShapes runs critical cycles with the edges of an instruction set
// between their operations: each outcome that the model allows is seen, and no
// other.
func TestDecoratedShapes(t *testing.T) {
	programs, most := scale.Of(1, 3, 400), scale.Of[uint64](20_000, 20_000, 200_000)
	for _, g := range targets {
		t.Run(g.kind.String()+"/"+g.isa.String(), func(t *testing.T) {
			t.Parallel()
			r, err := builtin.New(builtin.Options{Core: g.kind})
			if err != nil {
				t.Fatal(err)
			}
			runs := uint64(0)
			for n := range programs {
				for i, s := range shapes.Base() {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(i)))
					p, name := decorate(rng, &s, g.isa)
					if err := p.Validate(); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					runs += showsAll(t, r, p, name, g.keeps, most)
				}
			}
			t.Logf("%d programs, %d runs", programs*len(shapes.Base()), runs)
		})
	}
}

// showsAll runs a program until all outcomes that a model allows have been seen,
// and counts the runs.
func showsAll(t *testing.T, r *builtin.Runner, p *gen.Program, name string, m model.Model, most uint64) uint64 {
	t.Helper()
	allowed := outcomes(t, p, m)
	missing := len(allowed)
	seen := map[outcome]bool{}
	bare := p.Threads
	delayed := *p
	for seed := range most {
		if missing == 0 {
			return seed
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		delayed.Threads = nil
		for _, ops := range bare {
			delayed.Threads = append(delayed.Threads, append([]gen.Op{{Kind: gen.Delay, Value: 1 + gen.Value(rng.IntN(100))}}, ops...))
		}
		report, err := r.Simulate(t.Context(), sim.Job{Program: &delayed, Rounds: 1, Seed: seed})
		if err != nil || report.Outcome != sim.Passed {
			t.Fatalf("%s, seed %d: %v %s: %s", name, seed, err, report.Outcome, report.Title)
		}
		h, err := parse.Native(&delayed, 1, report.Log)
		if err != nil {
			t.Fatal(err)
		}
		got := outcomeOf(h)
		if !allowed[got] {
			t.Fatalf("%s, seed %d: %s forbids %s\n%s", name, seed, m.Name, got, p.Text())
		}
		if !seen[got] {
			seen[got] = true
			missing--
		}
	}
	for o := range allowed {
		if !seen[o] {
			t.Errorf("%s: %s is not seen in %d runs, allowed by %s\n%s", name, o, most, m.Name, p.Text())
		}
	}
	return most
}

// outcomeOf is the outcome of a history.
func outcomeOf(h *parse.History) outcome {
	var got []gen.Value
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.Attr&parse.Conditional == 0 {
			got = append(got, op.Read)
		}
	}
	for _, last := range h.Final {
		if last == parse.Init {
			got = append(got, 0)
		} else {
			got = append(got, h.Ops[last].Write)
		}
	}
	return outcome(fmt.Sprint(got))
}
