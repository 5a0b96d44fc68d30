package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/merge"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

func small(t *testing.T) *config.Campaign {
	t.Helper()
	c, err := config.Parse("c.yaml", []byte("name: c\nsim: builtin\nconfigs: [{name: a, runs: 4, threads: 2, ops: 5, locations: 2, rounds: 2, protocol: mi}]"), nil)
	must.Succeed(t, err)
	return c
}

// executable makes a small program to copy.
func executable(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ordeal")
	must.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	return path
}

// TestSubmitUnrecorded has the program killed after sbatch and before the id of
// the job is written: the next submission finds the job by its name.
func TestSubmitUnrecorded(t *testing.T) {
	s := Submit{Dir: Dir(filepath.Join(t.TempDir(), "c")), Campaign: small(t), Shards: 2, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "!killed"})
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "submit shards 1-2") {
		t.Fatal(err)
	}
	state, err := s.Dir.State()
	if err != nil || state.Tasks[0].Job != "" {
		t.Fatalf("%v: tasks %v", err, state.Tasks)
	}
	commands(t, map[string]string{"squeue": "5|1|RUNNING|n1|None\n5|2|PENDING||Resources", "sbatch": "6"})
	done, err := s.Run(t.Context())
	must.Succeed(t, err)
	if diff := cmp.Diff(&Submitted{State: done.State, Merge: "6", Waiting: []int{1, 2}}, done); diff != "" {
		t.Errorf("submitted again (-want +got):\n%s", diff)
	}
	if job := done.State.Tasks[0].Job; job != "5" {
		t.Errorf("shard 1 has job %q, want 5", job)
	}
}

// TestSubmitMergeFails requires the shards to stay submitted where the merge is
// refused, and the merge to be submitted next time.
func TestSubmitMergeFails(t *testing.T) {
	s := Submit{Dir: Dir(filepath.Join(t.TempDir(), "c")), Campaign: small(t), Shards: 2, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	sbatch, err := os.ReadFile(filepath.Join(os.Getenv("PATH"), "sbatch"))
	must.Succeed(t, err)
	once := strings.Replace(string(sbatch), "\n", "\ncase $* in *afterany*) echo refused >&2; exit 1;; esac\n", 1)
	must.Succeed(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "sbatch"), []byte(once), 0o755))
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "submit the merge") {
		t.Fatal(err)
	}
	state, err := s.Dir.State()
	must.Succeed(t, err)
	if job := state.Tasks[1].Job; job != "5" {
		t.Fatalf("shard 2 has job %q, want 5", job)
	}
	commands(t, map[string]string{"squeue": "5|1|RUNNING|n1|None\n5|2|PENDING||Resources", "sbatch": "6"})
	done, err := s.Run(t.Context())
	must.Succeed(t, err)
	if diff := cmp.Diff(&Submitted{State: done.State, Merge: "6", Waiting: []int{1, 2}}, done); diff != "" {
		t.Errorf("submitted again (-want +got):\n%s", diff)
	}
}

// TestShardJobWaits has two processes make one shard: the second waits for the
// first, then finds nothing left to do.
func TestShardJobWaits(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 2, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	held, err := lock(d.Shard(1) + ".lock")
	must.Succeed(t, err)
	logged := make(chan string, 1)
	job := ShardJob{Dir: d, Shard: 1, Engine: engine.Engine{Logf: func(format string, args ...any) {
		select {
		case logged <- fmt.Sprintf(format, args...):
		default:
		}
	}}}
	ended := make(chan error, 1)
	go func() {
		_, err := job.Run(t.Context())
		ended <- err
	}()
	select {
	case line := <-logged:
		if !strings.Contains(line, "1.lock: another process uses it: waiting until it ends") {
			t.Errorf("it reports %q", line)
		}
	case err := <-ended:
		t.Fatalf("it does not wait: %v", err)
	} // it waits in silence: the test does not end
	if h, err := head(d.Shard(1)); h != nil || err != nil {
		t.Errorf("the shard has begun: %v", err)
	}
	must.Succeed(t, held.Close())
	must.Succeed(t, <-ended)
	one := ShardStatus{Task: Task{Shard: 1}}
	if err := one.read(d.Shard(1), time.Now()); err != nil || !one.Complete() || one.Progress.Runs != 2 {
		t.Errorf("the shard has not ended: %+v, %v", one.Progress, err)
	}
}

// together is a simulator whose runs wait until some are in flight.
type together struct {
	fake.Runner
	want, now atomic.Int32
	all       chan struct{}
}

func (r *together) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	if r.now.Add(1) == r.want.Load() {
		close(r.all)
	}
	select {
	case <-r.all:
		return r.Runner.Run(ctx, job)
	case <-time.After(20 * time.Minute): // which they take on no machine
		return sim.Result{}, errors.New("the others do not come")
	}
}

// TestShardJobCores requires a job to make as many runs at a time as it has
// processors of its node, whatever this machine has.
func TestShardJobCores(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 1, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := &together{all: make(chan struct{})}
	r.want.Store(4)
	t.Setenv("SLURM_CPUS_ON_NODE", "4")
	job := ShardJob{Dir: d, Shard: 1, Engine: engine.Engine{
		Runner: func(string, *config.Config) (sim.Runner, error) { return r, nil },
	}}
	sum, err := job.Run(t.Context())
	if err != nil || sum.Total().Outcomes[sim.Passed] != 4 {
		t.Errorf("%v: outcomes %v", err, sum.Total().Outcomes)
	}
	for text, want := range map[string]int{"3": 3, "": 0, "x": 0, "-1": 0} {
		t.Setenv("SLURM_CPUS_ON_NODE", text)
		if got := cores(); got != want {
			t.Errorf("%q: %d cores", text, got)
		}
	}
}

// TestSubmitMergeBehind has all shards complete and the merge not: it is
// submitted again, until the merged campaign has all that the shards have.
func TestSubmitMergeBehind(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	s := Submit{Dir: d, Campaign: small(t), Shards: 2, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 2; i++ {
		job := ShardJob{Dir: d, Shard: i}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Merge(t.Context(), merge.Merge{}, nil); err != nil {
			t.Fatal(err)
		}
		done, err := s.Run(t.Context())
		must.Succeed(t, err)
		if i == 2 && (done.Job != "" || done.Merge != "") {
			t.Errorf("all is merged, but submitted: %+v", done)
		}
	}
	must.Succeed(t, os.RemoveAll(d.Merged()))
	_, err := (&merge.Merge{Dir: d.Merged(), Sources: []string{d.Shard(1)}}).Run(t.Context())
	must.Succeed(t, err)
	done, err := s.Run(t.Context())
	must.Succeed(t, err)
	if diff := cmp.Diff(&Submitted{State: done.State, Merge: "5"}, done); diff != "" {
		t.Errorf("submitted where the merge is behind (-want +got):\n%s", diff)
	}
	status, err := d.Status(t.Context())
	must.Succeed(t, err)
	if diff := cmp.Diff(Status{Complete: true, Runs: 4}, Status{MergedAll: status.MergedAll, Complete: status.Complete, Runs: status.Runs}); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

// TestShardJobGate has the directory of a campaign on a cluster come from others:
// the first job of a shard executes nothing that it names.
func TestShardJobGate(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "c"))
	mark := filepath.Join(t.TempDir(), "mark")
	evil := filepath.Join(t.TempDir(), "gem5")
	must.Succeed(t, os.WriteFile(evil, []byte("#!/bin/sh\n: > "+mark+"\n"), 0o755))
	c, err := config.Parse("c.yaml", []byte("name: c\nsim: gem5\nconfigs: [{name: a, runs: 4, threads: 2, ops: 5, locations: 2, rounds: 2, gem5: "+evil+", gem5-tree: "+t.TempDir()+"}]"), nil)
	must.Succeed(t, err)
	s := Submit{Dir: d, Campaign: c, Shards: 1, Program: executable(t), WorkDir: "/"}
	commands(t, map[string]string{"squeue": "", "sbatch": "5"})
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = (&ShardJob{Dir: d, Shard: 1}).Run(t.Context())
	if _, ok := errors.AsType[*run.Refusal](err); !ok || !strings.Contains(err.Error(), evil) {
		t.Errorf("the job is not refused: %v", err)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("what the directory names was executed")
	}
}
