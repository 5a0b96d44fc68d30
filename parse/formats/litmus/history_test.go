package litmus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
	"ordeal/parse"
)

var exported = cmpopts.IgnoreUnexported(parse.History{})

func history(t testing.TB, text string) (*parse.History, error) {
	t.Helper()
	test, err := Parse("t", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return test.History()
}

// Message passing with a fence and an exchange, read by hand; y starts at 1
// and a value comes twice, so that the values are the program's: 1, 2 and 3 in
// order of the stores.
const passing = `X86_64 MP
{ y=1; }
 P0              | P1              ;
 movl $5,(x)     | movl (y),%eax   ;
 mfence          | movl (x),%ebx   ;
 movl $2,%eax    |                 ;
 xchgl (y),%eax  |                 ;
 movl $5,(x)     |                 ;
exists (1:rax=2 /\ 0:rax=1 /\ 1:rbx=0 /\ [y]=2)
`

func TestHistory(t *testing.T) {
	got, err := history(t, passing)
	if err != nil {
		t.Fatal(err)
	}
	want := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 1},
			{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp},
			{Kind: parse.RMW, Loc: 0, RF: parse.Init, Write: 2},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 3},
			{Kind: parse.Read, Loc: 0, RF: 2, Read: 2},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
		},
		Start: []parse.OpID{0, 4, 6}, ThreadNames: []string{"0", "1"}, Locations: []string{"y", "x"},
		Final: []parse.OpID{2, parse.NoOp},
	}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Error(diff)
	}
	// Values that are fit for a history are kept.
	got, err = history(t, strings.NewReplacer("y=1", "y=0", "0:rax=1", "0:rax=0", " movl $5,(x)     |                 ;", " movl $7,(x)     |                 ;").Replace(passing))
	if err != nil {
		t.Fatal(err)
	}
	values := []gen.Value{got.Ops[0].Write, got.Ops[2].Write, got.Ops[3].Write, got.Ops[4].Read}
	if diff := cmp.Diff([]gen.Value{5, 2, 7, 2}, values); diff != "" {
		t.Errorf("values of operations 0, 2, 3 and 4 (-want +got):\n%s", diff)
	}
}

func TestNoHistory(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"exists", "forall", "a condition with forall asks for no single execution"},
		{`1:rax=2 /\`, `1:rax=2 \/`, "is no conjunction of equations"},
		{`1:rax=2 /\`, `1:rax=2 /\ 1:rax=1 /\`, "the condition asks that 1:rax be 2 and 1"},
		{`1:rax=2 /\`, "", "thread 1 read 1: the condition does not determine what it returns"},
		{`1:rbx=0`, "1:rbx=5", "1:rbx: 2 stores give x the value 5, with the initial state: want one"},
		{`1:rbx=0`, "1:rbx=9", "1:rbx: 0 stores give x the value 9"},
		{`[y]=2`, "[y]=3", "[y]: 0 stores give y the value 3"},
		{`0:rax=1`, "0:rax=2", "0:rax: 0 stores give y the value 2"}, // its own is none
		{`[y]=2`, "1:rcx=4", "1:rcx: the test leaves 0 in the register, not 4"},
		{" movl (x),%ebx   ;", " movl %eax,%ebx  ;", "thread 1 read 1: the condition asks that it return 2 and 0"},
	} {
		text := strings.Replace(passing, c.old, c.new, 1)
		if text == passing {
			t.Fatalf("%q is not in the text", c.old)
		}
		h, err := history(t, text)
		if h != nil {
			t.Errorf("%s: a history, want none", c.new)
		}
		if rest, ok := strings.CutPrefix(fmt.Sprint(err), "history of litmus test MP: "); !ok || !strings.Contains(rest, c.want) {
			t.Errorf("%s: error %v, want %q after the name of the test", c.new, err, c.want)
		}
	}
	// ~exists asks for the same.
	if _, err := history(t, strings.Replace(passing, "exists", "~exists", 1)); err != nil {
		t.Error(err)
	}
}

func TestWrite(t *testing.T) {
	h, err := history(t, passing)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, "MP", h); err != nil {
		t.Fatal(err)
	}
	again, err := history(t, out.String())
	if err != nil {
		t.Fatal(err)
	}
	again.Locations = []string{"y", "x"}
	for i := range again.Ops { // locations are numbered as they are first named
		if again.Ops[i].Loc >= 0 {
			again.Ops[i].Loc = 1 - again.Ops[i].Loc
		}
	}
	again.Final[0], again.Final[1] = again.Final[1], again.Final[0]
	if diff := cmp.Diff(h, again, exported); diff != "" {
		t.Errorf("%s\n%s", diff, out.String())
	}
	if err := Write(full{}, "MP", h); err == nil || !strings.Contains(err.Error(), "full disk") {
		t.Error(err)
	}
	h.Ops[1].Mask = parse.StoreStore
	if err := Write(io.Discard, "MP", h); err == nil || err.Error() != "write litmus test MP: thread 0 operation 2 is a fence that is not full" {
		t.Error(err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full disk") }

// The test of a history is checked for every format in package
// formats; here, that values too large or not unique are numbered anew.
func TestRenumbers(t *testing.T) {
	write := func(loc int32, v uint32) parse.Op {
		return parse.Op{Kind: parse.Write, Loc: loc, RF: parse.NoOp, Write: 1 << 40 >> v}
	}
	h := &parse.History{Ops: []parse.Op{write(0, 20), write(1, 20)}, Start: []parse.OpID{0, 2}, Locations: []string{"x", "y"}}
	if !Renumbers(h) {
		t.Error("one value of two locations is kept")
	}
	h.Ops[1] = write(1, 21)
	if Renumbers(h) {
		t.Error("values are numbered anew without need")
	}
	h.Ops[1] = write(1, 0)
	if !Renumbers(h) {
		t.Error("a value of 41 bits is kept")
	}
	for name, want := range map[string]bool{"0": false, "y.z": false, "_9": true} {
		if got := Keeps([]string{"x", name}); got != want {
			t.Errorf("keeps the name %s: %v, want %v", name, got, want)
		}
	}
}
