package axe_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// readAll reads every trace of a text.
func readAll(t testing.TB, text string) []axe.Trace {
	t.Helper()
	r := axe.NewReader(strings.NewReader(text), "f")
	var traces []axe.Trace
	for {
		trace, err := r.Next()
		if err == io.EOF {
			return traces
		}
		if err != nil {
			t.Fatal(err)
		}
		if (trace.History == nil) == (trace.Err == nil) {
			t.Fatalf("history %v with error %v", trace.History, trace.Err)
		}
		traces = append(traces, trace)
	}
}

func one(t testing.TB, text string) axe.Trace {
	t.Helper()
	traces := readAll(t, text)
	if len(traces) != 1 {
		t.Fatalf("%d traces, want 1", len(traces))
	}
	return traces[0]
}

var ignoreMarks = cmpopts.IgnoreUnexported(parse.History{})

// Every construct once, threads interleaved and out of order.
func TestRead(t *testing.T) {
	got := one(t, `
# Everything once.
 1: M[0] == 0 @ 10:20
0:M[0]:=1
0: sync
1: v10 := 7   # M[10]
0: { M[10] == 7; M[10] := 8 } @ :5
2: stbar
2: membar LL SS @ 5
2: M[name_1] == 0
dep 0: 3 -> 4
0: M[0] == 1
final M[0] == 1
final v10 == 8
check
`)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	want := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Fence, Loc: -1, Mask: parse.FullFence, RF: parse.NoOp},
			{Kind: parse.RMW, Loc: 1, RF: 5, Read: 7, Write: 8},
			{Kind: parse.Read, Loc: 0, RF: 0, Read: 1},
			{Kind: parse.Read, Loc: 0, RF: parse.Init},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 7},
			{Kind: parse.Fence, Loc: -1, Mask: parse.StoreStore, RF: parse.NoOp},
			{Kind: parse.Fence, Loc: -1, Mask: parse.LoadLoad | parse.StoreStore, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 2, RF: parse.Init},
		},
		Start:       []parse.OpID{0, 4, 6, 9},
		ThreadNames: []string{"0", "1", "2"},
		Locations:   []string{"0", "10", "name_1"},
		Final:       []parse.OpID{0, 2, parse.NoOp},
		Deps:        []parse.Dep{{From: 2, To: 3}},
	}
	if diff := cmp.Diff(want, got.History, ignoreMarks); diff != "" {
		t.Error(diff)
	}
	if got.Line != 3 || got.Name != "f" {
		t.Errorf("trace at %s:%d, want f:3", got.Name, got.Line)
	}
}

// The two brackets of an RMW mean the same.
func TestAngleBrackets(t *testing.T) {
	angle, brace := one(t, "0: <M[0] == 0; M[0] := 1>\n"), one(t, "0: {M[0] == 0; M[0] := 1}\n")
	if diff := cmp.Diff(brace.History, angle.History, ignoreMarks); angle.Err != nil || diff != "" {
		t.Error(angle.Err, diff)
	}
}

// A faulty trace does not keep its neighbours from being read.
func TestManyTraces(t *testing.T) {
	traces := readAll(t, "0: M[0] := 1\ncheck\n0: M[0] = 1\n0: M[0] == 9\ncheck\n\ncheck\n1: M[1] == 0\n")
	if len(traces) != 4 {
		t.Fatalf("%d traces, want 4", len(traces))
	}
	for i, wantErr := range []string{"", "f:3: want \"==\" or \":=\" before \"= 1\"\nf:4: value 9 of 0 is never written", "", ""} {
		got := ""
		if err := traces[i].Err; err != nil {
			got = err.Error()
		}
		if got != wantErr {
			t.Errorf("trace %d: error %q, want %q", i, got, wantErr)
		}
	}
	if h := traces[2].History; len(h.Ops) != 0 || h.Threads() != 0 {
		t.Errorf("empty trace has %d operations, %d threads", len(h.Ops), h.Threads())
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"0: M[0] := 1\n1: M[0] := 1", "f:2: writes 1 to 0, as does line 1"},
		{"0: M[0] := 0", "f:1: writes 0, the initial value, to 0"},
		{"0: M[1] := 1\n0: M[0] == 1", "f:2: value 1 of 0 is written only to 1, by line 1"},
		{"0: M[0] == 99999999999999999999", "f:1: number exceeds 64 bits"},
		{"0: M[0] == 18446744073709551616", "f:1: number exceeds 64 bits"},
		{"0: M[0] == x", `f:1: want a number before "x"`},
		{"0: M[0] == 1x", `f:1: want a number before "1x"`},
		{"0: M[0]", `f:1: want "==" or ":=" at the end of the line`},
		{"0: M[0 == 1", `f:1: want "]" before "== 1"`},
		{"0: M[] == 1", `f:1: want a location before "] == 1"`},
		{"0: v == 1", `f:1: want "M[" before "v == 1"`},
		{"0:", `f:1: want "M[" at the end of the line`},
		{": M[0] := 1", `f:1: want a thread before ": M[0] := 1"`},
		{"0 M[0] := 1", `f:1: want ":" after the thread before "M[0] := 1"`},
		{"0: sync sync", `f:1: want the end of the line before "sync"`},
		{"0: membar", `f:1: want LL, LS, SL or SS at the end of the line`},
		{"0: membar XX", `f:1: unknown component "XX" of a membar: want LL, LS, SL or SS`},
		{"0: { M[0] == 0; M[1] := 1 }", `f:1: read-modify-write of two locations, M[0] and M[1]`},
		{"0: < M[0] == 0; M[0] := 1 }", `f:1: want ">" before "}"`},
		{"0: { M[0] == 0; M[0] := 1", `f:1: want "}" at the end of the line`},
		{"0: M[0] == 0 @ 1:2:3", `f:1: want the end of the line before ":3"`},
		{"final M[0] == 1", "f:1: final value 1 of 0 is never written"},
		{"0: M[0] := 1\nfinal M[0] == 0\nfinal M[0] == 1", "f:3: final M[0] is 0 and 1"},
		{"0: M[0] == 0\ndep 0: 1 -> 2", "f:2: dependency 1 -> 2: thread 0 has 1 operations"},
		{"0: M[0] == 0\n0: M[1] == 0\ndep 0: 2 -> 2", "f:3: dependency 2 -> 2: want a later operation after ->"},
		{"0: M[0] := 1\n0: M[1] == 0\ndep 0: 1 -> 2", "f:3: dependency 1 -> 2: operation 1 is no read"},
		{"0: M[0] == 0\ntx 0: 1 -> 2", "f:2: transaction 1 -> 2: thread 0 has 1 operations"},
		{"0: M[0] == 0\ntx 0: 1 -> 0", "f:2: transaction 1 -> 0: thread 0 has 1 operations"},
		{"0: M[0] == 0\n0: M[0] == 0\ntx 0: 1 -> 2\ntx 0: 2 -> 2", "f:4: transaction 2 -> 2 of thread 0: the one before it ends at 2"},
		{"0: M[0] := 1\n0: M[0] := 2\norder M[0]: 1", "f:2: the order of M[0] does not list 2"},
		{"0: M[0] := 1\n0: M[1] := 2\norder M[0]: 1", "f:2: the order of M[1] does not list 2"},
		{"0: M[0] := 1\norder M[0]: 1 1", "f:2: the order of M[0] lists 1 twice"},
		{"0: M[0] := 1\norder M[0]: 0 1", "f:2: the order of M[0] lists 0, the initial value"},
		{"0: M[0] := 1\norder M[0]: 1\norder M[0]: 1", "f:3: the order of M[0] is given twice"},
		{"0: M[0] := 1\norder M[0]: 1 2", "f:2: the order of M[0]: value 2 of 0 is never written"},
		{"0: M[0] := 1\norder M[0]: 1 @ 2", `f:2: want a number before "@ 2"`},
		{"0: M[0] == 0" + strings.Repeat(" ", 1<<17) + "x\n0: M[1] == 5", "f:1: want the end of the line before \"x\"\nf:2: value 5 of 1 is never written"},
	} {
		if got := one(t, test.text); got.Err == nil || got.Err.Error() != test.want {
			t.Errorf("%.60q: error %v, want %s", test.text, got.Err, test.want)
		}
	}
}

// A file with more faults than fit on a screen is cut short, with a count.
func TestManyFaults(t *testing.T) {
	got := one(t, strings.Repeat("nonsense\n", 100)+"0: M[0] == 1\n")
	if n := strings.Count(got.Err.Error(), "\n") + 1; n != 21 || !strings.HasSuffix(got.Err.Error(), "f: and 81 more faults") {
		t.Errorf("%d lines ending in %q", n, got.Err.Error()[max(0, len(got.Err.Error())-40):])
	}
}

// A reader that fails is not the fault of a trace.
func TestReadError(t *testing.T) {
	broken := errors.New("broken disk")
	r := axe.NewReader(io.MultiReader(strings.NewReader("0: M[0] := 1\n0: M"), iotest.ErrReader(broken)), "f")
	if _, err := r.Next(); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read f:") {
		t.Errorf("error %v", err)
	}
}

// Lines longer than the reader's buffer count as any other, whatever the sizes
// in which they arrive: an operation, a "check", and the order of many writes.
func TestLongLines(t *testing.T) {
	long := " #" + strings.Repeat("x", 3<<16) + "\n"
	var text strings.Builder
	text.WriteString("0: M[0] := 1" + long + "check" + strings.Repeat(" ", 3<<16) + "\n")
	order := "order M[0]:"
	for v := 1; v <= 20_000; v++ {
		fmt.Fprintf(&text, "0: M[0] := %d\n", v)
		order += fmt.Sprint(" ", v)
	}
	text.WriteString(order + long)
	r := axe.NewReader(iotest.HalfReader(strings.NewReader(text.String())), "f")
	for _, ops := range []int{1, 20_000} {
		trace, err := r.Next()
		if err := errors.Join(err, trace.Err); err != nil {
			t.Fatalf("%.200v", err)
		}
		if got := len(trace.History.Ops); got != ops {
			t.Errorf("%d operations, want %d", got, ops)
		}
		if ops == 1 {
			continue
		}
		var out strings.Builder
		if err := axe.Write(&out, trace.History); err != nil {
			t.Fatal(err)
		}
		again, err := axe.NewReader(strings.NewReader(out.String()), "f").Next()
		if err := errors.Join(err, again.Err); err != nil {
			t.Fatalf("%.200v", err)
		}
		if !slices.Equal(trace.History.StoreOrder[0], again.History.StoreOrder[0]) {
			t.Error("the order of 20,000 writes changed when it was written and read")
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last trace: %v", err)
	}
}

func write(t testing.TB, h *parse.History) string {
	t.Helper()
	var out bytes.Buffer
	if err := axe.Write(&out, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What is written in the canonical form is written again the same.
func TestWrite(t *testing.T) {
	const text = `0: M[x] := 1
0: sync
0: { M[y] == 18446744073709551615; M[y] := 2 }
1: stbar
1: membar LL LS SL
1: M[y] == 0
1: M[y] := 18446744073709551615
dep 0: 3 -> 4
0: M[x] == 1
final M[y] == 2
final M[z] == 0
check
`
	// The canonical form has the operations of a thread together.
	want := strings.Replace(text, "dep 0: 3 -> 4\n0: M[x] == 1\n", "dep 0: 3 -> 4\n", 1)
	want = strings.Replace(want, "1: stbar", "0: M[x] == 1\n1: stbar", 1)
	trace := one(t, text)
	if trace.Err != nil {
		t.Fatal(trace.Err)
	}
	if diff := cmp.Diff(want, write(t, trace.History)); diff != "" {
		t.Error(diff)
	}
}

// Transactions and the order of writes are written, too.
func TestWriteMore(t *testing.T) {
	const text = `0: M[x] := 3
0: { M[x] == 3; M[x] := 1 }
1: M[x] := 2
1: M[y] == 0
1: M[x] == 1
final M[x] == 1
check
`
	const more = "tx 0: 1 -> 2\ntx 1: 2 -> 3\norder M[x]: 2 3 1\n"
	all := strings.Replace(text, "final", more+"final", 1)
	h := one(t, all).History
	if diff := cmp.Diff([]parse.Transaction{{First: 0, End: 2}, {First: 3, End: 5}}, h.Transactions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]parse.OpID{{2, 0, 1}, nil}, h.StoreOrder); diff != "" {
		t.Error(diff)
	}
	if got := write(t, h); got != all {
		t.Errorf("got\n%s", got)
	}
}
