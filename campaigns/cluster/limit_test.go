package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
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
// itself unless it has made no run, or Slurm refuses, and the status says so. The
// job that follows makes the rest.
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
	if text := status("5|1|FAILED|n1|None"); !strings.Contains(text, "Shard 1 ended before its time limit and is not requeued: no run was recorded") {
		t.Errorf("the status is\n%s", text)
	}
	scontrol("echo denied >&2; exit 1")
	r, err = run(1)
	if err == nil || r.Requeued || !strings.Contains(err.Error(), "scontrol: exit status 1: denied") {
		t.Errorf("refused: requeued %v, %v", r.Requeued, err)
	}
	if l, err := d.limit(1); err != nil || l.Requeued != 0 || !strings.Contains(l.NotRequeued, "denied") {
		t.Errorf("recorded is %+v, %v", l, err)
	}
	scontrol("")
	r, err = run(1)
	if err != nil || !r.Requeued || !r.Interrupted || r.Total().Runs != 2 {
		t.Errorf("requeued %v, interrupted %v, %d runs: %v", r.Requeued, r.Interrupted, r.Total().Runs, err)
	}
	if text, err := os.ReadFile(asked); string(text) != "requeue 6\nrequeue 6\n" {
		t.Errorf("scontrol is asked %q, %v", text, err)
	}
	for _, want := range []string{"pending (BeginTime), requeued at its time limit (1)", "shards: 1 requeued;"} {
		if text := status("5|1|PENDING||BeginTime"); !strings.Contains(text, want) || strings.Contains(text, "not requeued") {
			t.Errorf("no %q in the status:\n%s", want, text)
		}
	}
	r, err = run(4)
	if err != nil || r.Requeued || r.Interrupted || r.Total().Runs != 4 {
		t.Errorf("the rest: %+v, %v", r, err)
	}
}

// TestMergeTimeLimit has the job that merges get near its time limit while another
// process merges: it requeues itself, and merges half as many shards at once,
// until one is too long. The status says so.
func TestMergeTimeLimit(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 4, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "7"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 4; i++ {
		_, err := (&ShardJob{Dir: d, Shard: i}).Run(t.Context())
		must.Succeed(t, err)
	}
	t.Setenv("SLURM_JOB_ID", "7")
	asked := filepath.Join(t.TempDir(), "asked")
	commands(t, nil)
	must.Succeed(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "scontrol"), []byte("#!/bin/sh\necho $* >>"+asked+"\n"), 0o755))
	// signalled runs a job that gets the signal while it waits.
	signalled := func() (*MergeResult, error) {
		other, err := lock(d.path("merge.lock"))
		must.Succeed(t, err)
		defer other.Close()
		job := MergeJob{Dir: d, Logf: func(string, ...any) { must.Succeed(t, unix.Kill(os.Getpid(), limitSignal)) }}
		return job.Run(t.Context())
	}
	for n, atOnce := range []int{2, 1} {
		r, err := signalled()
		if err != nil || !r.Requeued || r.Result != nil {
			t.Fatalf("job %d: %+v, %v", n, r, err)
		}
		l, err := d.mergeLimit("7")
		must.Succeed(t, err)
		if l.AtOnce != atOnce || l.Requeued != n+1 || len(l.Merged) > 0 {
			t.Errorf("job %d: recorded is %+v, want %d at once", n, l, atOnce)
		}
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
	if text := status("7|N/A|PENDING||BeginTime"); strings.Count(text, "pending (BeginTime), requeued at its time limit (2)") != 2 {
		t.Errorf("the status is\n%s", text)
	}
	r, err := signalled()
	if err == nil || r.Requeued || !strings.Contains(err.Error(), "one shard was not merged before the time limit") {
		t.Errorf("with one at once: %+v, %v", r, err)
	}
	if text := status("7|N/A|FAILED|n1|None"); !strings.Contains(text, "The merge ended before its time limit and is not requeued: one shard") {
		t.Errorf("the status is\n%s", text)
	}
	if text, err := os.ReadFile(asked); string(text) != "requeue 7\nrequeue 7\n" {
		t.Errorf("scontrol is asked %q, %v", text, err)
	}

	// What was merged is not merged again; another job begins anew.
	l, err := d.mergeLimit("7")
	must.Succeed(t, err)
	l.Merged = []string{"1", "2"}
	must.Succeed(t, run.WriteJSON(d.mergeLimitFile(), &l, true))
	for id, runs := range map[string]int{"7": 2, "8": 4} {
		must.Succeed(t, os.RemoveAll(d.Merged()))
		must.Succeed(t, run.WriteJSON(d.mergeLimitFile(), &l, true))
		t.Setenv("SLURM_JOB_ID", id)
		r, err := (&MergeJob{Dir: d}).Run(t.Context())
		must.Succeed(t, err)
		if got := r.Summary.Total().Runs; r.Requeued || got != runs {
			t.Errorf("job %s merges %d runs, want %d", id, got, runs)
		}
		if run.Exists(d.mergeLimitFile()) {
			t.Errorf("job %s leaves %s", id, d.mergeLimitFile())
		}
	}
}

// TestPace takes rates and times left of shards, worked out by hand.
func TestPace(t *testing.T) {
	session := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	minute := time.Minute
	h := &journal.Header{Spent: 10 * minute, Session: session}
	for _, tt := range []struct {
		now  time.Duration // after the session's start
		at   []time.Duration
		rate float64
	}{
		{2 * minute, []time.Duration{9 * minute, 11 * minute, 12 * minute}, 2. / 120}, // of this session only
		{20 * minute, []time.Duration{11 * minute, 24 * minute, 26 * minute, 29 * minute, 30 * minute}, 3. / 300},
		{0, []time.Duration{9 * minute}, 0},
		{-minute, nil, 0}, // another machine's clock
	} {
		p := newPace(h, session.Add(tt.now))
		for _, at := range tt.at {
			p.add(at)
		}
		if got := p.rate(); got != tt.rate {
			t.Errorf("after %v the rate is %v, want %v", tt.now, got, tt.rate)
		}
	}
	for _, tt := range []struct {
		runs    int
		rate    float64
		budget  time.Duration
		limited bool
		want    time.Duration
	}{
		{30, 0.5, 0, false, minute}, {30, 0.5, 10 * time.Second, true, 10 * time.Second}, {30, 0.5, time.Hour, true, minute},
		{30, 0, 0, false, 0}, {30, 0, minute, true, minute}, {30, 0.5, -minute, true, 0},
	} {
		if got := left(tt.runs, tt.rate, tt.budget, tt.limited); got != tt.want {
			t.Errorf("%+v: %v left", tt, got)
		}
	}
	running := func(planned, runs int, rate float64) ShardStatus {
		return ShardStatus{Planned: planned, Runs: runs, Rate: rate, Left: left(planned-runs, rate, 0, false)}
	}
	for name, tt := range map[string]struct {
		shards []ShardStatus
		rate   float64
		want   time.Duration
	}{
		"slowest":  {[]ShardStatus{running(100, 40, 1), running(100, 50, 10), {Planned: 9, Runs: 9, End: journal.EndComplete}}, 11, minute},
		"waiting":  {[]ShardStatus{running(100, 40, 1), running(100, 40, 1), {Planned: 240}}, 2, 3 * minute}, // 60+60+240 of 2 a second
		"none run": {[]ShardStatus{{Planned: 5}}, 0, 0},
	} {
		s := Status{Shards: tt.shards}
		if s.estimate(); s.Rate != tt.rate || s.Left != tt.want {
			t.Errorf("%s: %v runs/s, %v left, want %v and %v", name, s.Rate, s.Left, tt.rate, tt.want)
		}
	}
}

// TestBrief is one line whatever the states are.
func TestBrief(t *testing.T) {
	s := Status{
		Campaign: "night", Runs: 1500, Planned: 6000, Findings: 1, Rate: 12.34, Left: 364600 * time.Millisecond, EngineError: "squeue: no\nanswer",
		Shards: []ShardStatus{
			{Task: Task{State: "RUNNING"}}, {Task: Task{State: "COMPLETED"}, End: journal.EndBudget}, {Task: Task{State: "RUNNING"}},
			{Task: Task{State: "FAILED"}, Error: "x"}, {},
		},
		Merge: Task{State: "PENDING", Reason: "Dependency"},
	}
	var text strings.Builder
	must.Succeed(t, s.WriteBrief(&text))
	want := "night: 1500 of 6000 runs (25.0 %), 12.3 runs/s, about 6m5s left; 1 finding; " +
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
			{Task: Task{Shard: 2, State: "FAILED"}, Limit: Limit{NotRequeued: evil}},
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
