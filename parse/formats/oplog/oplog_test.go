package oplog_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
	"ordeal/parse/formats/oplog"
)

var exported = cmpopts.IgnoreUnexported(parse.History{})

func read(t testing.TB, path string, d oplog.Dialect) (*parse.History, []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, notes, err := d.Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return h, notes
}

func write(t testing.TB, h *parse.History, d oplog.Dialect) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Both examples, read by hand.
func TestRead(t *testing.T) {
	h, notes := read(t, "testdata/serial.plume", oplog.Plume)
	want := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Read, Loc: 1, RF: 4, Read: 5},
			{Kind: parse.Read, Loc: 0, RF: 0, Read: 1},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 5},
		},
		Start:       []parse.OpID{0, 3, 5},
		ThreadNames: []string{"1", "2"}, Locations: []string{"0", "1"},
		Transactions: []parse.Transaction{{First: 0, End: 2}, {First: 3, End: 5}},
	}
	if diff := cmp.Diff(want, h, exported); diff != "" {
		t.Error(diff)
	}
	wantNotes := []string{"1 operations of aborted transactions", "a first transaction of 2 writes of 0, the initial value"}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
	h, notes = read(t, "testdata/sb.oplog", oplog.GEM5)
	want = &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 2},
			{Kind: parse.Read, Loc: 0, RF: parse.Init},
		},
		Start:       []parse.OpID{0, 2, 4},
		ThreadNames: []string{"0", "1"}, Locations: []string{"x", "y"},
	}
	if diff := cmp.Diff(want, h, exported); diff != "" || notes != nil {
		t.Error(diff, notes)
	}
}

func TestWrite(t *testing.T) {
	h, _ := read(t, "testdata/serial.plume", oplog.Plume)
	const plume = "w(0,1,1,0)\nr(1,0,1,0)\nr(1,5,1,1)\nr(0,1,2,2)\nw(1,5,2,2)\n"
	if diff := cmp.Diff(plume, write(t, h, oplog.Plume)); diff != "" {
		t.Error(diff)
	}
	const log = "w(0,1,1,0)\nr(1,0,1,1)\nr(1,5,1,2)\nr(0,1,2,3)\nw(1,5,2,4)\n"
	if diff := cmp.Diff(log, write(t, h, oplog.GEM5)); diff != "" {
		t.Error(diff)
	}
	// Plume has only numbers.
	h, _ = read(t, "testdata/sb.oplog", oplog.GEM5)
	if diff := cmp.Diff("w(0,1,0,0)\nr(1,0,0,1)\nw(1,2,1,2)\nr(0,0,1,3)\n", write(t, h, oplog.Plume)); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		d          oplog.Dialect
		text, want string
	}{
		{oplog.Plume, "w(0,1,0,0)\nw(0,1,1,1)", "f:2: writes 1 to 0, as does line 1"},
		{oplog.Plume, "r(0,1,0,0)", "f:1: value 1 of 0 is never written"},
		{oplog.Plume, "w(0,3,0,-1)\nr(0,3,0,0)", "f:2: value 3 of 0 is never written, except in an aborted transaction, on line 1"},
		{oplog.Plume, "w(1,3,0,0)\nr(0,3,0,0)", "f:2: value 3 of 0 is written only to 1, by line 1"},
		{oplog.Plume, "w(0,0,0,0)\nw(1,1,0,0)", "f:1: writes 0, the initial value, in a transaction that does more"},
		{oplog.Plume, "w(1,1,0,0)\nw(0,0,0,1)", "f:2: writes 0, the initial value, to 0"},
		{oplog.Plume, "w(x,1,0,0)", `f:1: "x": want a location as a number`},
		{oplog.Plume, "w(0,1,a,0)", `f:1: "a": want a thread as a number`},
		{oplog.Plume, "w(0,1,0,-2)", "f:1: transaction -2: only -1, an aborted one, may be negative"},
		{oplog.Plume, "w(0,9223372036854775808,0,0)", "f:1: number exceeds 63 bits"},
		{oplog.Plume, "w(0,1,0,99999999999999999999)", "f:1: number exceeds 64 bits"},
		{oplog.Plume, "w(0,1,0,7)\nw(0,2,1,7)", "f:2: transaction 7 of session 1: it is of session 0"},
		{oplog.Plume, "w(0,1,0,7)\nw(0,2,0,8)\nw(0,3,0,7)", "f:3: transaction 7 goes on after transaction 8 of the session began"},
		{oplog.Plume, "w(0,1,0,99999999)\nw(0,2,1,99999999)", "f:2: transaction 99999999 of session 1: it is of session 0"},
		{oplog.GEM5, "w(x,1,0,5)\nr(x,1,0,5)", "f:2: id 5 of thread 0 after id 5: want increasing ones"},
		{oplog.GEM5, "w(x,1,0,-1)", `f:1: want a number before "-1)"`},
		{oplog.GEM5, "w(x,0,0,0)", "f:1: writes 0, the initial value, to x"},
		{oplog.GEM5, "x(0,1,0,0)", `f:1: want "r(" or "w(" before "x(0,1,0,0)"`},
		{oplog.GEM5, "r(,1,0,0)", `f:1: want a location before ",1,0,0)"`},
		{oplog.GEM5, "r(x,1,0)", `f:1: want "," before ")"`},
		{oplog.GEM5, "r(x,1,0,0", `f:1: want ")" at the end of the line`},
		{oplog.GEM5, "r(x,0,0,0) # c", `f:1: want the end of the line before "# c"`},
		{oplog.GEM5, "r(x,0,0,0)" + strings.Repeat(" ", 1<<16) + "x", `f:1: want the end of the line before "x"`},
	} {
		h, _, err := c.d.Read(strings.NewReader(c.text), "f")
		if h != nil {
			t.Errorf("%v %.60q: a history, want none", c.d, c.text)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%v %.60q: error\n%v\nwant\n%s", c.d, c.text, err, c.want)
		}
	}
	broken := errors.New("broken disk")
	_, _, err := oplog.Plume.Read(io.MultiReader(strings.NewReader("w(0,1,0,0)\nw("), iotest.ErrReader(broken)), "f")
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read f:2: ") {
		t.Error(err)
	}
}

func TestWriteFaults(t *testing.T) {
	h, _ := read(t, "testdata/sb.oplog", oplog.GEM5)
	h.Ops[0].Write = 1 << 63
	if err := oplog.Plume.Write(io.Discard, h); err == nil || err.Error() != "write Plume text: thread 0 operation 1: value 9223372036854775808 exceeds 9223372036854775807" {
		t.Error(err)
	}
	h.Ops[1] = parse.Op{Kind: parse.RMW, Loc: 1, RF: parse.Init, Write: 7}
	if err := oplog.GEM5.Write(io.Discard, h); err == nil || err.Error() != "write a log of operations: thread 0 operation 2 is a read-modify-write: the format has only reads and writes" {
		t.Error(err)
	}
}

// Fits looks at every line, whether or not values name their writers.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		text         string
		plume, oplog bool
	}{
		{"", true, true},
		{"w(0,1,0,0)\n\n r(0,7,0,1) \n", true, true},
		{"w(0,1,0,0)\nr(0,7,0,0)", true, false},
		{"w(0,0,0,0)", true, false},
		{"w(0,1,0,0)\nr(x,7,0,1)", false, true},
		{"w(0,1,0,1)\nw(0,1,1,1)", false, true},
		{"w(0,1,0,0)\nnonsense", false, false},
	} {
		if got := oplog.Fits([]byte(c.text), oplog.Plume); got != c.plume {
			t.Errorf("%q fits Plume: %v", c.text, got)
		}
		if got := oplog.Fits([]byte(c.text), oplog.GEM5); got != c.oplog {
			t.Errorf("%q fits gem5: %v", c.text, got)
		}
	}
}
