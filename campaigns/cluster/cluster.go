// Package cluster runs a campaign on a Slurm cluster: each shard is a task of a
// job array, and a job that depends on all of them merges the results. Slurm
// decides when and where jobs run, which resources they have and what happens
// when a node fails. Its commands are called; no process of ours stays.
//
// # The directory
//
// All nodes must see it under the same path. It holds
//
//	cluster.json     State: what was submitted, and its last known state
//	campaign.yaml    the campaign as submitted, --set applied
//	ordeal           the copy of this program that the jobs run
//	shard.sh         the batch script of the shards, merge.sh that of the merge
//	shards/3/        the directory of shard 3, as of any campaign
//	shards/3.log     the output of its jobs
//	shards/3.lock    locked by the process that runs the shard
//	merge.log        the output of the merge
//	merged/          the merged campaign
//
// # Failures
//
// A shard's job starts the shard or resumes it: after the node failed, the job
// was requeued or preempted, or it was killed. A minute before its time limit it
// gets a signal, ends its runs and requeues itself. So a job may be requeued at
// any moment, and Submit may be called again at any moment: it submits the shards
// that are neither complete nor queued. The merge runs when the jobs of all
// shards have ended, in whatever way (afterany; a requeued job has not ended),
// and reports what is missing.
package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

const stateVersion = 2

// Engine is the only engine that is supported.
const Engine = "slurm"

// State is cluster.json.
type State struct {
	Version int    `json:"version"`
	Engine  string `json:"engine"`
	// Name is the name of the jobs of shards; the merge has it with "-merge". Jobs
	// are found by it, also if this program was killed right after sbatch.
	Name   string `json:"name"`
	Shards int    `json:"shards"`
	// WorkDir is the working directory of the jobs, on all nodes.
	WorkDir string  `json:"work_dir"`
	Request Request `json:"request"`
	// Tasks are the last known states of the shards, by number.
	Tasks []Task `json:"tasks"`
	// Merge is the latest job that merges; its Shard is 0.
	Merge Task `json:"merge"`
	_     struct{}
}

// Request is the resources of each shard's job, in the terms of the engine. The
// zero value leaves them to the engine. The merge has the same, but for CPUs.
type Request struct {
	Account   string `yaml:"account" json:"account,omitempty" help:"account that the jobs are charged to, as for sbatch"`
	Partition string `yaml:"partition" json:"partition,omitempty" help:"partition of the jobs, as for sbatch"`
	Time      string `yaml:"time" json:"time,omitempty" help:"limit of time of each job, as for sbatch"`
	Memory    string `yaml:"mem" json:"memory,omitempty" help:"memory of each job, as for sbatch"`
	CPUs      int    `yaml:"cpus-per-task" json:"cpus_per_task,omitempty" help:"processors of each shard's job, as for sbatch"`
	AtATime   int    `yaml:"at-a-time" json:"at_a_time,omitempty" help:"number of shards of a job array that run at a time; 0 means no limit"`
	// Args are further arguments of the command that submits, as CheckArgs allows.
	Args []string `json:"args,omitempty"`
}

// Task is the state of a job.
type Task struct {
	Shard int `json:"shard,omitempty"`
	// Job is the id of the job or job array.
	Job string `json:"job,omitempty"`
	// State and its Reason are the engine's, empty for a job that was never seen;
	// Node is where it runs or ran.
	State  string `json:"state,omitempty"`
	Reason string `json:"reason,omitempty"`
	Node   string `json:"node,omitempty"`
}

// ID identifies the job to the engine.
func (t *Task) ID() string {
	if t.Shard == 0 || t.Job == "" {
		return t.Job
	}
	return t.Job + "_" + strconv.Itoa(t.Shard)
}

// Dir is the directory of a campaign on a cluster.
type Dir string

// IsDir reports whether a directory is that of a campaign on a cluster.
func IsDir(dir string) bool {
	_, err := run.Lstat(Dir(dir).path("cluster.json"))
	return err == nil
}

func (d Dir) path(names ...string) string {
	return filepath.Join(append([]string{string(d)}, names...)...)
}

func (d Dir) campaignFile() string { return d.path(journal.CampaignFile) }

// Campaign reads the campaign file, which has no includes. What runs says which
// variables of the environment are missing.
func (d Dir) Campaign() (*config.Campaign, error) {
	text, err := run.ReadFile(d.campaignFile())
	if err != nil {
		return nil, err
	}
	return config.ParseRecord(d.campaignFile(), text)
}

// Shard is the directory of a shard.
func (d Dir) Shard(i int) string { return d.path("shards", strconv.Itoa(i)) }

// Merged is the directory of the merged campaign.
func (d Dir) Merged() string { return d.path("merged") }

// State reads cluster.json.
func (d Dir) State() (*State, error) {
	path := d.path("cluster.json")
	data, err := run.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a directory of ordeal campaign submit: %w", d, err)
	} else if err != nil {
		return nil, err
	}
	s := new(State)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	switch {
	case s.Version != stateVersion:
		return nil, fmt.Errorf("read %s: version %d, want %d", path, s.Version, stateVersion)
	case s.Engine != Engine:
		return nil, fmt.Errorf("read %s: unknown engine %q", path, s.Engine)
	case s.Shards < 1 || len(s.Tasks) != s.Shards:
		return nil, fmt.Errorf("read %s: %d shards, but %d tasks", path, s.Shards, len(s.Tasks))
	}
	return s, nil
}

func (d Dir) write(s *State) error { return run.WriteJSON(d.path("cluster.json"), s, true) }

// Started lists the directories of the shards that have started.
func (d Dir) Started() ([]string, error) {
	s, err := d.State()
	if err != nil {
		return nil, err
	}
	var started []string
	for i := 1; i <= s.Shards; i++ {
		if _, err := run.Lstat(filepath.Join(d.Shard(i), journal.HeaderFile)); err == nil {
			started = append(started, d.Shard(i))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return started, nil
}

// newState is the state before the first submission.
func newState(c *config.Campaign, shards int) *State {
	s := &State{
		Version: stateVersion, Engine: Engine, Shards: shards,
		Name: "ordeal-" + c.Name + "-" + strings.ToLower(rand.Text()[:8]),
	}
	for i := range shards {
		s.Tasks = append(s.Tasks, Task{Shard: i + 1})
	}
	return s
}

// lock locks a file until it is closed.
func lock(path string) (*os.File, error) {
	f, err := run.Append(path)
	if err != nil {
		return nil, err
	}
	if err := osfile.Lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}
