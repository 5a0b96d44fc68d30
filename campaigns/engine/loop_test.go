package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

const smallCampaign = `
name: small
seed: 3
configs:
  - {name: two, runs: 6, threads: 2, ops: 10, locations: 2, rounds: 3}
  - {name: three, runs: 6, threads: 3, ops: 10, locations: 2, rounds: 3, layout: packed}
`

// runSmall runs the small campaign on a fake simulator.
func runSmall(t *testing.T, ctx context.Context, runner sim.Runner, sets ...string) (*summary.Summary, error) {
	t.Helper()
	c, err := config.Parse("small.yaml", []byte(smallCampaign), sets)
	if err != nil {
		t.Fatal(err)
	}
	l := Engine{
		Dir: filepath.Join(t.TempDir(), "out"), Command: []string{"ordeal", "test"},
		Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil },
	}
	return l.Run(ctx, c)
}

func readEntries(t *testing.T, dir string) []journal.Entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, journal.RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	var lines []journal.Entry
	for text := range bytes.Lines(data) {
		var l journal.Entry
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestLoopNothingFound(t *testing.T) {
	sum, err := runSmall(t, context.Background(), &fake.Runner{})
	if err != nil {
		t.Fatal(err)
	}
	total := sum.Total()
	if total.Runs != 12 || total.Outcomes[sim.Passed] != 12 || sum.ExitStatus() != summary.ExitOK {
		t.Errorf("%d runs, outcomes %v, exit status %d", total.Runs, total.Outcomes, sum.ExitStatus())
	}
	// A memory without buffers is sequentially consistent.
	if total.Answers["sc"]["allowed"] != 12 || total.Weak != 0 {
		t.Errorf("answers %v, %d weak", total.Answers, total.Weak)
	}
	if got := len(readEntries(t, sum.Dir)); got != 12 {
		t.Errorf("%d lines in the journal, want 12", got)
	}
	// One example of each configuration stays.
	if dirs, _ := filepath.Glob(filepath.Join(sum.Dir, "*", rundir.SpecFile)); len(dirs) != 2 {
		t.Errorf("kept %v, want one run of each configuration", dirs)
	}
}

func TestLoopKeepAll(t *testing.T) {
	sum, err := runSmall(t, context.Background(), &fake.Runner{}, "keep=all")
	if err != nil {
		t.Fatal(err)
	}
	dirs, _ := filepath.Glob(filepath.Join(sum.Dir, "*", rundir.ResultFile))
	if len(dirs) != 12 {
		t.Errorf("kept %d runs, want 12", len(dirs))
	}
	for _, l := range readEntries(t, sum.Dir) {
		dir := rundir.Dir(filepath.Join(sum.Dir, rundir.Name(l.Number)))
		record, err := dir.Spec()
		if err != nil {
			t.Fatal(err)
		}
		p, err := dir.Program(record)
		if err != nil {
			t.Fatal(err)
		}
		again, err := record.Config.Programs.Program(record.Seed, record.Number)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Text(), again.Text()) || rundir.Hash(p.Text()) != l.Program {
			t.Errorf("run %d: the program is not that of its seed and number", l.Number)
		}
	}
}

func TestLoopFindings(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   fake.Fault
		outcome sim.Outcome
		status  int
		files   []string
	}{
		{"violation", fake.Stale, sim.Violation, summary.ExitFinding, []string{rundir.LogFile, "witness-tso.txt", rundir.ResultFile}},
		{"corrupt", fake.Torn, sim.Corrupt, summary.ExitFinding, []string{rundir.LogFile, rundir.ResultFile}},
		{"crash", fake.Crash, sim.Crash, summary.ExitFinding, []string{rundir.ResultFile}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum, err := runSmall(t, context.Background(), &fake.Runner{Fault: tt.fault})
			if err != nil {
				t.Fatal(err)
			}
			if sum.ExitStatus() != tt.status || len(sum.Findings) == 0 || sum.Findings[0].Outcome != tt.outcome {
				t.Fatalf("exit status %d, findings %+v", sum.ExitStatus(), sum.Findings)
			}
			for _, file := range append(tt.files, rundir.ProgramFile, rundir.SpecFile) {
				if _, err := os.Stat(filepath.Join(sum.Findings[0].Dir, file)); err != nil {
					t.Error(err)
				}
			}
			text := sum.Text()
			for _, want := range []string{"seed 3", sum.Findings[0].Title, "ordeal repro " + sum.Findings[0].Dir} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in the report\n%s", want, text)
				}
			}
		})
	}
}

func TestLoopGivesUpWithoutSimulator(t *testing.T) {
	sum, err := runSmall(t, context.Background(), &fake.Runner{Fault: fake.Absent})
	if err == nil || !strings.Contains(err.Error(), "no such simulator") {
		t.Errorf("error is %v, want one that says why", err)
	}
	if sum.ExitStatus() != summary.ExitInfra || len(sum.Findings) != 0 {
		t.Errorf("exit status %d, findings %v: infrastructure is no finding", sum.ExitStatus(), sum.Findings)
	}
}

// An interrupt loses nothing that was recorded.
func TestLoopInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	runner := &fake.Runner{Fault: fake.Slow, When: func(job sim.Job) bool {
		slow := strings.HasSuffix(job.Dir, rundir.Name(5))
		if slow {
			cancel()
		}
		return slow
	}}
	sum, err := runSmall(t, ctx, runner, "workers=1")
	if err != nil {
		t.Fatal(err)
	}
	if !sum.Interrupted || sum.Total().Runs != 5 || sum.ExitStatus() != summary.ExitUndecided {
		t.Errorf("interrupted %v, %d runs, exit status %d", sum.Interrupted, sum.Total().Runs, sum.ExitStatus())
	}
	if got := len(readEntries(t, sum.Dir)); got != 5 {
		t.Errorf("%d lines in the journal, want 5", got)
	}
	// The run in flight has left what was known before it.
	dir := rundir.Dir(filepath.Join(sum.Dir, rundir.Name(5)))
	if spec, err := dir.Spec(); err != nil {
		t.Error(err)
	} else if _, err := dir.Program(spec); err != nil {
		t.Error(err)
	}
	if _, err := dir.Result(); err == nil {
		t.Errorf("%s has a judgement although it did not end", dir)
	}
}

func TestLoopRefusesUsedDirectory(t *testing.T) {
	c, err := config.Parse("small.yaml", []byte(smallCampaign), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Engine{Dir: dir}).Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("error is %v", err)
	}
}
