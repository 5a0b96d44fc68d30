package summary

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestApart has a finding of each kind: only those that show at the latencies of
// the simulated machine, or were not repeated there, make the campaign fail.
func TestApart(t *testing.T) {
	s := &Summary{Findings: []Finding{
		{Title: "not repeated"},
		{Title: "known", Known: &config.Known{}},
		{Title: "shows", Timing: &run.Timing{Seeds: 20, Same: 1}},
		{Title: "exploring", Timing: &run.Timing{Seeds: 20}},
	}}
	for anyLatency, want := range map[bool]int{false: 2, true: 3} {
		s.anyLatency = anyLatency
		if got := len(s.Unknown()); got != want {
			t.Errorf("any latency %v: %d findings make the campaign fail, want %d", anyLatency, got, want)
		}
	}
	if got, want := s.Findings[3].Timing.String(), "not seen at gem5's latencies in 20 seeds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.Findings[2].Timing.String(), "also at gem5's latencies (1 of 20 seeds)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUndecidedCanaries: a campaign that ends before the runs of a canary which
// nothing has caught is undecided; one that has them all, or a shard, is not.
func TestUndecidedCanaries(t *testing.T) {
	of := func(runs int, status Status, shard config.Shard) *Summary {
		return &Summary{BudgetSpent: true, Shard: shard, Rows: []Row{
			{Config: "clean", Runs: 3, Planned: 3}, {Config: "bug", Runs: runs, Planned: 3, Canary: &Canary{Status: status}},
		}}
	}
	for _, tt := range []struct {
		s      *Summary
		status int
		named  bool
	}{
		{of(2, StatusPending, config.Shard{}), ExitUndecided, true},
		{of(0, StatusPending, config.Shard{}), ExitUndecided, true},
		{of(2, StatusCaught, config.Shard{}), ExitOK, false},
		{of(3, StatusPending, config.Shard{}), ExitOK, false}, // fewer operations than its budget
		{of(2, StatusPending, config.Shard{Index: 1, Of: 2}), ExitOK, false},
	} {
		got := strings.Contains(strings.Join(strings.Fields(tt.s.Text()), " "), "undecided canaries, whose runs had not all ended: bug")
		if status := tt.s.ExitStatus(); status != tt.status || got != tt.named {
			t.Errorf("exit status %d, want %d, in\n%s", status, tt.status, tt.s.Text())
		}
	}
}

// TestCommands: what a model evaluates is explained by its history, a crash by what
// the simulator said and by a trace.
func TestCommands(t *testing.T) {
	dir := run.Dir(t.TempDir())
	if err := run.WriteFile(dir.Path(run.DiagnosisFile), []byte("x\n"), false); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		f    Finding
		dir  run.Dir
		want string
	}{
		{Finding{Outcome: sim.Violation, Traced: true}, "run", "explain trace reduce repeat"},
		{Finding{Outcome: sim.Violation}, "run", "explain reduce repeat"},
		{Finding{Outcome: sim.Crash, Traced: true}, dir, "log trace reduce repeat"},
		{Finding{Outcome: sim.Deadlock}, dir, "log reduce repeat"},
		{Finding{Outcome: sim.Missed}, dir, ""},
	} {
		var words []string
		for _, c := range tt.f.Commands("ordeal", &Reproducer{Dir: string(tt.dir)}) {
			words = append(words, c.Purpose)
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.f.Outcome, got, tt.want)
		}
	}
}

// TestWidth: messages are wrapped, whatever the number of names in them.
func TestWidth(t *testing.T) {
	s := &Summary{Simulator: "builtin: " + strings.Repeat("protocol mesi-two-level, tso cores, 2 directories; ", 6)}
	row := Row{Config: "a", Runs: 1, Planned: 1, Outcomes: map[sim.Outcome]int{}, Answers: map[string]map[string]int{}, Whole: true}
	for i := range 40 {
		row.Coverage = append(row.Coverage, sim.Transition{Row: sim.Row{Machine: "L1Cache", State: "a long name", Event: fmt.Sprintf("another long name %d", i)}, Count: uint64(i % 2)})
		s.Rows = append(s.Rows, Row{Config: fmt.Sprintf("a canary with a long name %d", i), Planned: 1, Canary: &Canary{Status: StatusPending}})
	}
	s.Rows = append(s.Rows, row)
	text := s.Text()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(text, "never: L1Cache (a long name,") || !strings.Contains(text, "and 32 more") {
		t.Errorf("not all is said in\n%s", text)
	}
}
