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

func TestWrite(t *testing.T) {
	h := skew("x", "y")
	if diff := cmp.Diff("[x:=1 y==?]\n[y==2]\n---\n[y:=2 x==?]\n", writeText(t, h)); diff != "" {
		t.Error(diff)
	}
	const head = `{"params":{"id":0,"n_node":2,"n_variable":2,"n_transaction":2,"n_event":2},
"info":"","start":"1970-01-01T00:00:00Z","end":"1970-01-01T00:00:00Z","data":[
[
`
	want := head + `{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true},
{"events":[{"Read":{"variable":1,"version":2}}],"committed":true}],
[
{"events":[{"Write":{"variable":1,"version":2}},{"Read":{"variable":0,"version":null}}],"committed":true}]]}
`
	var out bytes.Buffer
	if err := dbcop.WriteJSON(&out, h); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if !json.Valid(out.Bytes()) {
		t.Error("no JSON")
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
	type example struct{ text, want string }
	var list []example
	for _, c := range []example{ // events of a transaction in line 2, which is named
		{`{"Write":{"variable":0,"version":1}},{"Write":{"variable":0,"version":1}}`, "f:2:2: writes 1 to 0, as does line 2:2"},
		{`{"Read":{"variable":0,"version":1}}`, "f:2:2: value 1 of 0 is never written"},
		{`{"Write":{"variable":0,"version":null}}`, "f:2:2: a write of variable 0 without a version"},
		{`{"Write":{"variable":0}}`, "f:2:2: a write of variable 0 without a version"},
		{`{"Read":{"variable":0,"version":nil}}`, "f:2:2: want a transaction"},
		{`{"x":{}}`, `f:2:2: want events {"Read": …} or {"Write": …}: "x" is neither`},
		{`{"Write":{"variable":-1,"version":1}}`, "f:2:2: variable -1: want a number"},
		{`{"Write":{"variable":0,"version":1.5}}`, "number 1.5 into Go struct"},
		{`{"Write":{"variable":0,"version":01}}`, "f:2:2: want a transaction"},
		{`{"Write":{"variable":0,"version":99999999999999999999}}`, "number 99999999999999999999"},
		{`{"Write":{"variable":"a b","version":1}}`, "f:2:2: variable \"a b\": want a number, or a word"},
		{`{"Write":{"variable":"","version":1}}`, "f:2:2: variable \"\": want"},
		{`{"Write":{"variable":"a\u0062","version":1}}`, "f:2:2: variable \"a\\u0062\": want"},
		{`{"Write":{"variable":[1],"version":1}}`, "f:2:2: variable [1]: want"},
		{`7`, "f:2:2: want a transaction"},
		{`{}`, `f:2:2: want events {"Read": …} or {"Write": …}`},
		{`{"Write":{"version":1}}`, "f:2:2: variable : want a number"},
		{`{"Write":{"variable":0,"version":1,"x":1}}`, `unknown field "x"`},
	} {
		list = append(list, example{"[[\n {\"committed\":true,\"events\":[" + c.text + "]}]]", c.want})
	}
	for _, c := range append(list, []example{
		{`[[{"events":[]}]]`, `f:1:3: want a transaction with "events" and "committed"`},
		{`{"info":"x"}`, `f:1:1: want the sessions as "data"`},
		{`{"data":[],"data":[]}`, `f:1:12: key "data" does not belong here`},
		{`{"infos":"x"}`, `f:1:2: key "infos" does not belong here`},
		{`{"info":x,"data":[]}`, "f:1:9: invalid character 'x'"},
		{`{"data":[]`, `f:1:11: want a comma, or the end of what "{" opens`},
		{`[[]] x`, `f:1:6: want the end of the file before "x"`},
		{"[]\x00", `f:1:3: want the end of the file before "\x00"`},
		{``, `f:1:1: want "["`},
		{strings.Repeat("[", 1<<20), `f:1:3: want a transaction`},
		{`{"params":` + strings.Repeat("[", 1<<20), `f:1:11: invalid character`},
	}...) {
		h, _, err := dbcop.ReadJSON([]byte(c.text), "f")
		if h != nil {
			t.Errorf("%.40q: a history, want none", c.text)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%.90s: error\n%.200v\nwant\n%s", c.text, err, c.want)
		}
	}
}

func TestWriteFaults(t *testing.T) {
	h := skew("x", "y")
	h.Ops[0] = parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
	if err := dbcop.WriteText(io.Discard, h); err == nil || !strings.Contains(err.Error(), "thread 0 operation 1 is a fence") {
		t.Error(err)
	}
	if err := dbcop.WriteJSON(io.Discard, h); err == nil || !strings.Contains(err.Error(), "thread 0 operation 1 is a fence") {
		t.Error(err)
	}
}

// Variables may be strings: names that a trace may have.
func TestNamedVariables(t *testing.T) {
	h, _, err := dbcop.ReadJSON([]byte(`[[{"committed":true,"events":[{"Write":{"variable":"a_Z9","version":1}},{"Read":{"variable":"b","version":null}}]}],[]]`), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a_Z9", "b"}, h.Locations); diff != "" || h.Threads() != 2 {
		t.Error(diff, h.Threads())
	}
}
