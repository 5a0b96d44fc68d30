package journal

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/sim"
)

// likeJSON requires that a line is decoded as json.Unmarshal does.
func likeJSON(t *testing.T, l *lines, text []byte) {
	t.Helper()
	want, got := &Entry{Result: &rundir.Result{}}, &Entry{Result: &rundir.Result{}}
	errWant, errGot := json.Unmarshal(bytes.TrimSpace(text), want), l.decode(text, got)
	if (errWant == nil) != (errGot == nil) || errWant != nil && errWant.Error() != errGot.Error() {
		t.Fatalf("%s\nis refused with %v, want %v", text, errGot, errWant)
	}
	if errWant != nil {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Entry{}, rundir.Result{})); diff != "" {
		t.Fatalf("%s\n(-json +line):\n%s", text, diff)
	}
}

// fullEntry has all that a line can have.
func fullEntry() *Entry {
	return &Entry{
		Number: 7, At: 12345678901, ConfigName: "mi", Program: rundir.Hash(nil), Kept: true, Quarantine: "000007-2", Known: 2,
		New: sim.Coverage{{Row: sim.Row{Machine: "L1", State: "I", Event: "Load"}}}, Counts: []uint64{3, 0, 1},
		Result: &rundir.Result{
			Version: 1, Outcome: sim.Violation, Title: "<forbidden> by “tso”", Detail: "a\n\tb\"c\\", ExecutableHash: "e", LogHash: "l", Operations: 12,
			Answers: []rundir.Answer{
				{Model: "tso", Answer: check.Forbidden.String(), Procedure: "greedy", Search: 5, Evidence: 6}, {Model: "sc", Answer: "unknown", Reason: "time"},
			},
			Covered: &rundir.Covered{Taken: 2, Total: 3, New: 1}, Elapsed: 99, Alone: &rundir.Alone{Outcome: sim.Crash, Title: "x", Recurs: true},
		},
	}
}

// TestLines compares the decoder with json.Unmarshal: on a line with everything,
// each line that a byte of it makes, removed or replaced, and forms that
// json.Marshal does not write.
func TestLines(t *testing.T) {
	for _, l := range []*lines{{}, {spare: new(spare)}} {
		testLines(t, l)
	}
}

func testLines(t *testing.T, l *lines) {
	whole, err := json.Marshal(fullEntry())
	must.Succeed(t, err)
	likeJSON(t, l, whole)
	for i := range whole {
		likeJSON(t, l, slices.Delete(slices.Clone(whole), i, i+1))
		likeJSON(t, l, whole[:i])
		for _, c := range []byte("\"\\,:}]0-.é\x00") {
			changed := slices.Clone(whole)
			changed[i] = c
			likeJSON(t, l, changed)
		}
	}
	for _, text := range []string{
		``, `{}`, `[]`, `null`, `7`, `{"number":null}`, `{"number":-1}`, `{"number":01}`, `{"number":1.0}`, `{"number":1e2}`, `{"number":"1"}`,
		`{"number":1,"number":2}`, `{"Number":1,"number":2}`, `{"number":1,"Number":2}`, `{"\u006eumber":1}`, `{ "number" : 1 }`, `{"number":1}}`,
		`{"number":9223372036854775807}`, `{"number":9223372036854775808}`, `{"counts":[18446744073709551615]}`, `{"counts":null}`, `{"counts":[]}`,
		`{"counts":[1,]}`, `{"counts":[1`, `{"counts":[1,2],"known":1}`, `{"answers":null}`, `{"answers":[]}`, `{"answers":[{}]}`, `{"answers":[{"odd":1}]}`,
		`{"covered":null}`, `{"covered":{}}`, `{"covered":{"taken":1,"Taken":2}}`, `{"odd":{"a":[1,{"b":"]}"}],"c":null},"number":3}`, `{"odd":tru}`,
		`{"odd":1,"odd":2,"number":3}`, `{"odd":,"number":3}`, `{"odd":}`, `{"kept":tru}`, `{"kept":trueish}`, `{"outcome":"odd"}`, `{"outcome":""}`,
		`{"at_ns":5,"elapsed_ns":-5}`, `{"title":"\ud800"}`, `{"title":"` + "\xff" + `"}`, `{"title":"é"}`, `{"new":[{"machine":"a","count":1}],"New":[]}`,
		`{"alone":{"recurs":true},"number":4,"ALONE":null}`, `{"odd":"a\"b","number":3}`, `{"odd":1 ,"number":3}`, "{\"number\":1}\n",
	} {
		likeJSON(t, l, []byte(text))
	}
}

// TestLinesFast requires that what Append writes is decoded here, but for members
// that few lines have.
func TestLinesFast(t *testing.T) {
	e := fullEntry()
	e.Quarantine, e.New, e.Alone = "", nil, nil
	text, err := e.encode()
	must.Succeed(t, err)
	text = bytes.TrimSpace(text)
	l := &lines{text: text}
	var others []byte
	got := &Entry{Result: &rundir.Result{}}
	if !l.object(func(key []byte) bool { return l.member(key, got, &others) }) || len(others) > 0 {
		t.Errorf("%s is left to json.Unmarshal, from byte %d: %s", text, l.at, others)
	}
}

func FuzzLines(f *testing.F) {
	whole, err := json.Marshal(fullEntry())
	must.Succeed(f, err)
	f.Add(whole)
	f.Add([]byte(`{"odd":{"a":["]}"]},"number":3,"counts":[1,2],"answers":[{"model":"sc"}],"covered":{"taken":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		likeJSON(t, new(lines), text)
		sharing := &lines{spare: new(spare)}
		likeJSON(t, sharing, whole)
		likeJSON(t, sharing, text)
	})
}
