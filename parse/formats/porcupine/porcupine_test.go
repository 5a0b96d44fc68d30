package porcupine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
	"ordeal/parse/formats/porcupine"
)

const register = `{"ClientId":0,"Input":{"Op":"put","Value":100},"Call":0,"Output":null,"Return":100,"Metadata":null}
{"client":1,"input":{"op":"get"},"call":25,"output":100,"return":75}
{"client":1,"input":{"op":"get"},"call":75,"output":{"value":0},"return":80}
{"client":2,"input":{"op":"cas","from":100,"to":7},"call":30,"output":true,"return":60}
{"client":3,"input":{"op":"put","value":8},"call":31}
`

// The three notations, read by hand. Client 1's reads touch at 75: closed
// intervals overlap.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  *parse.History
		notes []string
	}{
		{register, &parse.History{
			Ops: []parse.Op{
				{Kind: parse.Write, RF: parse.NoOp, Write: 100},
				{Kind: parse.Read, RF: 0, Read: 100},
				{Kind: parse.RMW, RF: 0, Read: 100, Write: 7},
				{Kind: parse.Write, RF: parse.NoOp, Write: 8},
				{Kind: parse.Read, RF: parse.Init},
			},
			Start: []parse.OpID{0, 1, 2, 3, 4, 5}, ThreadNames: []string{"0", "1", "2", "3", "1_2"}, Locations: []string{"register"},
			Times: []parse.Interval{{Call: 0, Return: 100}, {Call: 25, Return: 75}, {Call: 30, Return: 60}, {Call: 31, Return: parse.Pending}, {Call: 75, Return: 80}},
		}, nil},
		// 0 is written, so values are numbered; nil is the initial value.
		{`INFO  jepsen.core - starting
INFO  jepsen.util - 0	:invoke	:read	nil
INFO  jepsen.util - 1	:invoke	:write	0
INFO  jepsen.util - 0	:ok	:read	nil
INFO  jepsen.util - 2	:invoke	:cas	[0 3]
INFO  jepsen.util - 1	:info	:write	:timed-out
INFO  jepsen.util - 2	:ok	:cas	[0 3]
INFO  jepsen.util - 3	:invoke	:cas	[3 9]
INFO  jepsen.util - 0	:invoke	:read	nil
INFO  jepsen.util - 0	:fail	:read	:timed-out
INFO  jepsen.util - 4	:invoke	:cas	[5 6]
INFO  jepsen.util - 4	:fail	:cas	[5 6]
`, &parse.History{
			Ops: []parse.Op{
				{Kind: parse.Read, RF: parse.Init},
				{Kind: parse.Write, RF: parse.NoOp, Write: 1},
				{Kind: parse.RMW, RF: 1, Read: 1, Write: 2},
			},
			Start: []parse.OpID{0, 1, 2, 3}, ThreadNames: []string{"0", "1", "2"}, Locations: []string{"register"},
			Times: []parse.Interval{{Call: 2, Return: 4}, {Call: 3, Return: parse.Pending}, {Call: 5, Return: 7}},
		}, []string{"1 reads without an answer", "1 operations that failed", "1 pending compare-and-sets whose value was not read"}},
		{`{:process 0, :type :invoke, :f :put, :key "k", :value "a b"}
{:process 1, :type :invoke, :f :get, :key "k", :value nil}
{:process 1, :type :ok, :f :get, :key "k", :value "a b"}
{:process 0, :type :ok, :f :put, :key "k", :value "a b"}
{:process 1, :type :invoke, :f :get, :key "k", :value nil}
{:process 1, :type :ok, :f :get, :key "k", :value ""}
`, &parse.History{
			Ops: []parse.Op{
				{Kind: parse.Write, RF: parse.NoOp, Write: 1},
				{Kind: parse.Read, RF: 0, Read: 1},
				{Kind: parse.Read, RF: parse.Init},
			},
			Start: []parse.OpID{0, 1, 3}, ThreadNames: []string{"0", "1"}, Locations: []string{"k"},
			Times: []parse.Interval{{Call: 1, Return: 4}, {Call: 2, Return: 3}, {Call: 5, Return: 6}},
		}, nil},
		// A pending compare-and-set that took effect, by another pending one.
		{`{"client":0,"input":{"op":"cas","from":null,"to":1},"call":1}
{"client":1,"input":{"op":"cas","value":[1,2]},"call":2}
{"client":2,"input":{"op":"read"},"call":3,"return":4,"output":2}
`, &parse.History{
			Ops: []parse.Op{
				{Kind: parse.RMW, RF: parse.Init, Write: 1},
				{Kind: parse.RMW, RF: 0, Read: 1, Write: 2},
				{Kind: parse.Read, RF: 1, Read: 2},
			},
			Start: []parse.OpID{0, 1, 2, 3}, ThreadNames: []string{"0", "1", "2"}, Locations: []string{"register"},
			Times: []parse.Interval{{Call: 1, Return: parse.Pending}, {Call: 2, Return: parse.Pending}, {Call: 3, Return: 4}},
		}, nil},
	} {
		h, notes, err := read(c.text)
		if err != nil {
			t.Errorf("%v in\n%s", err, c.text)
			continue
		}
		if diff := cmp.Diff(c.want, h, cmpopts.IgnoreUnexported(parse.History{})); diff != "" {
			t.Errorf("%s\n%s", c.text, diff)
		}
		if diff := cmp.Diff(c.notes, notes); diff != "" {
			t.Errorf("%s\n%s", c.text, diff)
		}
	}
}

// read is the history of a text, or why there is none.
func read(text string) (*parse.History, []string, error) {
	r, err := porcupine.Read(strings.NewReader(text), "f")
	if err != nil {
		return nil, nil, err
	}
	return r.History, r.Notes, r.Repeated
}

// Each fault names its line, and nothing is guessed.
func TestFaults(t *testing.T) {
	const ok = `{"client":0,"input":{"op":"put","value":1},"call":0,"return":1}` + "\n"
	for _, c := range []struct{ text, want string }{
		{ok + `{"client":1,"input":{"op":"put","value":1},"call":0,"return":1}`, "f:2: writes 1 to register, as line 1 does: reads would not name their writer"},
		{ok + `{"client":1,"input":{"op":"get"},"call":0,"return":1,"output":5}`, "f:2: reads 5 from register, which no operation writes there"},
		{ok + `{"client":1,"input":{"op":"cas","from":1,"to":2},"call":0,"return":1,"output":false}`, "f:2: a cas from 1 of register failed: what it read instead is not known"},
		{ok + `{"client":1,"input":{"op":"append","value":1},"call":0,"return":1}`, `f:2: append: only a register that is written as a whole tells from whom reads read`},
		{ok + `{"client":1,"input":{"op":"get"},"call":3,"return":1,"output":5}`, "f:2: returns at 1, before its call at 3"},
		{ok + `{"client":1,"input":{"op":"get"},"call":0,"return":1}`, `f:2: "output" is missing: what the read returned`},
		{ok + `{"client":1,"input":{"op":"put","value":null},"call":0,"return":1}`, "f:2: writes nothing, the initial value, to register"},
		{ok + `{"client":"a b","input":{"op":"get"},"call":0,"return":1,"output":1}`, `f:2: client "a b": want a word of letters, digits and _`},
		{ok + `{"client":1,"input":{"op":"get"},"call":0,"return":1,"output":1} {}`, "f:2: more than one value on the line"},
		{`{:process 0, :type :invoke, :f :pop, :value nil}`, `f:1: operation "pop": want read, write, cas, append, txn, acquire or release`},
		{"INFO jepsen.util - 0 :ok :read 1", "f:1: process 0 ends an operation that it did not invoke"},
		{"INFO jepsen.util - 0 :invoke :read nil\nINFO jepsen.util - 0 :invoke :read nil", "f:2: process 0 invokes an operation while that of line 1 is under way"},
		{`{:process 0, :type :invoke, :f :put, :key "k", :value "a}`, "f:1: the string is not closed"},
		{`{:process 0, :type :invoke, :f :append, :key "k", :value "a"}`, `f:1: append: only a register that is written as a whole tells from whom reads read`},
	} {
		_, _, err := read(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n%v, want\n%s", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(register)
	f.Add("INFO jepsen.util - 0 :invoke :cas [1 2]\nINFO jepsen.util - 0 :ok :cas [1 2]")
	f.Add(`{:process 0, :type :invoke, :f :put, :key "k", :value "a"}`)
	f.Fuzz(func(t *testing.T, text string) {
		h, _, err := read(text)
		if err != nil {
			return
		}
		if err := h.Validate(); err != nil {
			t.Fatal(err)
		}
		for th := range h.Threads() {
			for id := h.Start[th] + 1; id < h.Start[th+1]; id++ {
				if !h.Times[id-1].Before(h.Times[id]) {
					t.Fatalf("operations %d and %d of a thread overlap", id-1, id)
				}
			}
		}
	})
}
