package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoverage(t *testing.T) {
	run := func(counts ...uint64) Coverage {
		c := Coverage{
			{Row: Row{Machine: "L1", State: "I", Event: "Load"}}, {Row: Row{Machine: "L1", State: "I", Event: "Inv"}},
			{Row: Row{Machine: "L1", State: "M", Event: "Odd"}},
			{Row: Row{Machine: "Dir", State: "I", Event: "Get"}},
		}
		for i, n := range counts {
			c[i].Count = n
		}
		return c
	}
	var sum Coverage
	first := run(2, 0, 0, 1)
	for i, step := range []struct {
		run   Coverage
		fresh int
	}{
		{first, 2}, {run(1, 0, 0, 0), 0}, {run(0, 0, 3, 1), 1},
		{Coverage{{Row: Row{Machine: "Dir", State: "I", Event: "Get"}, Count: 5}, {Row: Row{Machine: "Dir", State: "I", Event: "Put"}, Count: 1}}, 1},
	} {
		if fresh := sum.Add(step.run); fresh != step.fresh {
			t.Errorf("run %d: %d new transitions, want %d", i, fresh, step.fresh)
		}
	}
	if diff := cmp.Diff(run(2, 0, 0, 1), first); diff != "" {
		t.Errorf("a run that was added (-want +got)\n%s", diff)
	}
	var counts []uint64
	var runs []int
	for _, transition := range sum {
		counts, runs = append(counts, transition.Count), append(runs, transition.Runs)
	}
	if diff := cmp.Diff([]int{2, 0, 1, 3, 1}, runs); diff != "" {
		t.Errorf("runs (-want +got)\n%s", diff)
	}
	var twice Coverage
	twice.Add(sum)
	twice.Add(sum)
	if twice[3].Runs != 6 || twice[1].Runs != 0 {
		t.Errorf("a sum of sums has runs %d and %d, want 6 and 0", twice[3].Runs, twice[1].Runs)
	}
	if diff := cmp.Diff([]uint64{3, 0, 3, 7, 1}, counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]int{4, 1}, []int{sum.Taken(), len(sum.Missing())}); diff != "" {
		t.Errorf("taken, missing (-want +got)\n%s", diff)
	}
	var text strings.Builder
	if _, err := sum.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	var reached strings.Builder
	if _, err := sum.WriteTaken(&reached); err != nil {
		t.Fatal(err)
	}
	wantReached := "L1\n           reached in I: Load\n           reached in M: Odd\nDir\n           reached in I: Get, Put\n"
	if diff := cmp.Diff(wantReached, reached.String()); diff != "" {
		t.Errorf("reached (-want +got)\n%s", diff)
	}
	taken := Coverage{{Row: Row{Machine: "L1", State: "I", Event: "Load"}, Count: 5}}
	var part strings.Builder
	if _, err := taken.WriteTo(&part); err != nil {
		t.Error(err)
	}
	if want := "L1         1 transitions taken\n"; part.String() != want {
		t.Errorf("part: %q, want %q", part.String(), want)
	}
	if taken.Whole() || !sum.Whole() {
		t.Errorf("the part is whole: %v, the sum is: %v", taken.Whole(), sum.Whole())
	}
	want := `L1         2 of 3 transitions taken, 66.7 %
           never in I: Inv
Dir        2 of 2 transitions taken, 100.0 %
`
	if text.String() != want {
		t.Errorf("text\n%s\nwant\n%s", &text, want)
	}
}
