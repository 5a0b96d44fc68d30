package litmus7_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse/formats/litmus7"
)

var exported = cmpopts.IgnoreUnexported(litmus7.Result{})

// sb is the first result of testdata/litmus7.log, read by hand.
func sb() litmus7.Result {
	binding := func(name, value string) litmus7.Binding { return litmus7.Binding{Name: name, Value: value} }
	state := func(count uint64, witness bool, a, b string) litmus7.State {
		return litmus7.State{Count: count, Witness: witness, Values: []litmus7.Binding{binding("0:rax", a), binding("1:rax", b)}}
	}
	return litmus7.Result{
		Test: "SB", Kind: litmus7.Allowed,
		States: []litmus7.State{
			state(3, true, "0", "0"), state(4999990, false, "1", "0"),
			state(5000001, false, "0", "1"), state(6, false, "1", "1"),
		},
		OK: true, Positive: 3, Negative: 9999997,
		Condition:   `exists (0:rax=0 /\ 1:rax=0)`,
		Hash:        "00112233445566778899aabbccddeeff",
		Observation: litmus7.Sometimes, Time: 1250 * time.Millisecond,
		Info: []string{"Cycle=Fre PodWR Fre PodWR"},
	}
}

func read(t testing.TB, path string) (string, []litmus7.Result) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	results, err := litmus7.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), results
}

func write(t testing.TB, results []litmus7.Result) string {
	t.Helper()
	var out bytes.Buffer
	for i := range results {
		if err := litmus7.Write(&out, &results[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestParse(t *testing.T) {
	_, results := read(t, "testdata/litmus7.log")
	if len(results) != 3 {
		t.Fatalf("%d results, want 3", len(results))
	}
	if diff := cmp.Diff(sb(), results[0], exported); diff != "" {
		t.Error(diff)
	}
	// What the Witnesses line of ~exists calls positive does not make the
	// proposition hold.
	want := []litmus7.Result{
		{Test: "MP", Kind: litmus7.Forbidden, OK: true, Negative: 100},
		{Test: "CoWW", Kind: litmus7.Required, Positive: 99, Negative: 1, Time: -1},
	}
	counts := cmpopts.IgnoreFields(litmus7.Result{}, "States", "Condition", "Hash", "Observation", "Info")
	if diff := cmp.Diff(want, results[1:], exported, counts); diff != "" {
		t.Errorf("MP and CoWW (-want +got):\n%s", diff)
	}
	_, results = read(t, "testdata/herd7.log")
	if len(results) != 2 {
		t.Fatalf("herd7: %d results, want 2", len(results))
	}
	if diff := cmp.Diff([]any{litmus7.Herd7, uint64(1)}, []any{results[0].Form, results[0].Positive}); diff != "" {
		t.Errorf("herd7: form and positive outcomes (-want +got):\n%s", diff)
	}
}

// The examples are in canonical form, but for what precedes the first result.
func TestWrite(t *testing.T) {
	for _, path := range []string{"testdata/litmus7.log", "testdata/herd7.log"} {
		text, results := read(t, path)
		want := strings.TrimRight(text[strings.Index(text, "Test "):], "\n") + "\n\n"
		if diff := cmp.Diff(want, write(t, results)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// Faults have no values, instructions have spaces, and loops may be cut short.
func TestOddities(t *testing.T) {
	const text = `Test A Allowed
States 2
0:X0=instr:"ADD W0,W0, #1"; ~Fault(P0,x);
Fault(P0:L0,x:red,TagCheck); x=1; # a comment
Loop Ok
Witnesses
Positive: 1 Negative: 1
Condition exists (fault(P0,x))
Observation A Sometimes 1 1
`
	results, err := litmus7.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]litmus7.Binding{{{Name: "0:X0", Value: `instr:"ADD W0,W0, #1"`}, {Name: "~Fault(P0,x)"}}, {{Name: "Fault(P0:L0,x:red,TagCheck)"}, {Name: "x", Value: "1"}}}
	for i, values := range want {
		if diff := cmp.Diff(values, results[0].States[i].Values); diff != "" {
			t.Error(diff)
		}
	}
	if got := write(t, results); got != strings.Replace(text, " # a comment", "", 1)+"\n" || !results[0].Loop {
		t.Error(got)
	}
}

// Tally derives what the tool printed.
func TestTally(t *testing.T) {
	_, results := read(t, "testdata/litmus7.log")
	for _, want := range results {
		got := want
		got.OK, got.Positive, got.Negative, got.Observation = !got.OK, 7, 7, litmus7.ObservationUnknown
		got.Tally()
		if diff := cmp.Diff(want, got, exported); diff != "" {
			t.Errorf("%s: %s", want.Test, diff)
		}
	}
}

func TestFaults(t *testing.T) {
	data, err := os.ReadFile("testdata/litmus7.log")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, c := range []struct{ old, new, want string }{
		{"Test SB Allowed", "Test SB Permitted", ""}, // no result: skipped
		{"Histogram (4 states)", "Histogram 4", `parse f:16: "Histogram 4" where "Histogram (N states)" or "States N" is expected`},
		{"Histogram (4 states)", "Histogram (5 states)", `parse f:21: "Ok" where state 5 of 5 is expected`},
		{"Histogram (4 states)", "Histogram (3 states)", `parse f:20: "6     :>0:rax=1; 1:rax=1;" where Ok or No is expected`},
		{"3     *>0", "3     0", `parse f:17: "3     0:rax=0; 1:rax=0;" where state 1 of 4, a count and :> or *>, is expected`},
		{"3     *>0", "x     *>0", `parse f:17: "x" is no count`},
		{"3     *>0:rax=0", "3     *>0:rax", `parse f:17: "0:rax": want NAME=VALUE;`},
		{"*>0:rax=0; 1:rax=0;", "*>0:rax=0; 1:rax=0", `parse f:17: "1:rax=0": want NAME=VALUE;`},
		{"*>0:rax=0; 1:rax=0;", "*>0:rax=0; 0:rax=0;", `parse f:17: the state names 0:rax twice`},
		{"4999990:>0:rax=1; 1:rax=0;", "4999990:>0:rax=0; 1:rax=0;", `parse f:15: test SB: state 2: 0:rax=0; 1:rax=0; is listed twice`},
		{"Positive: 3,", "Positive: 4,", `parse f:28: 3 positive and 9999997 negative observed, but the witnesses are 4 and 9999997`},
		{"3     *>", "4     *>", `parse f:15: test SB: 3 positive and 9999997 negative: the states have 4 and 9999997`},
		{"Ok\n", "No\n", `parse f:25: the condition is validated, but the result is No`},
		{"Witnesses\n", "Witness\n", `parse f:23: "Witness" where "Witnesses" is expected`},
		{"Condition exists", "Kondition exists", `parse f:25: "Kondition exists (0:rax=0 /\\ 1:rax=0) is validated" where the condition is expected`},
		{"is validated\nHash", "\nHash", `parse f:25: "Condition exists (0:rax=0 /\\ 1:rax=0)" where the condition and "is validated" or "is NOT validated" is expected`},
		{"Observation SB Sometimes", "Observation SB Never", `parse f:15: test SB: observation Never with 3 positive and 9999997 negative: want Sometimes`},
		{"Observation SB Sometimes", "Observation SB Seldom", `parse f:28: "Seldom": want Never, Sometimes or Always`},
		{"Observation SB", "Observation LB", `parse f:28: "Observation LB Sometimes 3 9999997" where "Observation SB Never, Sometimes or Always N N" is expected`},
		{"Observation SB Sometimes 3 9999997\nTime SB 1.25\n", "", `parse f:29: "Test MP Forbidden" where the observation is expected`},
		{"Time SB 1.25", "Time SB NaN", `parse f:29: "NaN" is no time in seconds`},
	} {
		broken := strings.Replace(text, c.old, c.new, 1)
		if broken == text {
			t.Fatalf("%q is not in the text", c.old)
		}
		results, err := litmus7.Parse("f", []byte(broken))
		if c.want == "" {
			if err != nil || len(results) != 2 {
				t.Errorf("%q: %d results, error %v", c.new, len(results), err)
			}
			continue
		}
		if results != nil {
			t.Errorf("%q: %d results, want none", c.new, len(results))
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: error\n%v\nwant\n%s", c.new, err, c.want)
		}
	}
	if _, err := litmus7.Parse("f", []byte("nothing")); err == nil || !strings.Contains(err.Error(), "begins a result") {
		t.Errorf("no result: %v", err)
	}
}

// Validate refuses what would not read back, and Write what is not valid.
func TestValidate(t *testing.T) {
	for name, damage := range map[string]func(*litmus7.Result){
		"test":        func(r *litmus7.Result) { r.Test = "S B" },
		"kind":        func(r *litmus7.Result) { r.Kind = 0 },
		"variable":    func(r *litmus7.Result) { r.States[0].Values[0].Name = "a=b" },
		"value":       func(r *litmus7.Result) { r.States[0].Values[0].Value = "1;" },
		"condition":   func(r *litmus7.Result) { r.Condition = "" },
		"validated":   func(r *litmus7.Result) { r.Condition += " is validated" },
		"hash":        func(r *litmus7.Result) { r.Hash = "a b" },
		"time":        func(r *litmus7.Result) { r.Time = time.Millisecond },
		"info":        func(r *litmus7.Result) { r.Info = []string{"Time SB 1"} },
		"ok":          func(r *litmus7.Result) { r.OK = false },
		"sum":         func(r *litmus7.Result) { r.Positive++ },
		"observation": func(r *litmus7.Result) { r.Observation = litmus7.Always },
		"no fault":    func(r *litmus7.Result) { r.States[0].Values[0].Value = "" },
		"fault":       func(r *litmus7.Result) { r.States[0].Values[0].Name = "Fault(P0)" },
		"loop":        func(r *litmus7.Result) { r.Loop = true },
		"form":        func(r *litmus7.Result) { r.Form = litmus7.Herd7 },
		"twice":       func(r *litmus7.Result) { r.States[1] = r.States[0]; r.Tally() },
	} {
		r := sb()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		damage(&r)
		if r.Validate() == nil || litmus7.Write(&bytes.Buffer{}, &r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full disk") }

func TestWriteError(t *testing.T) {
	r := sb()
	if err := litmus7.Write(failing{}, &r); err == nil || err.Error() != "write result of SB: full disk" {
		t.Error(err)
	}
}

// FuzzParse demands that what is accepted is written and read back the same.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/litmus7.log", "testdata/herd7.log"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		results, err := litmus7.Parse("fuzz", data)
		if err != nil {
			return
		}
		text := write(t, results)
		again, err := litmus7.Parse("again", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(results, again, exported, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-first +again)\n%s", diff)
		}
	})
}
