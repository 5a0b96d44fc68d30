package dbcop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
	"ordeal/parse/formats/dbcop"
)

var exported = cmpopts.IgnoreUnexported(parse.History{})

// skew is the history of all examples, read by hand.
func skew(locations ...string) *parse.History {
	return &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Read, Loc: 1, RF: 3, Read: 2},
			{Kind: parse.Write, Loc: 1, RF: parse.NoOp, Write: 2},
			{Kind: parse.Read, Loc: 0, RF: parse.Init},
		},
		Start:       []parse.OpID{0, 3, 5},
		ThreadNames: []string{"0", "1"}, Locations: locations,
		Transactions: []parse.Transaction{{First: 0, End: 2}, {First: 3, End: 5}},
	}
}

const (
	aborted = "1 operations of aborted transactions"
	zeros   = "a first transaction of 2 writes of 0, the initial value"
	wrapped = "the parameters, the information and the times of start and end"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		path  string
		want  *parse.History
		notes []string
	}{
		{"testdata/skew.hist", skew("x", "y"), []string{aborted, zeros}},
		{"testdata/skew.json", skew("0", "1"), []string{aborted, zeros, wrapped}},
		{"testdata/skew-2019.json", skew("0", "1"), []string{aborted}},
	} {
		data, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		h, notes, err := readAny(c.path, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(c.want, h, exported); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
		if diff := cmp.Diff(c.notes, notes); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
}

func readAny(path string, data []byte) (*parse.History, []string, error) {
	if strings.HasSuffix(path, ".json") {
		return dbcop.ReadJSON(data, path)
	}
	return dbcop.ReadText(bytes.NewReader(data), path)
}

func writeText(t testing.TB, h *parse.History) string {
	t.Helper()
	var out bytes.Buffer
	if err := dbcop.WriteText(&out, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func writeJSON(t testing.TB, h *parse.History, n dbcop.Notation) string {
	t.Helper()
	var out bytes.Buffer
	if err := n.WriteJSON(&out, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWrite(t *testing.T) {
	h := skew("x", "y")
	if diff := cmp.Diff("[x:=1 y==?]\n[y==2]\n---\n[y:=2 x==?]\n", writeText(t, h)); diff != "" {
		t.Error(diff)
	}
	const head = `{"params":{"id":0,"n_node":2,"n_variable":2,"n_transaction":2,"n_event":2},
"info":"","start":"1970-01-01T00:00:00Z","end":"1970-01-01T00:00:00Z","data":[
[
`
	for n, want := range map[dbcop.Notation]string{
		dbcop.Tagged: `{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true},
{"events":[{"Read":{"variable":1,"version":2}}],"committed":true}],
[
{"events":[{"Write":{"variable":1,"version":2}},{"Read":{"variable":0,"version":null}}],"committed":true}]]}
`,
		dbcop.Compact: `{"events":[["w",0,1],["r",1,null]],"committed":true},
{"events":[["r",1,2]],"committed":true}],
[
{"events":[["w",1,2],["r",0,null]],"committed":true}]]}
`,
		dbcop.Of2019: `{"events":[{"write":true,"variable":0,"value":1,"success":true},{"write":false,"variable":1,"value":0,"success":true}],"success":true},
{"events":[{"write":false,"variable":1,"value":2,"success":true}],"success":true}],
[
{"events":[{"write":true,"variable":1,"value":2,"success":true},{"write":false,"variable":0,"value":0,"success":true}],"success":true}]]}
`,
	} {
		got := writeJSON(t, h, n)
		if diff := cmp.Diff(head+want, got); diff != "" {
			t.Error(diff)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("notation %d: no JSON", n)
		}
	}
}

// Identifiers keep their names; numbers, and what would read as one, do not.
func TestVariables(t *testing.T) {
	for _, c := range [][2]string{
		{"x a_1 _", "x a_1 _"}, {"0 17 x", "v0 v17 x"}, {"x v1", "v0 v1"}, {"x 01", "v0 v1"}, {"x a.b", "v0 v1"}, {"v01 v", "v01 v"},
	} {
		if got := strings.Join(dbcop.Variables(strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

func TestTextFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[x:=1]\n---\n[x:=1]", "f:3: writes 1 to x, as does line 1"},
		{"[x==1]", "f:1: value 1 of x is never written"},
		{"[x:=1]!\n[x==1]", "f:2: value 1 of x is never written, except in an aborted transaction, on line 1"},
		{"[x:=1] [x:=0]", "f:1: writes 0, the initial value, to x"},
		{"[x:=0 y:=1]", "f:1: writes 0, the initial value, to x"},
		{"x:=1", `f:1: want "[" before "x:=1"`},
		{"[]", `f:1: want a variable before "]"`},
		{"[x:=1 1==x]", `f:1: want a variable before "1==x]"`},
		{"[x=1]", `f:1: want ":=" or "==" before "=1]"`},
		{"[x:=?]", `f:1: want a number before "?]"`},
		{"[x:=1", `f:1: want a variable at the end of the line`},
		{"[x:=1] -- [y:=1]", `f:1: want "[" before "-- [y:=1]"`},
		{"[y:=" + strings.Repeat(" ", 1<<16) + "x]", `f:1: want a number before "x]"`},
	} {
		h, _, err := dbcop.ReadText(strings.NewReader(c.text), "f")
		if h != nil {
			t.Errorf("%.40q: a history, want none", c.text)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40q: error\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
	broken := errors.New("broken disk")
	if _, _, err := dbcop.ReadText(iotest.ErrReader(broken), "f"); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestJSONFaults(t *testing.T) {
	tx := func(events string) string { return "[[{\"committed\":true,\n\"events\":[" + events + "]}]]" }
	for _, c := range []struct{ text, want string }{
		{tx(`["w",0,1],["w",0,1]`), `f:2:21: writes 1 to 0, as does line 2:11`},
		{tx(`["r",0,1]`), `f:2:11: value 1 of 0 is never written`},
		{tx(`["w",0,null]`), `f:2:18: want a number before "null]]}]]"`},
		{tx(`["r",0,nil]`), `f:2:18: want a version or null before "nil]]}]]"`},
		{tx(`["x",0,1]`), `f:2:12: "x": want "r" or "w"`},
		{tx(`["w",-1,1]`), `f:2:16: want a number before "-1,1]]}]]"`},
		{tx(`["w",0,1.5]`), `f:2:18: want a number before "1.5]]}]]"`},
		{tx(`["w",0,01]`), `f:2:18: want a number before "01]]}]]"`},
		{tx(`["w",0,99999999999999999999]`), `f:2:18: number exceeds 64 bits`},
		{tx(`["w","a b",1]`), `f:2:16: want a variable of letters, digits and _`},
		{tx(`["w","",1]`), `f:2:16: want a variable of letters, digits and _`},
		{tx(`["w","é",1]`), `f:2:16: want a variable of letters, digits and _`},
		{tx(`["w","a\u0062",1]`), `f:2:16: want a string without escapes`},
		{tx(`["w",0]`), `f:2:17: want "," before "]]}]]"`},
		{tx(`7`), `f:2:11: want an event before "7]}]]"`},
		{tx(`{"Write":{"variable":0}}`), `f:2:20: want "variable" and "version"`},
		{tx(`{"Write":{"variable":0,"version":1,"x":1}}`), `f:2:46: key "x" does not belong here`},
		{tx(`{"write":true,"variable":0,"value":1}`), `f:2:11: want an event: {"Read": …}, {"Write": …} or write, variable, value and success`},
		{tx(`{"write":1,"variable":0,"value":1}`), `f:2:20: want true or false before "1,\"variable\":0,\"valu"`},
		{`[[{"events":[],"events":[],"committed":true}]]`, `f:1:16: key "events" comes twice`},
		{`[[{"events":[]}]]`, `f:1:3: want a transaction with "events" and "committed"`},
		{`{"info":"x"}`, `f:1:1: want the sessions as "data"`},
		{`{"info":x,"data":[]}`, `f:1:9: want a value: invalid character 'x' looking for beginning of value`},
		{`{"data":[]`, `f:1:11: want "," or "}" at the end of the file`},
		{`{"data:[]}`, `f:1:2: the string is not closed`},
		{`[[]] x`, `f:1:6: want the end of the file before "x"`},
		{"[]\x00", `f:1:3: want the end of the file before "\x00"`},
		{``, `f:1:1: want "{" at the end of the file`},
		{`[[{"events":[] "committed":true}]]`, `f:1:16: want "," or "}" before "\"committed\":true}]]"`},
	} {
		h, _, err := dbcop.ReadJSON([]byte(c.text), "f")
		if h != nil {
			t.Errorf("%.40q: a history, want none", c.text)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

func TestWriteFaults(t *testing.T) {
	h := skew("x", "y")
	h.Ops[0] = parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
	if err := dbcop.WriteText(io.Discard, h); err == nil || !strings.Contains(err.Error(), "thread 0 operation 1 is a fence") {
		t.Error(err)
	}
	if err := dbcop.Tagged.WriteJSON(io.Discard, h); err == nil || !strings.Contains(err.Error(), "thread 0 operation 1 is a fence") {
		t.Error(err)
	}
}

// Variables may be strings: names that a trace may have.
func TestNamedVariables(t *testing.T) {
	h, _, err := dbcop.ReadJSON([]byte(`[[{"committed":true,"events":[["w","a_Z9",1],{"Read":{"variable":"b","version":null}}]}],[]]`), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a_Z9", "b"}, h.Locations); diff != "" || h.Threads() != 2 {
		t.Error(diff, h.Threads())
	}
}
