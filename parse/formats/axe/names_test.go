package axe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/parse"
)

// FuzzWriteNames writes histories with any names of threads and locations. What is
// read again is written the same.
func FuzzWriteNames(f *testing.F) {
	for _, names := range [][4]string{
		{"0", "1", "x", "y"}, {"0", "0", "x", "x"}, {"dep", "check", "final", "order"}, {"", "", "", ""}, {"a b", "a_b", "x]", "x_"},
		{"check", "tx", "x:", "x#y"}, {"é", "\n", "\xff\xfe", "M[x]"}, {"_", "__1", "_1", "-"}, {"", "_1", "_1", ""}, {"_", "-", "x_1", "x"},
		{"65536", "00", "01", "1"}, {"client 1", "client 2", "key.a", "key:a"},
	} {
		f.Add(names[0], names[1], names[2], names[3])
	}
	f.Fuzz(func(t *testing.T, t0, t1, x, y string) {
		h := &parse.History{
			Ops: []parse.Op{
				{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp},
				{Kind: parse.Read, Loc: 1, Read: 2, RF: 2},
				{Kind: parse.Write, Loc: 1, Write: 2, RF: parse.NoOp},
				{Kind: parse.RMW, Loc: 0, Read: 1, Write: 3, RF: 0},
			},
			Start: []parse.OpID{0, 2, 4}, ThreadNames: []string{t0, t1}, Locations: []string{x, y},
			Final: []parse.OpID{3, 2},
		}
		text := write(t, h)
		again := one(t, text)
		if again.Err != nil {
			t.Fatalf("%v\n%s", again.Err, text)
		}
		if diff := cmp.Diff(sorted(text), sorted(write(t, again.History))); diff != "" || len(again.History.Ops) != len(h.Ops) {
			t.Errorf("%s%s", diff, text)
		}
		if h.Locations[0] != x || h.ThreadNames[1] != t1 {
			t.Error("the history has other names now")
		}
	})
}

// sorted are the lines of a trace in any order: the reader sorts threads.
func sorted(text string) []string { return slices.Sorted(strings.SplitSeq(text, "\n")) }

// TestWriteNames: words stay, and others become words like them that no other name is.
func TestWriteNames(t *testing.T) {
	h := &parse.History{
		Ops:   []parse.Op{{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp}, {Kind: parse.Write, Loc: 1, Write: 2, RF: parse.NoOp}, {Kind: parse.Write, Loc: 2, Write: 3, RF: parse.NoOp}},
		Start: []parse.OpID{0, 1, 3}, ThreadNames: []string{"worker 7", "worker_7"}, Locations: []string{"users/1", "x", "users.1"},
	}
	const want = "worker_7_0: M[users_1] := 1\nworker_7: M[x] := 2\nworker_7: M[users_1_2] := 3\ncheck\n"
	if got := write(t, h); got != want {
		t.Errorf("got\n%s", got)
	}
}
