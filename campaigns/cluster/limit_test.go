package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/progress"
	"ordeal/sim"
)

// limited is a simulator that sends limitSignal to this process in the run after
// some others, and waits in it until it is given up.
type limited struct {
	fake.Runner
	mu    sync.Mutex
	after int
}

func (r *limited) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.after--; r.after >= 0 {
		return r.Runner.Run(ctx, job)
	}
	if err := unix.Kill(os.Getpid(), limitSignal); err != nil {
		return sim.Result{}, err
	}
	<-ctx.Done()
	return sim.Result{}, ctx.Err()
}

// TestTimeLimit has the job of a shard get near its time limit: it requeues
// itself unless it has made no run, or Slurm refuses. The job that follows makes
// the rest.
func TestTimeLimit(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 1, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CPUS_ON_NODE", "1")
	t.Setenv("SLURM_JOB_ID", "6")
	run := func(after int) (*ShardResult, error) {
		job := ShardJob{Dir: d, Shard: 1, Engine: engine.Engine{
			Runner: func(string, *config.Config) (sim.Runner, error) { return &limited{after: after}, nil },
		}}
		return job.Run(t.Context())
	}
	status := func(queue string) string {
		commands(t, map[string]string{"squeue": queue})
		st, err := d.Status(t.Context())
		must.Succeed(t, err)
		var text strings.Builder
		must.Succeed(t, st.WriteText(&text, 0, "again"))
		must.Succeed(t, st.WriteBrief(&text))
		return text.String()
	}
	asked := filepath.Join(t.TempDir(), "asked")
	scontrol := func(exit string) {
		commands(t, nil)
		must.Succeed(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "scontrol"), []byte("#!/bin/sh\necho $* >>"+asked+"\n"+exit+"\n"), 0o755))
	}

	scontrol("")
	r, err := run(0)
	if err == nil || r.Requeued || !strings.Contains(err.Error(), "no run was recorded before the time limit") {
		t.Errorf("without a run: requeued %v, %v", r.Requeued, err)
	}
	if text := status("5|1|FAILED|n1|None"); !strings.Contains(text, "Shard 1 is not complete. Output of its jobs: ") {
		t.Errorf("the status is\n%s", text)
	}
	scontrol("echo denied >&2; exit 1")
	r, err = run(1)
	if err == nil || r.Requeued || !strings.Contains(err.Error(), "scontrol: exit status 1: denied") {
		t.Errorf("refused: requeued %v, %v", r.Requeued, err)
	}
	scontrol("")
	r, err = run(1)
	if err != nil || !r.Requeued || !r.Interrupted || r.Total().Runs != 2 {
		t.Errorf("requeued %v, interrupted %v, %d runs: %v", r.Requeued, r.Interrupted, r.Total().Runs, err)
	}
	if text, err := os.ReadFile(asked); string(text) != "requeue 6\nrequeue 6\n" {
		t.Errorf("scontrol is asked %q, %v", text, err)
	}
	for _, want := range []string{"pending (BeginTime)", "2 of 4 ", "shards: 1 pending;"} {
		if text := status("5|1|PENDING||BeginTime"); !strings.Contains(text, want) {
			t.Errorf("no %q in the status:\n%s", want, text)
		}
	}
	r, err = run(4)
	if err != nil || r.Requeued || r.Interrupted || r.Total().Runs != 4 {
		t.Errorf("the rest: %+v, %v", r, err)
	}
}

// TestBrief is one line whatever the states are.
func TestBrief(t *testing.T) {
	s := Status{
		Campaign: "night", Runs: 1500, Planned: 6000, Findings: 1, Rate: 12.34, EngineError: "squeue: no\nanswer",
		Shards: []ShardStatus{
			{Task: Task{State: "RUNNING"}}, {Task: Task{State: "COMPLETED"}, Progress: &progress.Status{State: "budget", Complete: true}}, {Task: Task{State: "RUNNING"}},
			{Task: Task{State: "FAILED"}, Error: "x"}, {},
		},
		Merge: Task{State: "PENDING", Reason: "Dependency"},
	}
	var text strings.Builder
	must.Succeed(t, s.WriteBrief(&text))
	want := "night: 1500 of 6000 runs (25.0 %), 12.3 runs/s; 1 finding; " +
		"shards: 2 running, 1 complete, 1 unreadable, 1 not submitted; merge: pending (Dependency); states are the last known ones: squeue: no answer\n"
	if text.String() != want {
		t.Errorf("it is\n%swant\n%s", &text, want)
	}
}

// TestHostileStatus has what acts on a terminal, and newlines, in all that a
// received directory says of its jobs: none of it is left in a status.
func TestHostileStatus(t *testing.T) {
	const evil = "x\x1b[2J\u202e\nfake"
	s := Status{
		Campaign: evil, EngineError: evil,
		Shards: []ShardStatus{
			{Task: Task{Shard: 1, Job: evil, State: evil, Reason: evil, Node: evil}, Error: evil},
			{Task: Task{Shard: 2, State: "FAILED"}, Progress: &progress.Status{State: evil}},
		},
		Merge: Task{Job: evil, State: evil, Reason: evil, Node: evil},
	}
	var text, brief strings.Builder
	must.Succeed(t, s.WriteText(&text, 0, "again"))
	must.Succeed(t, s.WriteBrief(&brief))
	for _, got := range []string{text.String(), brief.String()} {
		if strings.ContainsAny(got, "\x1b\u202e") || strings.Contains(got, "\nfake") || strings.Count(got, "fake") < 4 {
			t.Errorf("it is\n%q", got)
		}
	}
	if strings.Count(brief.String(), "\n") != 1 {
		t.Errorf("it is not one line:\n%s", &brief)
	}
}
