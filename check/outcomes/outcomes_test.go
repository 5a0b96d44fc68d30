package outcomes

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim"
)

const limit = 1 << 20

func enumerate(t *testing.T, p *gen.Program, m Machine) []Outcome {
	t.Helper()
	list, err := Enumerate(p, m, limit)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCounts compares with outcomes counted by hand.
func TestCounts(t *testing.T) {
	for _, row := range []struct {
		text         string
		sc, tso, pso int
	}{
		{"thread 0\nstore x 1\n", 1, 1, 1},
		// Store buffering: the loads return 01, 10, 11, and 00 with buffers.
		{"thread 0\nstore x 1\nload y\nthread 1\nstore y 2\nload x\n", 3, 4, 4},
		{"thread 0\nstore x 1\nfence\nload y\nthread 1\nstore y 2\nfence\nload x\n", 3, 3, 3},
		{"thread 0\nexchange x 1\nload y\nthread 1\nexchange y 2\nload x\n", 3, 3, 3},
		// Message passing: 00, 01, 11, and 10 where stores pass each other.
		{"thread 0\nstore x 1\nstore y 2\nthread 1\nload y\nload x\n", 3, 3, 4},
		// Coherence: two loads of one location never see it go back.
		{"thread 0\nstore x 1\nthread 1\nload x\nload x\n", 3, 3, 3},
		// Forwarding: a thread sees its own store at once; the loads of y and x
		// are 01, 10, 11, and 00.
		{"thread 0\nstore x 1\nload x\nload y\nthread 1\nstore y 2\nload y\nload x\n", 3, 4, 4},
		// Two additions in either order: the first reads 0.
		{"thread 0\nadd x 1\nthread 1\nadd x 2\n", 2, 2, 2},
		// Two stores in either order are two final values.
		{"thread 0\nstore x 1\nthread 1\nstore x 2\n", 2, 2, 2},
		{"thread 0\nstore x 1\nstore y 2\nthread 1\nstore y 3\nstore x 4\n", 3, 3, 4},
	} {
		p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y\n"+row.text))
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range map[Machine]int{SC: row.sc, TSO: row.tso, PSO: row.pso} {
			if got := len(enumerate(t, p, m)); got != want {
				t.Errorf("machine %d has %d outcomes, want %d of\n%s", m, got, want, row.text)
			}
		}
	}
}

// TestShapes looks for the outcome that closes the cycle of every shape.
func TestShapes(t *testing.T) {
	for _, s := range shapes.All() {
		p := shapeProgram(s)
		want := shapeOutcome(s)
		for m, set := range map[Machine]shapes.Models{SC: shapes.SC, TSO: shapes.TSO, PSO: shapes.PSO} {
			found := slices.ContainsFunc(enumerate(t, p, m), func(o Outcome) bool { return matches(&o, &want) })
			if allowed := s.Allowed&set != 0; found != allowed {
				t.Errorf("%s on machine %d: reached %v, allowed %v", s.Name, m, found, allowed)
			}
		}
	}
}

// shapeProgram is a shape as a program.
func shapeProgram(s shapes.Shape) *gen.Program {
	p := &gen.Program{Layout: gen.Spread}
	for l := range s.Locations {
		p.Locations = append(p.Locations, string(rune('a'+l)))
	}
	kinds := map[shapes.Kind]gen.OpKind{shapes.Load: gen.Load, shapes.Store: gen.Store, shapes.Exchange: gen.Exchange}
	for _, ops := range s.Threads {
		var thread []gen.Op
		for _, op := range ops {
			if op.Kind == shapes.Fence {
				thread = append(thread, gen.Op{Kind: gen.FullFence})
				continue
			}
			thread = append(thread, gen.Op{Kind: kinds[op.Kind], Loc: gen.LocID(op.Loc), Value: gen.Value(op.Write)})
		}
		p.Threads = append(p.Threads, thread)
	}
	return p
}

// shapeOutcome is the outcome that closes a shape's cycle.
func shapeOutcome(s shapes.Shape) Outcome {
	want := Outcome{Final: make([]gen.Value, s.Locations)}
	for l, v := range s.Final {
		want.Final[l] = gen.Value(v)
	}
	for _, ops := range s.Threads {
		var reads []gen.Value
		for _, op := range ops {
			if op.Kind == shapes.Load || op.Kind == shapes.Exchange {
				reads = append(reads, gen.Value(op.Read))
			}
		}
		want.Reads = append(want.Reads, reads)
	}
	return want
}

// matches compares reads, and the final values that the second outcome names.
func matches(o, want *Outcome) bool {
	for l, v := range want.Final {
		if v != 0 && o.Final[l] != v {
			return false
		}
	}
	return slices.EqualFunc(o.Reads, want.Reads, slices.Equal)
}

// TestAgainstCheck checks every outcome that any values could make of small
// random programs, and requires the checker to allow those that the machine
// reaches.
func TestAgainstCheck(t *testing.T) {
	models := map[Machine]model.Model{SC: model.SC, TSO: model.TSO, PSO: model.PSO}
	checked := 0
	for seed := range uint64(40) {
		p := small(rand.New(rand.NewPCG(seed, 3)))
		for m, mod := range models {
			reached := map[string]bool{}
			for _, o := range enumerate(t, p, m) {
				reached[o.Key()] = true
			}
			allowed := 0
			candidates(p, func(o *Outcome) {
				checked++
				h, err := parse.Native(p, 1, logOf(p, o))
				if err != nil {
					if reached[o.Key()] {
						t.Fatalf("seed %d: machine %d reaches what is no history: %v", seed, m, err)
					}
					return
				}
				v, err := check.Check(t.Context(), h, mod, check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if v.Answer == check.Allowed {
					allowed++
				}
				if (v.Answer == check.Allowed) != reached[o.Key()] {
					t.Errorf("seed %d: %s is %v, the machine reaches it: %v\n%v %v of\n%s", seed, mod.Name, v.Answer, reached[o.Key()], o.Reads, o.Final, p.Text())
				}
			})
			if allowed != len(reached) {
				t.Errorf("seed %d: %s allows %d outcomes, the machine reaches %d of\n%s", seed, mod.Name, allowed, len(reached), p.Text())
			}
		}
	}
	t.Logf("%d outcomes checked", checked)
}

// small is a random program of two or three threads with five operations.
func small(random *rand.Rand) *gen.Program {
	p := &gen.Program{Layout: gen.Spread, Locations: []string{"x", "y"}, Threads: make([][]gen.Op, 2+random.IntN(2))}
	kinds := []gen.OpKind{gen.Load, gen.Load, gen.Store, gen.Store, gen.Store, gen.FullFence, gen.Exchange, gen.FetchAdd}
	for i := range 5 {
		op := gen.Op{Kind: kinds[random.IntN(len(kinds))]}
		if op.Kind != gen.FullFence {
			op.Loc = gen.LocID(random.IntN(2))
		}
		if op.Kind.Writes() {
			op.Value = gen.Value(i + 1)
		}
		if op.Kind == gen.FetchAdd { // one will do: sums multiply
			kinds = kinds[:6]
		}
		t := random.IntN(len(p.Threads))
		p.Threads[t] = append(p.Threads[t], op)
	}
	return p
}

// candidates visits all ways to give the reads of a program and the locations
// at the end a value that some write may have left.
func candidates(p *gen.Program, visit func(*Outcome)) {
	// Sums: of additions to a stored constant or to nothing.
	values := make([][]gen.Value, len(p.Locations))
	for l := range values {
		bases, sums := []gen.Value{0}, []gen.Value{0}
		for _, ops := range p.Threads {
			for _, op := range ops {
				switch {
				case int(op.Loc) != l || !op.Kind.Writes():
				case op.Kind == gen.FetchAdd:
					for _, s := range slices.Clone(sums) {
						sums = append(sums, s+op.Value*gen.AddUnit)
					}
				default:
					bases = append(bases, op.Value)
				}
			}
		}
		for _, b := range bases {
			for _, s := range sums {
				values[l] = append(values[l], b+s)
			}
		}
	}
	o := &Outcome{Reads: make([][]gen.Value, len(p.Threads)), Final: make([]gen.Value, len(p.Locations))}
	type slot struct {
		at  *gen.Value
		loc int
	}
	var slots []slot
	for t, ops := range p.Threads {
		o.Reads[t] = make([]gen.Value, p.Reads(gen.ThreadID(t)))
		n := 0
		for _, op := range ops {
			if op.Kind.Reads() {
				slots = append(slots, slot{&o.Reads[t][n], int(op.Loc)})
				n++
			}
		}
	}
	for l := range o.Final {
		slots = append(slots, slot{&o.Final[l], l})
	}
	var fill func(i int)
	fill = func(i int) {
		if i == len(slots) {
			visit(o)
			return
		}
		for _, v := range values[slots[i].loc] {
			*slots[i].at = v
			fill(i + 1)
		}
	}
	fill(0)
}

// logOf is the log of a run with that outcome.
func logOf(p *gen.Program, o *Outcome) sim.Log {
	w := wire.NewWriter(p, 1)
	var log sim.Log
	for t, reads := range o.Reads {
		log = w.AppendThread(log, gen.ThreadID(t), reads)
	}
	return w.AppendFinal(log, o.Final)
}

func TestLimit(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nload y\nthread 1\nstore y 2\nload x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Enumerate(p, TSO, 5); !errors.Is(err, ErrLimit) {
		t.Errorf("five states are enough: %v", err)
	}
	if _, err := Parse("rmo"); err == nil {
		t.Error("there is a machine for rmo")
	}
}
