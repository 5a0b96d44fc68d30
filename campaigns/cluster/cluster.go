// Package cluster runs a campaign on a cluster: each shard is a task of an
// array of jobs, and a job that depends on all of them merges what they leave.
// When and where jobs run, what they may use and what becomes of them when a
// node fails is the business of the cluster's own engine, Slurm. Its commands
// are called, with lists of arguments; nothing is kept running.
//
// # The directory
//
// All nodes must see it under the same path. It holds
//
//	cluster.json     State: what was submitted, and what was last seen of it
//	campaign.yaml    the campaign as submitted, --set applied
//	shard.sh         the batch script of the shards, merge.sh that of the merge
//	shards/3/        the directory of shard 3, as of any campaign
//	shards/3.log     what its jobs printed, one after the other
//	shards/3.lock    held by the process that makes the shard
//	merge.log        what the merge printed
//	merged/          the campaign, merged
//
// # What may happen
//
// A shard's job begins the shard, or goes on with it where an earlier one left
// it: after the node failed, the job was requeued or preempted, its time ran
// out (it is told a minute before) or it was killed. So a job may be requeued
// at any moment, and Submit may be called again at any moment: it submits the
// shards that are neither complete nor on their way. The merge runs when all
// shards' jobs have ended, however they did (afterany): what the others made
// is worth having, and the merge says what is missing.
package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
)

// stateVersion is the version of cluster.json.
const stateVersion = 1

// Engine is the name of the only engine there is.
const Engine = "slurm"

// State is cluster.json.
type State struct {
	Version int    `json:"version"`
	Engine  string `json:"engine"`
	// Name is that of the jobs of shards. Nobody else's jobs have it, so that
	// jobs are found whose submission was not recorded.
	Name   string `json:"name"`
	Shards int    `json:"shards"`
	// Program is the path of this program, WorkDir where it works, on all
	// nodes.
	Program string  `json:"program"`
	WorkDir string  `json:"work_dir"`
	Request Request `json:"request"`
	// Submissions are in order of time.
	Submissions []Submission `json:"submissions"`
	// Tasks are the shards, by number, as they were last seen.
	Tasks []Task `json:"tasks"`
	// Merge is the latest job that merges; its Shard is 0.
	Merge Task `json:"merge"`
	_     struct{}
}

// Request is what each shard's job asks of the engine, in its own terms. What
// is empty is left to the engine.
type Request struct {
	Partition string `json:"partition,omitempty"`
	Time      string `json:"time,omitempty"`
	Memory    string `json:"memory,omitempty"`
	CPUs      int    `json:"cpus_per_task,omitempty"`
	// Args are further arguments for the engine's command that submits.
	Args []string `json:"args,omitempty"`
}

// Submission is an array of jobs that was submitted.
type Submission struct {
	At     time.Time `json:"at"`
	Job    string    `json:"job"`
	Shards []int     `json:"shards"`
}

// Task is a job as the engine tells of it.
type Task struct {
	Shard int `json:"shard,omitempty"`
	// Job is the id of the job or array of jobs.
	Job string `json:"job,omitempty"`
	// State is in the engine's words, empty for a job that was never seen;
	// Reason says why it is in this state, Node where it runs or ran.
	State  string `json:"state,omitempty"`
	Reason string `json:"reason,omitempty"`
	Node   string `json:"node,omitempty"`
}

// ID names the job for people and for the engine.
func (t *Task) ID() string {
	if t.Shard == 0 || t.Job == "" {
		return t.Job
	}
	return t.Job + "_" + strconv.Itoa(t.Shard)
}

// Dir is the directory of a campaign on a cluster.
type Dir string

// Is tells whether a directory is that of a campaign on a cluster.
func Is(dir string) bool {
	_, err := os.Lstat(Dir(dir).path("cluster.json"))
	return err == nil
}

func (d Dir) path(names ...string) string {
	return filepath.Join(append([]string{string(d)}, names...)...)
}

// campaignFile is the path of the campaign file.
func (d Dir) campaignFile() string { return d.path(journal.CampaignFile) }

// Campaign reads the campaign file, which is one that says everything.
func (d Dir) Campaign() (*config.Campaign, error) {
	text, err := os.ReadFile(d.campaignFile())
	if err != nil {
		return nil, err
	}
	return config.Parse(d.campaignFile(), text, nil)
}

// Shard is the directory of a shard.
func (d Dir) Shard(i int) string { return d.path("shards", strconv.Itoa(i)) }

// Merged is the directory of the merged campaign.
func (d Dir) Merged() string { return d.path("merged") }

// State reads what is known of the campaign.
func (d Dir) State() (*State, error) {
	path := d.path("cluster.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no directory of ordeal campaign submit: %w", d, err)
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
		return nil, fmt.Errorf("read %s: %d shards, %d of which are known", path, s.Shards, len(s.Tasks))
	}
	return s, nil
}

func (d Dir) write(s *State) error { return rundir.WriteJSON(d.path("cluster.json"), s, true) }

// Begun lists the directories of the shards that have begun.
func (d Dir) Begun() ([]string, error) {
	s, err := d.State()
	if err != nil {
		return nil, err
	}
	var begun []string
	for i := 1; i <= s.Shards; i++ {
		if _, err := os.Lstat(filepath.Join(d.Shard(i), journal.HeadFile)); err == nil {
			begun = append(begun, d.Shard(i))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return begun, nil
}

// newState is the state of a campaign of which nothing was submitted.
func newState(c *config.Campaign, shards int) (*State, error) {
	var unique [4]byte
	if _, err := rand.Read(unique[:]); err != nil {
		return nil, err
	}
	s := &State{
		Version: stateVersion, Engine: Engine, Shards: shards,
		Name: "ordeal-" + c.Name + "-" + hex.EncodeToString(unique[:]),
	}
	for i := range shards {
		s.Tasks = append(s.Tasks, Task{Shard: i + 1})
	}
	return s, nil
}

// errHeld says that another process holds a lock.
var errHeld = errors.New("another process is at work there")

// hold takes the lock that a file is; closing it gives it back.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errHeld
		}
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}
