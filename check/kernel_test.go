package check_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

// bruteKernel intersects all store orders that make h SC; ok is false when
// there is none.
func bruteKernel(h *parse.History) (count int, ok bool) {
	h = histgen.Clone(h)
	h.StoreOrder = make([][]parse.OpID, len(h.Locations))
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			h.StoreOrder[op.Loc] = append(h.StoreOrder[op.Loc], parse.OpID(i))
		}
	}
	var before map[check.WritePair]bool
	var permute func(x, k int)
	permute = func(x, k int) {
		if x == len(h.StoreOrder) {
			if !brute.Allowed(h, model.SC) {
				return
			}
			now := map[check.WritePair]bool{}
			for _, ws := range h.StoreOrder {
				for j, b := range ws {
					for _, a := range ws[:j] {
						if p := (check.WritePair{From: a, To: b}); before == nil || before[p] {
							now[p] = true
						}
					}
				}
			}
			before = now
			return
		}
		ws := h.StoreOrder[x]
		if k >= len(ws) {
			permute(x+1, 0)
			return
		}
		for i := k; i < len(ws); i++ {
			ws[k], ws[i] = ws[i], ws[k]
			permute(x, k+1)
			ws[k], ws[i] = ws[i], ws[k]
		}
	}
	permute(0, 0)
	return len(before), before != nil
}

func TestKernelAgainstBrute(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 0))
	for range scale.Of(100, 100, 500) {
		p := histgen.Params{Threads: 2 + rng.IntN(3), Ops: 5 + rng.IntN(4), Locations: 1 + rng.IntN(2), Writes: 0.4,
			RMWs: 0.1 * float64(rng.IntN(2))}
		h := histgen.Mutate(rng, histgen.Machine(rng, model.SC, p), rng.IntN(2))
		want, ok := bruteKernel(h)
		got, err := check.Kernel(context.Background(), h, check.Options{})
		if !ok {
			if !errors.Is(err, check.ErrNotSC) {
				t.Fatalf("not SC, but %v %v", got, err)
			}
			continue
		}
		if err != nil || got.Kernel != want {
			t.Fatalf("%+v %v, brute force: %d; %+v", got, err, want, h)
		}
		if sizes := []int{got.CCM, got.WSC, got.Kernel, got.Pairs}; !slices.IsSorted(sizes) {
			t.Fatalf("CCM, wSC, kernel and pairs are %v, want an ascending order; %+v", sizes, h)
		}
		if want := got.Kernel - got.WSC; len(got.Missed) != want {
			t.Fatalf("wSC misses %d pairs %v, want %d; %+v", len(got.Missed), got.Missed, want, h)
		}
	}
}

// ring is the family of the wSC paper's Figs. 3 (n = 2) and 4: x := 2 follows
// writes of y1 … yn, and x := 4 precedes, in n threads, another write of yi and
// a read of the first value of y(i+1). Were 2 before 4, the n reads would form
// a cycle through n conflicts.
func ring(n int) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	add := func(kind parse.Kind, x int, rf parse.OpID) parse.OpID {
		op := parse.Op{Kind: kind, Loc: int32(x), RF: rf, Write: gen.Value(len(h.Ops) + 1)}
		if kind == parse.Read {
			op.Read, op.Write = h.Ops[rf].Write, 0
		}
		h.Ops = append(h.Ops, op)
		return parse.OpID(len(h.Ops) - 1)
	}
	end := func() {
		h.ThreadNames = append(h.ThreadNames, fmt.Sprint(len(h.ThreadNames)))
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	first := make([]parse.OpID, n)
	for i := range n {
		h.Locations = append(h.Locations, fmt.Sprintf("y%d", i+1))
		first[i] = add(parse.Write, i, parse.NoOp)
	}
	// x is the last location, so that the pairs of the others are asked about
	// first, and their answers must not settle that of x.
	h.Locations = append(h.Locations, "x")
	add(parse.Write, n, parse.NoOp)
	end()
	x4 := add(parse.Write, n, parse.NoOp)
	end()
	for i := range n {
		add(parse.Read, n, x4)
		add(parse.Write, i, parse.NoOp)
		add(parse.Read, (i+1)%n, first[(i+1)%n])
		end()
	}
	return h
}

func TestKernelRing(t *testing.T) {
	for n := 2; n <= 8; n++ {
		h := ring(n)
		x2, x4 := parse.OpID(n), parse.OpID(n+1)
		got, err := check.Kernel(context.Background(), h, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := got // of pairs and queries there may be any number
		want.Kernel, want.WSC, want.Missed = 1, 0, []check.WritePair{{From: x4, To: x2}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ring of %d (-want +got):\n%s", n, diff)
		}
		if want, _ := bruteKernel(h); n <= 3 && got.Kernel != want {
			t.Errorf("ring of %d: brute force finds %d pairs, not %d", n, want, got.Kernel)
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, ops := range []int{100, 200, 400, 800} {
		h := histgen.Machine(rand.New(rand.NewPCG(1, 1)), model.SC, histgen.Params{Threads: 6, Ops: ops, Locations: 16}).History
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			var r check.KernelReport
			for b.Loop() {
				var err error
				if r, err = check.Kernel(context.Background(), h, check.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Queries), "queries")
			b.ReportMetric(100*float64(r.WSC)/float64(r.Kernel), "%wsc")
			b.ReportMetric(100*float64(r.CCM)/float64(r.Kernel), "%ccm")
			b.ReportMetric(100*float64(r.WSC)/float64(r.Pairs), "%pairs-wsc")
			b.ReportMetric(100*float64(r.CCM)/float64(r.Pairs), "%pairs-ccm")
		})
	}
}

// A kernel that would need more memory than allowed is undecided before the
// memory is taken: the pairs of writes to one location alone, 48 bytes each,
// are too many here.
func TestKernelMemory(t *testing.T) {
	h := &parse.History{Start: []parse.OpID{0}, Locations: []string{"x"}}
	const writes = 3000
	for i := range writes {
		h.Ops = append(h.Ops, parse.Op{Kind: parse.Write, Write: gen.Value(i + 1), RF: parse.NoOp})
	}
	h.Start = append(h.Start, writes)
	_, err := check.Kernel(t.Context(), h, check.Options{MemoryBytes: writes * (writes - 1) / 2 * 48})
	if !errors.Is(err, check.ErrUndecided) || !strings.Contains(err.Error(), "memory budget") {
		t.Errorf("%v", err)
	}
}
