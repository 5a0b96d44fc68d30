package axe_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/parse"
)

// TestTimes gives the dependencies that timestamps make, by operations from 0.
func TestTimes(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []parse.Dep
	}{
		{"after the response", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 6:", []parse.Dep{{From: 0, To: 1}}},
		{"at the response", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 5:", nil},
		{"in flight", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 4:9", nil},
		{"no times", "0: M[0] == 0 @ 1:5\n0: M[1] == 0", nil},
		{"no response", "0: M[0] == 0 @ 1:\n0: M[1] == 0 @ 6:7", nil},
		{"no request", "0: M[0] == 0 @ :5\n0: M[1] == 0 @ 6", []parse.Dep{{From: 0, To: 1}}},
		{"times of a store", "0: M[0] == 0 @ 1:5\n0: M[1] := 1 @ 6:", []parse.Dep{{From: 0, To: 1}}},
		{"an exchange responds", "0: { M[0] == 0; M[0] := 1 } @ 1:5\n0: M[1] := 1 @ 6:", []parse.Dep{{From: 0, To: 1}}},
		{"issued after what follows the response", "0: M[0] == 0 @ 1:5\n0: sync @ 6:8\n0: M[1] == 0",
			[]parse.Dep{{From: 0, To: 1}, {From: 0, To: 2}}},
		{"a chain", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 6:7\n0: M[2] == 0 @ 8:", []parse.Dep{{From: 0, To: 1}, {From: 1, To: 2}}},
		{"two in flight", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 2:6\n0: M[2] == 0 @ 8:", []parse.Dep{{From: 0, To: 2}, {From: 1, To: 2}}},
		{"other threads", "0: M[0] == 0 @ 1:5\n1: M[1] == 0 @ 6:", nil},
		{"with dep", "0: M[0] == 0 @ 1:5\n0: M[1] == 0 @ 6:\ndep 0: 1 -> 2", []parse.Dep{{From: 0, To: 1}}},
	} {
		got := one(t, test.text)
		if got.Err != nil {
			t.Errorf("%s: %v", test.name, got.Err)
			continue
		}
		if diff := cmp.Diff(test.want, got.History.Deps); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// TestTimesFaults has the timestamps that Axe refuses (sanityCheck in its
// Trace.cpp), and those that are none.
func TestTimesFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"0: M[0] := 1 @ 1:2", "f:1: timestamp with an end: only reads, read-modify-writes and sync have a response"},
		{"0: stbar @ 1:2", "f:1: timestamp with an end: only reads, read-modify-writes and sync have a response"},
		{"0: M[0] == 0 @ 5:5", "f:1: timestamp ends at 5, and the operation was not issued before 5, on line 1"},
		{"0: M[0] := 1 @ 7\n0: M[0] == 1 @ :6", "f:2: timestamp ends at 6, and the operation was not issued before 7, on line 1"},
		{"0: M[0] == 0 @ 5:\n1: M[0] == 0 @ 1:2\n0: M[0] == 0 @ 5:",
			"f:3: timestamp begins at 5, and that of line 1 before it in the thread at 5: want ascending times"},
		{"0: M[0] == 0 @", "f:1: want a number at the end of the line"},
		{"0: M[0] == 0 @ x", `f:1: want a number before "x"`},
		{"0: M[0] == 0 @ 1:x", `f:1: want the end of the line before "x"`},
		{"0: M[0] == 0 @ 18446744073709551616", "f:1: number exceeds 64 bits"},
		{"0: M[0] := 1\nfinal M[0] == 1 @ 1:2", `f:2: want the end of the line before "@ 1:2"`},
		{"0: M[0] == 0\n0: M[0] == 0\ndep 0: 1 -> 2 @ 1", `f:3: want the end of the line before "@ 1"`},
	} {
		if got := one(t, test.text); got.Err == nil || got.Err.Error() != test.want {
			t.Errorf("%q: error %v, want %s", test.text, got.Err, test.want)
		}
	}
}

// TestTimesPairs compares the dependencies of random traces with the
// definition: all pairs of a read and a later operation of its thread of which
// the response is known to have come before the request.
func TestTimesPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pairs, kept := 0, 0
	for range 300 {
		var text strings.Builder
		n := 2 + rng.IntN(12)
		begin, end, issued := make([]int, n), make([]int, n), make([]int, n)
		now := 0
		for i := range n {
			now += 1 + rng.IntN(8)
			begin[i], end[i] = -1, -1
			fmt.Fprintf(&text, "0: M[%d] == 0", i)
			if rng.IntN(4) > 0 {
				begin[i] = now
			}
			if rng.IntN(4) > 0 {
				end[i] = now + 1 + rng.IntN(30)
			}
			if begin[i] >= 0 || end[i] >= 0 {
				text.WriteString(" @ ")
				if begin[i] >= 0 {
					fmt.Fprint(&text, begin[i])
				}
				text.WriteString(":")
				if end[i] >= 0 {
					fmt.Fprint(&text, end[i])
				}
			}
			text.WriteString("\n")
			if issued[i] = begin[i]; begin[i] < 0 && i > 0 {
				issued[i] = issued[i-1]
			}
		}
		trace := one(t, text.String())
		if trace.Err != nil {
			t.Fatalf("%v\n%s", trace.Err, text.String())
		}
		deps := trace.History.Deps
		reach := make([][]bool, n)
		for i := range slices.Backward(reach) {
			reach[i] = make([]bool, n)
			for _, d := range deps {
				if int(d.From) != i {
					continue
				}
				reach[i][d.To] = true
				for k := range n {
					reach[i][k] = reach[i][k] || reach[d.To][k]
				}
			}
		}
		kept += len(deps)
		for i := range n {
			for j := range n {
				want := i < j && end[i] >= 0 && issued[j] > end[i]
				if want {
					pairs++
				}
				if reach[i][j] != want {
					t.Fatalf("operation %d depends on %d: %v, want %v\n%s%v", j, i, reach[i][j], want, text.String(), deps)
				}
			}
		}
	}
	if kept >= pairs || pairs < 1000 {
		t.Errorf("%d dependencies for %d pairs", kept, pairs)
	}
}
