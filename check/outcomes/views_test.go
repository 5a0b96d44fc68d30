package outcomes

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

// machineOf is the machine and the model of an instruction set.
func machineOf(isa gen.ISA) (Machine, model.Model) {
	if isa == gen.AArch64 {
		return Armv8, model.Armv8
	}
	return RVWMO, model.RVWMO
}

// TestViews compares the outcomes of the machines of Armv8 and RVWMO with those that
// the procedures allow, on random programs with annotations, dependencies, fences
// and atomic instructions of all kinds.
func TestViews(t *testing.T) {
	programs, outcomes, different := 0, 0, 0
	for seed := range uint64(scale.Of(150, 250, 20_000)) {
		random := rand.New(rand.NewPCG(seed, 11))
		p := annotated(random, []gen.ISA{gen.AArch64, gen.RISCV64, gen.RISCV64A}[seed%3])
		machine, m := machineOf(p.ISA)
		want, err := Candidates(p, 1<<12, func(h *parse.History) (bool, error) {
			v, err := check.Check(t.Context(), h, m, check.Options{})
			return v.Answer == check.Allowed, err
		})
		if err != nil {
			continue // too large
		}
		got := enumerate(t, p, machine)
		programs++
		outcomes += len(got)
		if keys(got) == keys(want) {
			continue
		}
		if different++; different < 5 {
			t.Errorf("seed %d: the machine reaches %v, %s allows %v of\n%s", seed, without(got, want), m.Name, without(want, got), p.Text())
		}
	}
	t.Logf("%d programs, %d outcomes, %d programs differ", programs, outcomes, different)
}

// annotated is a random program of two or three threads with up to seven operations
// of an instruction set.
func annotated(random *rand.Rand, isa gen.ISA) *gen.Program {
	p := &gen.Program{ISA: isa, Layout: gen.Spread, Locations: []string{"x", "y"}, Threads: make([][]gen.Op, 2+random.IntN(2))}
	kinds := []gen.OpKind{
		gen.Load, gen.Load, gen.Load, gen.Store, gen.Store, gen.Store, gen.Exchange, gen.LoadLinked,
		gen.StoreConditional, gen.FullFence, gen.PartialFence, gen.PartialFence,
	}
	fences := []string{"r.r", "r.w", "w.r", "w.w", "r.rw", "w.rw", "rw.r", "rw.w", "tso", "isync"}
	value := gen.Value(1)
	for range 4 + random.IntN(4) {
		thread := &p.Threads[random.IntN(len(p.Threads))]
		op := gen.Op{Kind: kinds[random.IntN(len(kinds))]}
		switch {
		case op.Kind == gen.PartialFence:
			op.Value = gen.FenceByName(fences[random.IntN(len(fences))])
		case op.Kind != gen.FullFence:
			op.Loc, op.Attr = gen.LocID(random.IntN(2)), gen.Attr(random.IntN(8))
		}
		if op.Kind.Writes() {
			op.Value = value
			value++
		}
		if at := len(*thread); at > 0 && random.IntN(2) == 0 {
			op.Back, op.Dep = uint8(1+random.IntN(at)), gen.DepKind(1+random.IntN(7))
		}
		*thread = append(*thread, op)
		if p.Validate() != nil { // without what the instruction set lacks
			last := &(*thread)[len(*thread)-1]
			last.Attr = 0
			if p.Validate() != nil {
				last.Dep, last.Back = 0, 0
			}
			if p.Validate() != nil {
				*thread = (*thread)[:len(*thread)-1]
			}
		}
	}
	return p
}

func keys(list []Outcome) string {
	var all []string
	for i := range list {
		all = append(all, list[i].Key())
	}
	slices.Sort(all)
	return strings.Join(all, "|")
}

// without lists the outcomes of a that are not in b.
func without(a, b []Outcome) (rest []Outcome) {
	for i := range a {
		if !slices.ContainsFunc(b, func(o Outcome) bool { return o.Key() == a[i].Key() }) {
			rest = append(rest, a[i])
		}
	}
	return rest
}

func TestViewsRefuse(t *testing.T) {
	retried := code(t, gen.RISCV64, "load-linked x; store-conditional x 1; load-linked x retry; store-conditional x 1 retry")
	for name, p := range map[string]*gen.Program{
		"x86": code(t, gen.X86, "store x 1"), "arm": code(t, gen.AArch64, "store x 1"), "retry": retried,
	} {
		if _, err := Enumerate(p, RVWMO, 10); !errors.Is(err, ErrProgram) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Enumerate(code(t, gen.RISCV64, "store x 1; load x"), RVWMO, 2); !errors.Is(err, ErrLimit) {
		t.Errorf("limit: %v", err)
	}
}

// TestViewsFences puts a fence of one pair of kinds between the two operations of each thread
// of SB, MP and LB: the outcome that closes the cycle is reached unless both threads
// have the fence that orders their two operations.
func TestViewsFences(t *testing.T) {
	for _, shape := range []struct {
		threads [2][2]string
		orders  [2]string // the fences that order the operations of the threads
		reads   [2][]gen.Value
	}{
		{[2][2]string{{"store x 1", "load y"}, {"store y 2", "load x"}}, [2]string{"w.r", "w.r"}, [2][]gen.Value{{0}, {0}}},
		{[2][2]string{{"store x 1", "store y 2"}, {"load y", "load x"}}, [2]string{"w.w", "r.r"}, [2][]gen.Value{nil, {2, 0}}},
		{[2][2]string{{"load x", "store y 1"}, {"load y", "store x 2"}}, [2]string{"r.w", "r.w"}, [2][]gen.Value{{2}, {1}}},
	} {
		fences := []string{"r.r", "r.w", "w.r", "w.w"}
		for _, first := range fences {
			for _, second := range fences {
				text := strings.Join(shape.threads[0][:], "; fence "+first+"; ") + "|" + strings.Join(shape.threads[1][:], "; fence "+second+"; ")
				reached := slices.ContainsFunc(enumerate(t, code(t, gen.RISCV64, text), RVWMO), func(o Outcome) bool {
					return slices.Equal(o.Reads[0], shape.reads[0]) && slices.Equal(o.Reads[1], shape.reads[1])
				})
				if ordered := first == shape.orders[0] && second == shape.orders[1]; reached == ordered {
					t.Errorf("%s: reached %v", text, reached)
				}
			}
		}
	}
}
