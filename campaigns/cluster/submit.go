package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
)

// Submit says what to submit.
type Submit struct {
	Dir Dir
	// Campaign and Shards are nil and 0 where Dir has them already, or the
	// same.
	Campaign *config.Campaign
	Shards   int
	// Program is the path of this program, WorkDir where jobs work, which stays
	// what it was at first: paths in the campaign file may be relative to it.
	Program, WorkDir string
	// Ask changes what to ask of the engine: nothing at first, then what was
	// asked last; nil changes nothing.
	Ask func(*Request)
	_   struct{}
}

// Submitted is what Submit came to.
type Submitted struct {
	State *State
	// Job is the array of jobs that was submitted for Shards, Merge the job
	// that merges; empty where there was nothing to submit.
	Job, Merge string
	Shards     []int
	// Waiting lists the shards whose jobs are on their way already.
	Waiting []int
	_       struct{}
}

// Run submits the shards that are neither complete nor on their way, and a job
// that merges what they leave.
func (s *Submit) Run(ctx context.Context) (*Submitted, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Dir.path("shards"), 0o755); err != nil {
		return nil, err
	}
	lock, err := hold(s.Dir.path("cluster.lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	state, err := s.begin()
	if err != nil {
		return nil, err
	}
	if err := state.look(ctx); err != nil {
		return nil, err
	}
	done := &Submitted{State: state}
	var left bool // a shard is incomplete
	for i := range state.Tasks {
		t := &state.Tasks[i]
		switch ended, err := s.Dir.ended(t.Shard); {
		case err != nil:
			return nil, err
		case t.active():
			left = true
			done.Waiting = append(done.Waiting, t.Shard)
		case !ended:
			left = true
			done.Shards = append(done.Shards, t.Shard)
		}
	}
	if err := s.submitShards(ctx, state, done); err != nil {
		return nil, err
	}
	if !left {
		if merged, err := s.Dir.isMerged(state.Shards); err != nil || merged {
			return done, err
		}
	}
	return done, s.submitMerge(ctx, state, done)
}

// begin is the state of the campaign, written if it is a new one.
func (s *Submit) begin() (*State, error) {
	if !Is(string(s.Dir)) {
		return s.create()
	}
	state, err := s.Dir.State()
	if err != nil {
		return nil, err
	}
	if s.Shards != 0 && s.Shards != state.Shards {
		return nil, fmt.Errorf("the campaign in %s has %d shards, not %d", s.Dir, state.Shards, s.Shards)
	}
	if s.Campaign != nil {
		text, err := yaml.Marshal(s.Campaign)
		if err != nil {
			return nil, err
		}
		if old, err := os.ReadFile(s.Dir.campaignFile()); err != nil {
			return nil, err
		} else if !bytes.Equal(old, text) {
			return nil, fmt.Errorf("%s has another campaign: name none to go on with that, or another directory", s.Dir)
		}
	}
	state.Program = s.Program
	s.ask(&state.Request)
	return state, nil
}

func (s *Submit) ask(r *Request) {
	if s.Ask != nil {
		s.Ask(r)
	}
}

// Validate says what is wrong with a first submission, before anything is
// written.
func (s *Submit) Validate() error {
	if Is(string(s.Dir)) {
		return nil
	}
	if s.Campaign == nil {
		return fmt.Errorf("%s is no directory of ordeal campaign submit: want a FILE to begin with", s.Dir)
	}
	if n := s.Campaign.Launches(); s.Shards < 1 || s.Shards > n {
		return fmt.Errorf("--shards %d: want 1 to %d, which is how many launches the campaign makes", s.Shards, n)
	}
	entries, err := os.ReadDir(string(s.Dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries { // a submission that was killed may have begun
		begun := slices.Contains([]string{"shards", "cluster.lock", journal.CampaignFile}, e.Name()) ||
			strings.HasPrefix(e.Name(), "."+journal.CampaignFile) || strings.HasPrefix(e.Name(), ".cluster.json")
		if !begun {
			return fmt.Errorf("directory %s is not empty: it has %s", s.Dir, e.Name())
		}
	}
	return nil
}

// create writes what is known before the first submission. What makes Dir a
// campaign's directory is written last.
func (s *Submit) create() (*State, error) {
	text, err := yaml.Marshal(s.Campaign)
	if err != nil {
		return nil, err
	}
	if err := rundir.WriteFile(s.Dir.campaignFile(), text, true); err != nil {
		return nil, err
	}
	state, err := newState(s.Campaign, s.Shards)
	if err != nil {
		return nil, err
	}
	state.Program, state.WorkDir = s.Program, s.WorkDir
	s.ask(&state.Request)
	return state, s.Dir.write(state)
}

// mergeName is the name of the jobs that merge.
func (s *State) mergeName() string { return s.Name + "-merge" }

// look asks the engine for the states of all jobs.
func (s *State) look(ctx context.Context) error {
	var known []string
	for i := range s.Tasks {
		if id := s.Tasks[i].ID(); id != "" && !ended[s.Tasks[i].State] {
			known = append(known, id)
		}
	}
	if s.Merge.Job != "" && !ended[s.Merge.State] {
		known = append(known, s.Merge.Job)
	}
	list, err := jobs(ctx, []string{s.Name, s.mergeName()}, known)
	if err != nil {
		return err
	}
	// A job that the engine has forgotten has ended, nobody knows how.
	for i := range s.Tasks {
		s.Tasks[i].forgotten()
	}
	s.Merge.forgotten()
	for _, j := range list {
		switch {
		case j.name == s.mergeName():
			s.Merge.see(j.Task)
		case j.Shard >= 1 && j.Shard <= s.Shards:
			s.Tasks[j.Shard-1].see(j.Task)
		}
	}
	return nil
}

// stateForgotten is the state of a job that the engine does not know any more.
const stateForgotten = "FORGOTTEN"

func (t *Task) forgotten() {
	if t.active() {
		t.State, t.Reason = stateForgotten, ""
	}
}

// see notes what the engine tells of a job, unless a later one is known.
func (t *Task) see(now Task) {
	if t.Job == "" || t.Job == now.Job || older(t.Job, now.Job) {
		*t = now
	}
}

// older compares ids of jobs, which are numbers.
func older(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// submitShards submits the shards to be submitted.
func (s *Submit) submitShards(ctx context.Context, state *State, done *Submitted) error {
	if len(done.Shards) == 0 {
		return nil
	}
	script := s.Dir.path("shard.sh")
	if err := writeScript(script, state.Program, "campaign", "job", "shard", string(s.Dir)); err != nil {
		return err
	}
	b := batch{
		script: script, name: state.Name, output: logPattern(s.Dir.path("shards", "%a.log")), tasks: formatTasks(done.Shards),
		workDir: state.WorkDir, request: state.Request,
	}
	id, err := b.submit(ctx)
	if err != nil {
		return fmt.Errorf("submit shards %s: %w", b.tasks, err)
	}
	done.Job = id
	state.Submissions = append(state.Submissions, Submission{At: time.Now(), Job: id, Shards: done.Shards})
	for _, i := range done.Shards {
		state.Tasks[i-1] = Task{Shard: i, Job: id, State: "PENDING"}
	}
	return s.Dir.write(state)
}

// submitMerge submits a merge after all jobs of shards that are on their way,
// in the place of one that waits for others.
func (s *Submit) submitMerge(ctx context.Context, state *State, done *Submitted) error {
	before := state.Merge
	if before.active() && done.Job == "" {
		return s.Dir.write(state)
	}
	script := s.Dir.path("merge.sh")
	if err := writeScript(script, state.Program, "campaign", "job", "merge", string(s.Dir)); err != nil {
		return err
	}
	b := batch{script: script, name: state.mergeName(), output: logPattern(s.Dir.path("merge.log")), workDir: state.WorkDir}
	b.request.Partition = state.Request.Partition
	for i := range state.Tasks {
		if t := &state.Tasks[i]; t.active() && !slices.Contains(b.after, t.Job) {
			b.after = append(b.after, t.Job)
		}
	}
	id, err := b.submit(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("submit the merge, which submitting again makes up for: %w", err), s.Dir.write(state))
	}
	done.Merge = id
	state.Merge = Task{Job: id, State: "PENDING"}
	if err := s.Dir.write(state); err != nil {
		return err
	}
	if before.State == "PENDING" {
		return cancel(ctx, []string{before.Job})
	}
	return nil
}

// writeScript writes a batch script that becomes a command. The number of the
// task, of an array of jobs, follows its arguments.
func writeScript(path string, argv ...string) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nexec")
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			return fmt.Errorf("write %s: a zero byte in %q", path, word)
		}
		b.WriteString(" '" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	b.WriteString(" ${SLURM_ARRAY_TASK_ID:+\"$SLURM_ARRAY_TASK_ID\"}\n")
	return rundir.WriteFile(path, []byte(b.String()), true)
}

// logPattern is a path as --output takes it, where % begins what is to be
// replaced. The last element is a pattern already.
func logPattern(path string) string {
	dir, file := filepath.Split(path)
	return strings.ReplaceAll(dir, "%", "%%") + file
}
