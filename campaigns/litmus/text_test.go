package litmus

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
)

// reports are three: one without findings, one with forbidden outcomes, one
// whose run failed.
func reports() []*Report {
	state := func(count uint64, witness bool, value string) litmus7.State {
		return litmus7.State{Count: count, Witness: witness, Values: []litmus7.Binding{{Name: "0:rax", Value: value}}}
	}
	well := &Report{File: "a.litmus", Allowed: 2, AllowedSeen: 1, Rounds: 10, Runs: 1, Elapsed: time.Second, Herd: &Comparison{}}
	well.Result = litmus7.Result{Test: "A", Kind: litmus7.Allowed, Condition: "exists (0:rax=1)", States: []litmus7.State{state(10, false, "0")}}
	bad := &Report{File: "b.litmus", Allowed: 1, AllowedSeen: 1, Rounds: 30, Runs: 2, Elapsed: 2 * time.Second, Herd: &Comparison{OnlyHerd: []string{"h"}, OnlyOurs: []string{"o"}}}
	bad.Result = litmus7.Result{Test: "B", Kind: litmus7.Forbidden, Condition: "~exists (0:rax=1)", States: []litmus7.State{state(25, false, "0"), state(5, true, "1")}}
	bad.Forbidden = []Forbidden{
		{State: "0:rax=1;", Outcome: "P0 reads x=1", Count: 4, Witness: "a cycle\nof two", Dir: "runs/B-1"},
		{State: "0:rax=1;", Outcome: "P0 reads x=1; [x]=0", Count: 1},
	}
	failed := &Report{File: "c.litmus", Allowed: 1, Runs: 1, Failure: &Failure{Outcome: sim.Crash, Title: "it broke", Detail: "in\ntwo lines", Dir: "runs/C-1"}}
	failed.Result = litmus7.Result{Test: "C", Kind: litmus7.Required, Condition: "forall (0:rax=1)"}
	all := []*Report{well, bad, failed}
	for _, r := range all {
		r.Result.Tally()
	}
	return all
}

// TestText writes everything one after the other, and reads the histograms
// back among what stands between them.
func TestText(t *testing.T) {
	var out bytes.Buffer
	all := reports()
	for _, r := range all {
		if _, err := r.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
	}
	out.WriteString(Table(all).String())
	text := out.String()
	for _, want := range []string{
		"Observation A Never 0 10\n", "herd7 allows the same 2 states\n",
		"FORBIDDEN 4× 0:rax=1;\n  outcome  P0 reads x=1\n  a cycle\n  of two\n  explain  ordeal check --explain runs/B-1\n  repeat   ordeal repro runs/B-1\n",
		"FORBIDDEN 1× 0:rax=1;\n  outcome  P0 reads x=1; [x]=0\n",
		"DISAGREEMENT only herd7 allows h\nDISAGREEMENT herd7 forbids o\n",
		"CRASH: it broke\n  in\n  two lines\n  repeat   ordeal repro runs/C-1\n",
		"\nA        1/2      Never          0      10        10\n",
		"\nB        1/1  Sometimes          5      30        15\n",
		"\nC        0/1      Never          0       0         0  crash: it broke\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	results, err := litmus7.Parse("text", out.Bytes())
	if err != nil || len(results) != 3 {
		t.Fatalf("%d results read back: %v", len(results), err)
	}
	for i := range results {
		if results[i].Test != all[i].Result.Test || results[i].Positive != all[i].Result.Positive {
			t.Errorf("read back %+v", results[i])
		}
	}
	if diff := cmp.Diff([]any{false, true, true, uint64(5)}, []any{all[0].Finding(), all[1].Finding(), all[2].Finding(), all[1].ForbiddenRounds()}); diff != "" {
		t.Errorf("findings, forbidden rounds of the second (-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	suite := NewSuite(&Options{Model: "tso", Sim: "host", Seed: 3}, reports(), errors.Join(errors.New("d.litmus:3: odd"), errors.New("e.litmus: odd")))
	text, err := json.Marshal(suite)
	must.Succeed(t, err)
	var got struct {
		Model  string
		Faults []string
		Tests  []struct {
			Test, Observation string
			Rounds            int
			States            []struct{ Count uint64 }
			Forbidden         []struct{ Dir, Witness string }
			Failure           *struct{ Outcome string }
			Herd              *struct {
				Only []string `json:"only_herd"`
			}
		}
	}
	must.Succeed(t, json.Unmarshal(text, &got))
	if diff := cmp.Diff([]any{"tso", 2, 3}, []any{got.Model, len(got.Faults), len(got.Tests)}); diff != "" {
		t.Fatalf("model, number of faults, of tests (-want +got):\n%s", diff)
	}
	a, b, c := got.Tests[0], got.Tests[1], got.Tests[2]
	want := []any{uint64(10), "Sometimes", "runs/B-1", "h", "crash"}
	if diff := cmp.Diff(want, []any{a.States[0].Count, b.Observation, b.Forbidden[0].Dir, b.Herd.Only[0], c.Failure.Outcome}); diff != "" {
		t.Errorf("count, observation, directory, state of herd7 only, outcome (-want +got):\n%s", diff)
	}
}

// TestOrder runs tests several at a time: the reports come in order, and say
// the same as one after the other.
func TestOrder(t *testing.T) {
	var tests []*Test
	for _, name := range []string{"IRIW", "CoWW", "SB", "MP", "2+2W", "CoRR"} {
		tests = append(tests, shape(t, name))
	}
	huge := parseTest(t, "unfit", "", "P0; "+strings.TrimSuffix(strings.Repeat("movl $1,(x); ", 3), "; "), "exists (x=0)")
	huge.Program.Threads = append(huge.Program.Threads, nil) // and more than there are cores
	o := options(t, "tso")
	o.Rounds, o.Config.Cores = 200, 1
	faults, err := RunAll(t.Context(), []*Test{huge}, o, 1, func(*Report) error { return nil })
	must.Succeed(t, err)
	if faults == nil || !strings.Contains(faults.Error(), "unfit.litmus: ") {
		t.Errorf("faults %v, want one of unfit.litmus", faults)
	}
	o.Config.Cores = 0
	texts := map[int]string{}
	for _, workers := range []int{1, 3} {
		var out strings.Builder
		next := 0
		faults, err := RunAll(t.Context(), tests, o, workers, func(r *Report) error {
			if r.Result.Test != tests[next].Name {
				t.Errorf("report of %s, want %s", r.Result.Test, tests[next].Name)
			}
			next++
			r.Result.Time = -1
			_, err := r.WriteTo(&out)
			return err
		})
		if err := errors.Join(faults, err); err != nil {
			t.Fatalf("%d workers: %v", workers, err)
		}
		if next != len(tests) {
			t.Fatalf("%d workers: %d reports, want %d", workers, next, len(tests))
		}
		texts[workers] = out.String()
	}
	if texts[1] != texts[3] {
		t.Errorf("one worker says\n%s\nthree say\n%s", texts[1], texts[3])
	}
	stop := errors.New("enough")
	if _, err := RunAll(t.Context(), tests, o, 2, func(*Report) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}
