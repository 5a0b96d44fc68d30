package litmus

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
)

// Programs of loads, stores, exchanges and fences survive being written as
// tests, however many results a thread has; only their constants are numbered
// anew, and the test remembers what they were.
func TestEmitted(t *testing.T) {
	long := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, err := gen.Random(rng, gen.Options{
			Threads: 1 + rng.IntN(4), Ops: 1 + rng.IntN(40), Locations: 1 + rng.IntN(5), Layout: gen.Spread,
			Mix: gen.Mix{Load: 5, Store: 4, Exchange: 2, Fence: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := emit.Emit(&out, "t", p, nil); err != nil {
			t.Fatal(err)
		}
		test, err := Parse("t", out.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, out.String())
		}
		got := test.Program
		number := map[string]gen.LocID{}
		for l, name := range p.Locations {
			number[name] = gen.LocID(l)
		}
		reads, final := make([][]gen.Value, len(p.Threads)), make([]gen.Value, len(got.Locations))
		for thread, ops := range got.Threads {
			for i := range ops {
				op := &ops[i]
				if op.Kind.Reads() { // some value of the location, as the test's program has it
					reads[thread] = append(reads[thread], stored(rng, got, op.Loc))
				}
			}
		}
		for l := range final {
			final[l] = stored(rng, got, gen.LocID(l))
		}

		shown := test.State(reads, final)
		for thread := range reads {
			long += len(reads[thread]) / 15
		}
		results, all := 0, 0
		for i, v := range test.Seen {
			in, from, held := test.holds(v)
			want := int64(0)
			if held {
				want = test.values[reads[in][from.index]]
				results++
			} else {
				want = test.values[final[test.location(v.Name)]]
			}
			if shown.Values[i] != want {
				t.Fatalf("seed %d: %s is %d, want %d", seed, v, shown.Values[i], want)
			}
		}
		for thread := range reads {
			all += len(reads[thread])
		}
		if results < all { // each read is in a register or location
			t.Fatalf("seed %d: %d results of %d reads", seed, results, all)
		}
		// Back in terms of p.
		for thread, ops := range got.Threads {
			for i := range ops {
				if op := &ops[i]; op.Kind != gen.FullFence {
					op.Loc = number[got.Locations[op.Loc]]
					if op.Kind.Writes() {
						op.Value = gen.Value(test.values[op.Value])
					}
				}
			}
			if diff := cmp.Diff(p.Threads[thread], ops, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: thread %d: %s", seed, thread, diff)
			}
		}
		if len(got.Locations) != len(p.Locations) {
			t.Fatalf("seed %d: locations %v of %v", seed, got.Locations, p.Locations)
		}
	}
	if long == 0 {
		t.Error("no thread had more results than registers")
	}
}

// stored is a value that a location may have, 0 among them.
func stored(rng *rand.Rand, p *gen.Program, loc gen.LocID) gen.Value {
	list := []gen.Value{0}
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Writes() && op.Loc == loc {
				list = append(list, op.Value)
			}
		}
	}
	return list[rng.IntN(len(list))]
}

// Programs of other instruction sets survive, with all but additions. RISC-V is read
// as of Zalasr where a load acquires or a store releases.
func TestEmittedInstructionSets(t *testing.T) {
	refused := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		isa := []gen.ISA{gen.AArch64, gen.RISCV64, gen.RISCV64A}[seed%3]
		p, err := gen.Random(rng, gen.Options{
			ISA: isa, Threads: 1 + rng.IntN(4), Ops: 1 + rng.IntN(30), Locations: 1 + rng.IntN(5), Layout: gen.Spread,
			Mix:         gen.Mix{Load: 5, Store: 4, Exchange: 2, Fence: 1, Pair: 1},
			Annotations: 0.3, PartialFences: 0.5, Dependencies: 0.5,
		})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := emit.Emit(&out, "t", p, nil); err != nil {
			if refused++; !strings.Contains(err.Error(), "locations and results") {
				t.Fatal(err)
			}
			continue
		}
		test, err := Parse("t", out.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, out.String())
		}
		got := test.Program
		want := isa
		if annotated := strings.Contains(out.String(), " lw.") || strings.Contains(out.String(), " sw."); isa == gen.RISCV64A && !annotated {
			want = gen.RISCV64
		}
		if got.ISA != want {
			t.Fatalf("seed %d: instruction set %s, want %s", seed, got.ISA, want)
		}
		for thread, ops := range got.Threads {
			for i := range ops {
				op := &ops[i]
				if op.Kind.Reads() || op.Kind.Writes() {
					op.Loc = gen.LocID(slices.Index(p.Locations, got.Locations[op.Loc]))
				}
				if op.Kind.Writes() {
					op.Value = gen.Value(test.values[op.Value])
				}
			}
			if diff := cmp.Diff(p.Threads[thread], ops, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: thread %d: %s\n%s", seed, thread, diff, out.String())
			}
		}
	}
	if refused > 30 {
		t.Errorf("%d programs have too many results", refused)
	}
}
