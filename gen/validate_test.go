package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

func TestValidate(t *testing.T) {
	threads := func(n int) func(*gen.Program) {
		return func(p *gen.Program) { p.Threads = make([][]gen.Op, n) }
	}
	op := func(op gen.Op) func(*gen.Program) {
		return func(p *gen.Program) { p.Threads[1] = append(p.Threads[1], op) }
	}
	names := func(names ...string) func(*gen.Program) {
		return func(p *gen.Program) { p.Locations = append(p.Locations, names...) }
	}
	tests := []struct {
		name   string
		change func(*gen.Program)
		want   string // after "validate program: "; empty for a valid program
	}{
		{"sample", func(*gen.Program) {}, ""},
		{"64 threads", threads(64), ""},
		{"65 threads", threads(65), "65 threads: want 1 to 64"},
		{"no threads", threads(0), "0 threads: want 1 to 64"},
		{"no layout", func(p *gen.Program) { p.Layout = gen.AnyLayout }, "unknown layout 0"},
		{"layout 9", func(p *gen.Program) { p.Layout = 9 }, "unknown layout 9"},
		{"largest store", op(gen.Op{Kind: gen.Store, Value: 1<<36 - 1}), ""},
		{"store too large", op(gen.Op{Kind: gen.Store, Value: 1 << 36}),
			"thread 1 operation 0 (store x 68719476736): value 68719476736: want 1 to 68719476735"},
		{"largest addend", op(gen.Op{Kind: gen.FetchAdd, Loc: 1, Value: 1<<28 - 1}), ""},
		{"store of 0", op(gen.Op{Kind: gen.Store}), "thread 1 operation 0 (store x 0): value 0: want 1 to 68719476735"},
		{"negative location", op(gen.Op{Kind: gen.Load, Loc: -1}), "thread 1 operation 0 (load location -1): location -1 of 2"},
		{"location too large", op(gen.Op{Kind: gen.Load, Loc: 2}), "thread 1 operation 0 (load location 2): location 2 of 2"},
		{"load with value", op(gen.Op{Kind: gen.Load, Value: 3}), "thread 1 operation 0 (load x): value 3 where the operation has none"},
		{"fence with location", op(gen.Op{Kind: gen.FullFence, Loc: 1}), "thread 1 operation 0 (fence): location 1 where the operation has none"},
		{"unknown kind", op(gen.Op{Kind: 77}), "thread 1 operation 0 (unknown): unknown kind 77"},
		{"zero kind", op(gen.Op{}), "thread 1 operation 0 (unknown): unknown kind 0"},
		{"repeated value", op(gen.Op{Kind: gen.Store, Value: 2}), "thread 1 operation 0 (store x 2): value repeats thread 0 operation 2"},
		{"addend equal to value", op(gen.Op{Kind: gen.FetchAdd, Value: 2}), ""},
		{"repeated name", names("x"), "location x is named twice"},
		{"good names", names("_", "A9_z", strings.Repeat("n", 64)), ""},
		{"empty name", names(""), badName("")},
		{"name with space", names("a b"), badName("a b")},
		{"digit first", names("9a"), badName("9a")},
		{"long name", names(strings.Repeat("n", 65)), badName(strings.Repeat("n", 65))},
		{"non-ASCII name", names("ä"), badName("ä")},
		{"no locations", func(p *gen.Program) { p.Locations, p.Threads = nil, make([][]gen.Op, 1) }, "0 locations: want 1 to 65536"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := sample()
			test.change(p)
			got, want := "", ""
			if err := p.Validate(); err != nil {
				got = err.Error()
			}
			if test.want != "" {
				want = "validate program: " + test.want
			}
			// Of several faults the test's own is the first.
			got, _, _ = strings.Cut(got, "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func badName(name string) string {
	return fmt.Sprintf("location name %q: want letters, digits and _, no digit first, at most 64 bytes", name)
}

// TestMaxRounds checks the bound on rounds against its definition: the
// largest value stored in the last round is below AddUnit, and all additions
// to one location stay below 2^28 units.
func TestMaxRounds(t *testing.T) {
	store := gen.Op{Kind: gen.Store, Value: 1<<20 - 1} // stride 2^20
	add := func(loc gen.LocID, a gen.Value) gen.Op { return gen.Op{Kind: gen.FetchAdd, Loc: loc, Value: a} }
	tests := []struct {
		ops  []gen.Op
		want int
	}{
		{nil, 1 << 36},
		{[]gen.Op{store}, 1 << 16},
		{[]gen.Op{add(0, 1)}, 1<<28 - 1},
		{[]gen.Op{add(0, 1), add(0, 3)}, 1<<26 - 1},
		{[]gen.Op{add(0, 1), add(1, 3)}, (1<<28 - 1) / 3},
		{[]gen.Op{store, add(0, 1<<11), add(0, 1<<12)}, 43690}, // floor((2^28-1)/6144)
		{[]gen.Op{add(0, 1<<28-1), add(0, 1)}, 0},
	}
	for _, test := range tests {
		p := &gen.Program{Layout: gen.Packed, Locations: []string{"x", "y"}, Threads: [][]gen.Op{test.ops}}
		got := p.MaxRounds()
		if got != test.want {
			t.Errorf("%v: %d rounds, want %d", test.ops, got, test.want)
		}
		if err := p.ValidateRounds(got); got > 0 && err != nil {
			t.Errorf("%v: %d rounds: %v", test.ops, got, err)
		}
		if err := p.ValidateRounds(got + 1); err == nil {
			t.Errorf("%v: %d rounds accepted", test.ops, got+1)
		}
		if err := p.ValidateRounds(0); err == nil {
			t.Errorf("%v: 0 rounds accepted", test.ops)
		}
	}
}
