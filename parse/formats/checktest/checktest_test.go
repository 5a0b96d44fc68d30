package checktest_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/checktest"
)

var exported = cmpopts.IgnoreUnexported(parse.History{}, checktest.Test{})

func read(t testing.TB, path string) (string, *checktest.Test) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	test, err := checktest.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), test
}

func write(t testing.TB, test *checktest.Test) string {
	t.Helper()
	var out bytes.Buffer
	var histories []*parse.History
	for _, a := range test.Alternatives {
		histories = append(histories, a.History)
	}
	if err := checktest.Write(&out, histories, test.Outcome); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The examples, read by hand.
func TestParse(t *testing.T) {
	full := parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
	_, got := read(t, "testdata/sb.test")
	want := &checktest.Test{Outcome: checktest.Forbidden, Alternatives: []checktest.Alternative{{Line: 2, History: &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1}, full, {Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 1}, full, {Kind: parse.Read, Loc: 0, RF: parse.Init},
		},
		Start: []parse.OpID{0, 3, 6}, ThreadNames: []string{"0", "1"}, Locations: []string{"0", "1"}, Final: []parse.OpID{0, 3},
	}}}}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Error(diff)
	}
	_, got = read(t, "testdata/swap.test")
	want = &checktest.Test{Outcome: checktest.Permitted, Alternatives: []checktest.Alternative{
		{Line: 1, History: &parse.History{
			Ops: []parse.Op{
				{Kind: parse.RMW, Loc: 0, RF: parse.Init, Write: 1},
				{Kind: parse.RMW, Loc: 0, RF: 0, Read: 1, Write: 2},
				{Kind: parse.Read, Loc: 0, RF: 1, Read: 2},
			},
			Start: []parse.OpID{0, 1, 3}, ThreadNames: []string{"0", "1_1"}, Locations: []string{"0_8"},
			Final: []parse.OpID{1}, StoreOrder: [][]parse.OpID{{0, 1}}, Deps: []parse.Dep{{From: 1, To: 2}},
		}, Notes: []string{"line 5: the value 1 of microop 9 0, which is now 2"}},
		{Line: 16, History: &parse.History{
			Ops:   []parse.Op{{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1}},
			Start: []parse.OpID{0, 1}, ThreadNames: []string{"0"}, Locations: []string{"0"},
		}},
	}}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Error(diff)
	}
}

func TestWrite(t *testing.T) {
	_, test := read(t, "testdata/swap.test")
	const want = `Alternative
0 0 0 0 (Read RMW (VA 0 8) (PA 0 8) (Data 0))
1 0 0 0 (Write RMW (VA 0 8) (PA 0 8) (Data 1))
2 1 1 0 (Read RMW (VA 0 8) (PA 0 8) (Data 1))
3 1 1 0 (Write RMW (VA 0 8) (PA 0 8) (Data 2))
4 1 1 0 (Read normal (VA 0 8) (PA 0 8) (Data 2))
Relationship po 0 0 -> 1 0
Relationship po 2 0 -> 3 0
Relationship po 3 0 -> 4 0
Relationship co 1 0 -> 3 0
Relationship fr 0 0 -> 1 0
Relationship rf 1 0 -> 2 0
Relationship fr 2 0 -> 3 0
Relationship rf 3 0 -> 4 0
Relationship addr 2 0 -> 4 0
(PA 0 8) = 2
Alternative
0 0 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))
Permitted
`
	if diff := cmp.Diff(want, write(t, test)); diff != "" {
		t.Error(diff)
	}
	_, test = read(t, "testdata/sb.test")
	test.Alternatives[0].History.ThreadNames = []string{"P0", "P1"}
	test.Alternatives[0].History.Locations = []string{"x", "y"}
	text := write(t, test)
	for _, line := range []string{"5 1 0 0 (Read normal (VA 0 0) (PA 0 0) (Data 0))", "4 1 0 0 (Fence MFENCE)", "Relationship fr 2 0 -> 3 0", "(PA 1 0) = 1"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// Without an order of writes, a read of the initial value comes before the
// first write of every thread, and so before all.
func TestFromReads(t *testing.T) {
	w := func(v gen.Value) parse.Op { return parse.Op{Kind: parse.Write, RF: parse.NoOp, Write: v} }
	h := &parse.History{
		Ops:       []parse.Op{w(1), w(2), w(3), {Kind: parse.Read, RF: parse.Init}, w(4)},
		Start:     []parse.OpID{0, 2, 3, 5},
		Locations: []string{"0"},
	}
	text := write(t, &checktest.Test{Outcome: checktest.Permitted, Alternatives: []checktest.Alternative{{History: h}}})
	var got []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Relationship fr ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"Relationship fr 3 0 -> 0 0", "Relationship fr 3 0 -> 2 0", "Relationship fr 3 0 -> 4 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFaults(t *testing.T) {
	const two = "0 0 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))\n1 1 0 0 (Read normal (VA 0 0) (PA 0 0) (Data 1))\n"
	for _, c := range []struct{ text, want string }{
		{"", "f:1: want Forbidden, Permitted, Required or Unobserved at the end"},
		{"Forbidden", "f:1: a test without a microop"},
		{two + "Relationship rf 0 0 -> 1 0\n", "f:4: want Forbidden, Permitted, Required or Unobserved at the end"},
		{two + "Forbidden", "f:2: reads 1 from 0, and no rf says from which write"},
		{two + "Relationship rf 1 0 -> 0 0\nForbidden", "f:3: rf 1 0 -> 0 0: no two microops that it can relate"},
		{two + "Relationship rf 0 0 -> 2 0\nForbidden", "f:3: there is no microop 2 0"},
		{two + "Relationship rf 0 0 - 1 0\nForbidden", `f:3: want "->" before "- 1 0"`},
		{two + "Relationship po 0 0 -> 1 0\nForbidden", "f:3: po 0 0 -> 1 0: no two microops that it can relate"},
		{two + "Relationship xy 0 0 -> 1 0\nForbidden", `f:3: relation "xy" is not supported`},
		{two + "Relationship rf 0 0 -> 1 0\n(PA 0 0) = 7\nForbidden", "f:4: final value 7 of 0 is never written"},
		{two + "Relationship rf 0 0 -> 1 0\nForbidden\nForbidden", `f:5: "Forbidden" after the outcome`},
		{"(PA 0 0) = 3\n" + two + "Forbidden", "f:1: initial value 3 of 0: want 0"},
		{"0 0 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))\n0 0 0 0 (Fence MFENCE)\nForbidden", "f:2: microop 0 0 is on line 1 already"},
		{"0 0 0 0 (Fence MFENCE)\n1 0 0 0 (Fence MFENCE)\nForbidden", "f:1: po does not order microops 0 0 and 1 0"},
		{"0 0 0 0 (Fence MFENCE)\n1 0 0 0 (Fence MFENCE)\nRelationship po 0 0 -> 1 0\nRelationship po 1 0 -> 0 0\nForbidden", "f:1: po orders microops in a circle"},
		{"0 0 0 0 (Fence DMB)\nForbidden", "f:1: fence DMB is not supported: want MFENCE, LFENCE or SFENCE"},
		{"0 0 0 0 (Read normal (VA 0 0) (PA 0 0) (Data ?))\nForbidden", `f:1: want a number before "?))"`},
		{"0 0 0 0 (Read normal (VA 0 0) (PA (PTE_PA 0) 0) (Data 0))\nForbidden", `f:1: want a number before "(PTE_PA 0) 0) (Data "`},
		{"0 0 0 0 (Read acquire (VA 0 0) (PA 0 0) (Data 0))\nForbidden", `f:1: type "acquire" of an access is not supported: want normal or RMW`},
		{"0 0 0 0 (Read RMW (VA 0 0) (PA 0 0) (Data 0))\nForbidden", "f:1: microop 0 0 is half of a read-modify-write without the other"},
		{"0 0 0 0 (Read RMW (VA 0 0) (PA 0 0) (Data 1))\n1 0 0 0 (Write RMW (VA 0 0) (PA 0 0) (Data 1))\nRelationship po 0 0 -> 1 0\nRelationship rf 1 0 -> 0 0\nForbidden",
			"f:1: microop 0 0 reads from its own write"},
		{"0 0 0 0 (Jump normal)\nForbidden", `f:1: want Read, Write or Fence before "Jump normal)"`},
		{"Relationship\nForbidden", "f:1: want a relation at the end of the line"},
		{"x\nForbidden", `f:1: want a number before "x"`},
	} {
		test, err := checktest.Parse("f", []byte(c.text))
		if err == nil && len(test.Alternatives) == 1 && test.Alternatives[0].History == nil {
			err = test.Alternatives[0].Err
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// Where co orders only some writes, there is no order, but a note; a final
// value that several writes have is known only where co says which is meant.
func TestPartialOrder(t *testing.T) {
	const text = `0 0 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))
1 1 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))
2 2 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 0))
Relationship co 0 0 -> 1 0
(PA 0 0) = 1
Forbidden
`
	test, err := checktest.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"line 2: the value 1 of microop 1 0, which is now 2",
		"line 3: the value 0 of microop 2 0, which is now 3",
		"the order of writes: co does not order microops 0 0 and 2 0",
		"line 5: the final value 1 of 0, which several microops write",
	}
	if diff := cmp.Diff(want, test.Alternatives[0].Notes); diff != "" {
		t.Error(diff)
	}
	if h := test.Alternatives[0].History; h.StoreOrder != nil || h.Final != nil {
		t.Errorf("%v %v", h.StoreOrder, h.Final)
	}
}

func TestWriteFaults(t *testing.T) {
	_, test := read(t, "testdata/sb.test")
	h := test.Alternatives[0].History
	if err := checktest.Write(&bytes.Buffer{}, nil, checktest.Forbidden); err == nil {
		t.Error("no history: accepted")
	}
	h.Ops[4].Mask = parse.LoadLoad
	if err := checktest.Write(&bytes.Buffer{}, []*parse.History{h}, checktest.Forbidden); err == nil ||
		err.Error() != "write Check test: thread 1 operation 2 is a fence that is neither MFENCE nor SFENCE nor LFENCE" {
		t.Error(err)
	}
}
