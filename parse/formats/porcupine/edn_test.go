package porcupine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
	"ordeal/parse/formats/porcupine"
)

// The same operations, in each of the shapes that the stores of Jepsen and the data of
// Knossos have: a write of 5 to key 2, of whose end nothing is known, which a read
// returns, and a compare-and-set of it that times out.
var shapes = map[string]string{
	"maps": `{:index 0, :time 3, :type :invoke, :process 0, :f :write, :value [2 5]}
{:index 1, :time 4, :type :info, :process :nemesis, :f :start-partition, :value {:isolated #{"n1" "n2"}}}
{:index 2, :time 5, :type :info, :process 0, :f :write, :value nil, :error [:indefinite {:msg "cut; \"off\"", :at #inst "1970-01-01"}], :exception {:via [{:type a.b/C$d}]}}
{:index 3, :time 6, :type :invoke, :process 1, :f :read, :value [2 nil]}
{:index 4, :time 7, :type :ok, :process 1, :f :read, :value [2 5]}
{:index 5, :time 8, :type :invoke, :process 1, :f :cas, :value [2 [5 6]]}
{:index 6, :time 9, :type :fail, :process :nemesis, :f :stop-partition, :value nil}
{:index 7, :time 9, :type :info, :process 1, :f :cas, :value :timed-out, :error "timeout"}
`,
	"vector": `; a register
[ ; of key 2
 {:type :invoke :process 0 :f :write
  :value [2 5]} {:type :info :process :nemesis :f :kill}
 #jepsen.history.Op{:type :info, :process 0, :f :write, :value nil},

 {:type :invoke, :process 1, :f :read, :value [2 nil]}
 {:type :ok, :process 1, :f :read, :value (2 5)} {:type :invoke, :process 1, :f :cas, :value [2 [5 6]]}
 {:type :fail :process :nemesis :f :stop} {:type :info, :process 1, :f :cas, :value nil, :error {:a [[[1]]]}}]
`,
}

func TestShapes(t *testing.T) {
	want := &parse.History{
		Ops:   []parse.Op{{Kind: parse.Write, RF: parse.NoOp, Write: 5}, {Kind: parse.Read, RF: 0, Read: 5}},
		Start: []parse.OpID{0, 1, 2}, ThreadNames: []string{"0", "1"}, Locations: []string{"2"},
	}
	notes := []string{"1 pending compare-and-sets whose value was not read", "2 events of processes that are no clients (as :nemesis)"}
	times := map[string][]parse.Interval{
		"maps":   {{Call: 1, Return: parse.Pending}, {Call: 4, Return: 5}},
		"vector": {{Call: 3, Return: parse.Pending}, {Call: 7, Return: 8}},
	}
	for name, of := range times {
		if err := porcupine.Missed([]byte(shapes[name])); err != nil {
			t.Errorf("%s: not recognised: %v", name, err)
		}
		h, left, err := read(shapes[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.Times = of
		if diff := cmp.Diff(want, h, cmpopts.IgnoreUnexported(parse.History{})); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		if diff := cmp.Diff(notes, left); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// An array of operations in JSON is read as one a line are.
func TestArray(t *testing.T) {
	array := "[" + strings.ReplaceAll(strings.TrimSpace(register), "\n", ",\n") + "]\n"
	if err := porcupine.Missed([]byte(array)); err != nil {
		t.Error(err)
	}
	want, _, err := read(register)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := read(array)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(parse.History{})); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// What is cut off or nested without end is a fault of the line where it begins.
func TestShapeFaults(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	for _, c := range []struct{ text, want string }{
		{"{:process 0, :type :invoke, :f :read, :value nil", "f:1: the event is not closed"},
		{"\n[{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value nil}", "f:3: the vector is not closed"},
		{"[{:process 0, :type :invoke, :f :read}\nand\n{:process 0, :type :ok, :f :read, :value nil}]", `f:2: want an event as {:process …} before "and"`},
		{"{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value {:a 1}}", "f:2: a read that returns other than one value"},
		{"{:process 0, :type :invoke, :f :write, :value [1 2 3]}", "f:1: write of another value than the operation has: want one, of cas two"},
		{"{:process 0, :type :invoke, :f :read, :value " + deep, "f:1: the event is not closed"},
	} {
		_, _, err := read(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.80s\n%v, want\n%s", c.text, err, c.want)
		}
	}
	closed := "{:process :nemesis, :type :info, :f :start, :error " + deep + strings.Repeat("]", len(deep)) + "}\n" + shapes["maps"]
	if _, _, err := read(closed); err != nil {
		t.Errorf("an error nested a million deep: %.200v", err)
	}
}

// Registers that only transactions read begin with 0, too, where none reads nil.
func TestTransactionsFromZero(t *testing.T) {
	const text = `{:process 0, :type :invoke, :f :txn, :value [[:read :x nil] [:read :y nil]]}
{:process 0, :type :ok, :f :txn, :value [[:read :x 0] [:read :y 0]]}
`
	for _, c := range []struct{ text, initial string }{{text, "0"}, {strings.Replace(text, ":y 0", ":y nil", 1), ""}} {
		r, err := porcupine.Read(strings.NewReader(c.text), "f")
		if err != nil || r.Objects.Values[0] != c.initial {
			t.Errorf("%s: %v, %q, want %q", c.text, err, r.Objects.Values, c.initial)
		}
	}
}
