package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/gen/shapes"
)

// randomOptions draws options from the whole range of valid ones.
func randomOptions(rng *rand.Rand) gen.Options {
	o := gen.Options{
		Threads: 1 + rng.IntN(8), Ops: 1 + rng.IntN(60), Locations: 1 + rng.IntN(40),
		Mix:    gen.Mix{Load: rng.IntN(5), Store: 1 + rng.IntN(5), Exchange: rng.IntN(3), Add: rng.IntN(3), Fence: rng.IntN(3)},
		Layout: gen.Layout(rng.IntN(5)),
	}
	for _, share := range []*float64{&o.Delays, &o.Locality, &o.ShapeShare} {
		if rng.IntN(3) > 0 {
			*share = rng.Float64()
		}
	}
	o.MaxDelay = 1 + gen.Value(rng.IntN(50))
	return o
}

// TestRandom checks on many options what Random promises: a valid program of
// the size asked for, and the same one again with the same use of randomness.
func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		o := randomOptions(rand.New(rand.NewPCG(seed, 1)))
		rng, again := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 2))
		p, err := gen.Random(rng, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		q, err := gen.Random(again, o)
		if err != nil {
			t.Fatalf("seed %d again: %v", seed, err)
		}
		if !bytes.Equal(p.Text(), q.Text()) {
			t.Errorf("seed %d: two programs of one seed", seed)
		}
		if rng.Uint64() != again.Uint64() {
			t.Errorf("seed %d: randomness used differently", seed)
		}
		if len(p.Threads) != o.Threads || len(p.Locations) != o.Locations {
			t.Errorf("seed %d: %d threads, %d locations", seed, len(p.Threads), len(p.Locations))
		}
		for id, ops := range p.Threads {
			if len(ops) != o.Ops {
				t.Errorf("seed %d: thread %d has %d operations, want %d", seed, id, len(ops), o.Ops)
			}
			for _, op := range ops {
				if op.Kind == gen.Delay && (o.Delays == 0 || op.Value > o.MaxDelay) {
					t.Errorf("seed %d: %s", seed, p.OpText(op))
				}
			}
		}
		if o.Layout != gen.AnyLayout && p.Layout != o.Layout {
			t.Errorf("seed %d: layout %s, want %s", seed, p.Layout, o.Layout)
		}
		other, err := gen.Random(rand.New(rand.NewPCG(seed, 3)), o)
		if err == nil && p.Ops() > 20 && bytes.Equal(p.Text(), other.Text()) {
			t.Errorf("seed %d: the seed does not matter", seed)
		}
	}
}

// TestRandomGolden pins one small program, so that a change of generator that
// invalidates recorded seeds does not go unnoticed.
func TestRandomGolden(t *testing.T) {
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.ShapeShare = 2, 8, 3, 0.6
	p, err := gen.Random(rand.New(rand.NewPCG(7, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden, p.String()); diff != "" {
		t.Errorf("seeds mean other programs than before (-want +got):\n%s", diff)
	}
}

// TestPlanting checks that shapes really are in the code: with nothing else
// to do every thread's code is the shape's, apart from leftovers.
func TestPlanting(t *testing.T) {
	for _, s := range shapes.All() {
		o := gen.Defaults()
		o.Threads, o.Locations, o.Ops = len(s.Threads), s.Locations, 0
		for _, ops := range s.Threads {
			o.Ops = max(o.Ops, len(ops))
		}
		o.Delays, o.ShapeShare, o.Shapes = 0, 1, []string{s.Name}
		p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		if !contains(p, s) {
			t.Errorf("%s is not in\n%s", s.Name, p)
		}
	}
}

// contains tries to find each thread of the shape, with one mapping of
// locations, somewhere in a thread of its own.
func contains(p *gen.Program, s shapes.Shape) bool {
	kinds := map[shapes.Kind]gen.OpKind{shapes.Load: gen.Load, shapes.Store: gen.Store, shapes.Exchange: gen.Exchange, shapes.Fence: gen.FullFence}
	var search func(i int, used map[int]bool, locs map[int]gen.LocID) bool
	search = func(i int, used map[int]bool, locs map[int]gen.LocID) bool {
		if i == len(s.Threads) {
			return true
		}
		for t, ops := range p.Threads {
			for at := 0; !used[t] && at+len(s.Threads[i]) <= len(ops); at++ {
				next := map[int]gen.LocID{}
				taken := map[gen.LocID]int{}
				for k, v := range locs {
					next[k], taken[v] = v, k
				}
				ok := true
				for k, op := range s.Threads[i] {
					got := ops[at+k]
					ok = ok && got.Kind == kinds[op.Kind]
					if op.Kind == shapes.Fence {
						continue
					}
					have, bound := next[op.Loc]
					owner, claimed := taken[got.Loc]
					ok = ok && (!bound || have == got.Loc) && (!claimed || owner == op.Loc)
					next[op.Loc], taken[got.Loc] = got.Loc, op.Loc
				}
				used[t] = true
				if ok && search(i+1, used, next) {
					return true
				}
				used[t] = false
			}
		}
		return false
	}
	return search(0, map[int]bool{}, map[int]gen.LocID{})
}

// TestShares checks the shares that options ask for, on a large program.
func TestShares(t *testing.T) {
	o := gen.Defaults()
	o.Ops, o.Delays, o.ShapeShare, o.Locality = 20000, 0.25, 0, 0
	o.Mix = gen.Mix{Load: 60, Fence: 20, Add: 20}
	p, err := gen.Random(rand.New(rand.NewPCG(3, 3)), o)
	if err != nil {
		t.Fatal(err)
	}
	count := map[gen.OpKind]int{}
	perLocation := make([]int, o.Locations)
	for _, ops := range p.Threads {
		for _, op := range ops {
			count[op.Kind]++
			if op.Kind == gen.Load {
				perLocation[op.Loc]++
			}
		}
	}
	near := func(what string, got int, want float64) {
		if f := float64(got); f < want*0.95 || f > want*1.05 {
			t.Errorf("%s: %d, want about %.0f", what, got, want)
		}
	}
	near("delays", count[gen.Delay], 20000)
	near("loads", count[gen.Load], 36000)
	near("fences", count[gen.FullFence], 12000)
	near("adds", count[gen.FetchAdd], 12000)
	for l, n := range perLocation {
		near(fmt.Sprintf("loads of location %d", l), n, 36000.0/8)
	}

	// Stores only in shapes: their number gives the share that was planted.
	o = gen.Defaults()
	o.Mix, o.Delays, o.ShapeShare, o.Shapes = gen.Mix{Load: 1}, 0, 0.5, []string{"SB"}
	if p, err = gen.Random(rand.New(rand.NewPCG(3, 4)), o); err != nil {
		t.Fatal(err)
	}
	stores := strings.Count(p.String(), "store")
	near("stores of SB", stores, 800*0.5/2)
}

func TestOptionFaults(t *testing.T) {
	nan := func() float64 { zero := 0.0; return zero / zero }()
	bad := gen.Options{Threads: 65, Ops: -1, Mix: gen.Mix{Load: -1, Fence: 1}, Delays: 1, Layout: 9, Locality: nan, ShapeShare: 1.5}
	few := gen.Defaults()
	few.Threads, few.Locations, few.Ops, few.Shapes, few.MaxDelay = 1, 1, 1, []string{"IRIW", "CoRR", "CoWW", "XX"}, 0
	many := gen.Defaults()
	many.Threads, many.Ops = gen.MaxThreads, gen.MaxOps/gen.MaxThreads+1
	none := gen.Defaults()
	none.ShapeShare, none.Shapes = 0, []string{"SB", "MP"}
	for _, test := range []struct {
		o    gen.Options
		want string
	}{
		{gen.Options{}, "--threads 0: want 1 to 64\n--ops 0: want 1 to 67108864\n--locations 0: want 1 to 65536\n" +
			"--mix load=0,store=0,exchange=0,add=0,fence=0: no weight on any memory access"},
		{bad, "--threads 65: want 1 to 64\n--ops -1: want 1 to 67108864\n--locations 0: want 1 to 65536\n" +
			"--delays 1: want 0 to below 1\n--locality NaN: want 0 to 1\n--shape-share 1.5: want 0 to 1\n" +
			"--mix load=-1: want 0 to 1048576\n--mix load=-1,fence=1: no weight on any memory access\n" +
			"--max-delay 0: want 1 to 1048576 with --delays 1\n--layout: unknown layout 9"},
		{few, "--max-delay 0: want 1 to 1048576 with --delays 0.02\n" +
			"--shapes IRIW: needs 4 threads, --threads is 1\n--shapes IRIW: needs 2 locations, --locations is 1\n" +
			"--shapes IRIW: needs 2 operations in a thread, --ops is 1\n" +
			"--shapes CoRR: needs 2 threads, --threads is 1\n--shapes CoRR: needs 2 operations in a thread, --ops is 1\n" +
			"--shapes CoWW: needs 2 operations in a thread, --ops is 1\n--shapes XX: unknown shape"},
		{many, "--ops 1048577: want 1 to 1048576"},
		{none, "--shapes SB,MP: nothing is planted with --shape-share 0"},
	} {
		_, err := gen.Random(rand.New(rand.NewPCG(1, 1)), test.o)
		if err == nil {
			t.Errorf("no error for %+v", test.o)
			continue
		}
		got := strings.ReplaceAll(err.Error(), "generate program: ", "")
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	}
}

// TestOptionLimits compares the tags of Options with the constants behind them.
func TestOptionLimits(t *testing.T) {
	want := map[string]float64{
		"threads": gen.MaxThreads, "ops": gen.MaxOps, "locations": gen.MaxLocations, "max-delay": float64(gen.MaxDelay), "transaction": gen.MaxOps,
	}
	for _, o := range option.Of(reflect.TypeFor[gen.Options]()) {
		if limit, ok := want[o.Name]; ok && *o.Max != limit {
			t.Errorf("%s: at most %v, want %v", o.Name, *o.Max, limit)
		}
		if o.Help == "" {
			t.Errorf("%s: no line of help", o.Name)
		}
	}
}

// TestOptionsJSON writes options as text and reads them back.
func TestOptionsJSON(t *testing.T) {
	want := gen.Defaults()
	want.Layout, want.Shapes = gen.Pairs, []string{"SB"}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got gen.Options
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(want)); diff != "" {
		t.Errorf("%s: %s", data, diff)
	}
	if err := json.Unmarshal([]byte(`{"layout": "any", "mix": "load=1"}`), &got); err != nil || got.Layout != gen.AnyLayout {
		t.Errorf("layout %v, %v", got.Layout, err)
	}
}

func TestMix(t *testing.T) {
	m := gen.Mix{Load: 5, Store: 4, Exchange: 3, Add: 2, Fence: 1}
	const text = "load=5,store=4,exchange=3,add=2,fence=1"
	if m.String() != text {
		t.Errorf("mix %s", m)
	}
	for text, want := range map[string]gen.Mix{text: m, "store=2, load=1": {Load: 1, Store: 2}} {
		if got, err := gen.ParseMix(text); err != nil || got != want {
			t.Errorf("ParseMix(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "load", "load=x", "load=-1", "delay=1", "load=1,load=1", "load=1,"} {
		if m, err := gen.ParseMix(text); err == nil {
			t.Errorf("ParseMix(%q) = %v", text, m)
		}
	}
}

func TestLocationName(t *testing.T) {
	for l, want := range map[gen.LocID]string{0: "x", 2: "z", 3: "a", 25: "w", 26: "v1", 27: "v2"} {
		if got := gen.LocationName(l); got != want {
			t.Errorf("location %d is %s, want %s", l, got, want)
		}
	}
}

const golden = `ordeal-program 1
layout pairs
locations x y z
thread 0
load z
fence
delay 30
load z
load x
load y
exchange z 1
store x 2
thread 1
load z
fence
store x 3
store z 4
delay 26
exchange z 5
exchange y 6
load z
`
