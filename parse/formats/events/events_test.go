package events

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const example = `ordeal-events 1
execution
threads P0 P1
variables x y
P0 begin
P0 write x
P0 read y
P0 end
P1 write y
P0 commit x
P1 commit y
P1 fence
P1 update x
P0 begin
P0 write y
P0 write x
P0 end
P0 commit y
`

func TestParse(t *testing.T) {
	s, err := Parse("a", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := &Sequence{
		Execution: true, Threads: []string{"P0", "P1"}, Variables: []string{"x", "y"},
		Transactions: []Transaction{{0, 1}, {1, 1}, {1, 2}, {1, 3}, {0, 2}},
		Events: []Event{
			{Write, 0, 0, 0, -1}, {Read, 0, 0, 1, -1}, {Write, 1, 1, 1, -1},
			{Commit, 0, 0, 0, 0}, {Commit, 1, 1, 1, 2},
			{Fence, 1, 2, -1, -1}, {Update, 1, 3, 0, -1},
			{Write, 0, 4, 1, -1}, {Write, 0, 4, 0, -1}, {Commit, 0, 4, 1, 7},
		},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreUnexported(Sequence{})); diff != "" {
		t.Errorf("parsed (-want +got):\n%s", diff)
	}
	if got := string(s.Text()); got != example {
		t.Errorf("text:\n%s", got)
	}
	if got := s.TxName(4); got != "P0.2" {
		t.Errorf("name of transaction 4 is %s", got)
	}
	trace := s.Trace()
	if _, err := Parse("trace", trace.Text()); err != nil {
		t.Error(err)
	}
	if len(trace.Events) != 7 || strings.Contains(string(trace.Text()), "commit") {
		t.Errorf("trace:\n%s", trace.Text())
	}
}

func TestParseLayout(t *testing.T) {
	loose := "  ordeal-events \t 1 # version\r\n\nexecution\nthreads P0 P1\nvariables x y\n" +
		"P0 begin\nP0 write x\nP0 read y\nP0 end\nP1 write y\nP0   commit x\nP1 begin\nP1 end\nP1 commit y\n" +
		"P1 begin\nP1 fence\nP1 end\nP1 update x\nP0 begin\nP0 write y\nP0 commit y\nP0 write x"
	s, err := Parse("a", []byte(loose))
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.Replace(example, "P0 write x\nP0 end\nP0 commit y\n", "P0 commit y\nP0 write x\nP0 end\n", 1)
	if got := string(s.Text()); got != moved {
		t.Errorf("text:\n%s", got)
	}
}

func TestParseFaults(t *testing.T) {
	head := "ordeal-events 1\nexecution\nthreads 0 1\nvariables x y\n"
	for _, c := range []struct{ text, want string }{
		{"", `parse f:0: the text ends where the line "ordeal-events 1" is expected`},
		{"ordeal-events 2\n", `parse f:1: "ordeal-events" where the line "ordeal-events 1" is expected`},
		{"ordeal-events 1\nboth\n", `parse f:2: "both" where execution or trace is expected`},
		{"ordeal-events 1\ntrace\nvariables x\n", `parse f:3: "variables" where the line of threads is expected`},
		{"ordeal-events 1\ntrace\nthreads 0\n", `parse f:3: the text ends where the line of variables is expected`},
		{"ordeal-events 1\ntrace\nthreads 0 0\nvariables x\n", `parse f:3: thread 0 is named twice`},
		{"ordeal-events 1\ntrace\nthreads 0\nvariables \x01\n", `parse f:4: variable name "\x01": want visible ASCII without #, at most 64 bytes`},
		{head + "2 read x\n", `parse f:5: unknown thread "2"`},
		{head + "0\n", `parse f:5: nothing after thread 0`},
		{head + "0 load x\n", `parse f:5: unknown event "load"`},
		{head + "0 unknown\n", `parse f:5: unknown event "unknown"`},
		{head + "0 read\n", `parse f:5: read takes 1 words after it, not 0`},
		{head + "0 fence x\n", `parse f:5: fence takes 0 words after it, not 1`},
		{head + "0 begin x\n", `parse f:5: begin takes 0 words after it, not 1`},
		{head + "0 read z\n", `parse f:5: unknown variable "z"`},
		{head + "0 commit x\n", `parse f:5: commit by thread 0 while its store buffer is empty`},
		{head + "0 write x\n0 write y\n0 commit y\n", `parse f:7: commit of y by thread 0, whose oldest write is to x`},
		{head + "0 write x\n0 fence\n", `parse f:6: fence of thread 0 while its store buffer holds 1 writes: it needs an empty one`},
		{head + "0 write x\n0 write x\n0 update y\n", `parse f:7: update of thread 0 while its store buffer holds 2 writes: it needs an empty one`},
		{head + "0 begin\n0 begin\n", `parse f:6: thread 0 begins a transaction inside another`},
		{head + "0 end\n", `parse f:5: thread 0 ends a transaction that it did not begin`},
		{strings.Replace(head, "execution", "trace", 1) + "0 write x\n0 commit x\n", `parse f:6: commit by thread 0 in a trace`},
		{head + "0 read z\n1 load x\n", "parse f:5: unknown variable \"z\"\nparse f:6: unknown event \"load\""},
	} {
		s, err := Parse("f", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
		if s != nil {
			t.Errorf("%q: a sequence besides the error", c.text)
		}
	}
	if _, err := Parse("f", []byte(head+"0 write x\n0 fence\n")); !errors.Is(err, ErrBuffered) {
		t.Errorf("%v is no ErrBuffered", err)
	}
}

// FuzzParse demands that the text of whatever is accepted reads back as the
// same sequence.
func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(strings.Replace(example, "execution", "trace", 1)))
	f.Add([]byte("ordeal-events 1\ntrace\nthreads 0\nvariables x\n0 begin\n0 write x\n0 read x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		text := s.Text()
		again, err := Parse("again", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(s, again, cmpopts.IgnoreUnexported(Sequence{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}
