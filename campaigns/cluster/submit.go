package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// Submit submits a campaign.
type Submit struct {
	Dir Dir
	// Campaign and Shards may be nil and 0 if Dir has them already.
	Campaign *config.Campaign
	Shards   int
	// Program is the path of this program, without links, of which the jobs run a
	// copy. WorkDir is the working directory of jobs, that of the first
	// submission: paths in the campaign file may be relative to it.
	Program, WorkDir string
	// Change changes the Request of the last submission, which is zero at first;
	// nil changes nothing.
	Change func(*Request)
	_      struct{}
}

// Submitted is the result of Submit.
type Submitted struct {
	State *State
	// Job is the job array that was submitted for Shards, Merge the job that
	// merges; empty if there was nothing to submit.
	Job, Merge string
	Shards     []int
	// Waiting lists the shards whose jobs are active already.
	Waiting []int
	_       struct{}
}

// Run submits the shards that are neither complete nor active, and a job that
// merges them.
func (s *Submit) Run(ctx context.Context) (*Submitted, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := run.MkdirAll(s.Dir.path("shards")); err != nil {
		return nil, err
	}
	locked, err := lock(s.Dir.path("cluster.lock"))
	if err != nil {
		return nil, err
	}
	defer locked.Close()
	state, err := s.begin()
	if err != nil {
		return nil, err
	}
	if err := state.refresh(ctx); err != nil {
		return nil, err
	}
	done := &Submitted{State: state}
	var left bool // a shard is incomplete
	for i := range state.Tasks {
		t := &state.Tasks[i]
		switch h, err := head(s.Dir.Shard(t.Shard)); {
		case err != nil:
			return nil, err
		case t.active():
			left = true
			done.Waiting = append(done.Waiting, t.Shard)
		case h == nil || !h.Ended():
			left = true
			done.Shards = append(done.Shards, t.Shard)
		}
	}
	if err := s.submitShards(ctx, state, done); err != nil {
		return nil, err
	}
	if !left {
		if h, err := head(s.Dir.Merged()); err != nil || h != nil && h.Ended() {
			return done, err
		}
	}
	return done, s.submitMerge(ctx, state, done)
}

// begin reads the state of the campaign, or creates it.
func (s *Submit) begin() (*State, error) {
	if !IsDir(string(s.Dir)) {
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
		if old, err := run.ReadFile(s.Dir.campaignFile()); err != nil {
			return nil, err
		} else if !bytes.Equal(old, text) {
			return nil, fmt.Errorf("%s has another campaign: name no file to continue that one, or another directory", s.Dir)
		}
	}
	if err := s.change(&state.Request); err != nil {
		return nil, err
	}
	return state, s.Dir.copyProgram(s.Program)
}

func (s *Submit) change(r *Request) error {
	if s.Change != nil {
		s.Change(r)
	}
	if r.AtATime < 0 {
		return fmt.Errorf("--at-a-time %d: want 0 or more", r.AtATime)
	}
	return CheckArgs(r.Args)
}

// Validate checks a submission, before anything is written.
func (s *Submit) Validate() error {
	if err := s.change(new(Request)); err != nil {
		return err
	}
	if IsDir(string(s.Dir)) {
		return nil
	}
	if s.Campaign == nil {
		return fmt.Errorf("%s is not a directory of ordeal campaign submit: want a FILE to start with", s.Dir)
	}
	if n := s.Campaign.Launches(); s.Shards < 1 || s.Shards > n {
		return fmt.Errorf("--shards %d: want 1 to %d, the number of launches of the campaign", s.Shards, n)
	}
	entries, _ := run.ReadDir(string(s.Dir)) // what cannot be read is not there yet, or no place to create it, as that says
	for _, e := range entries {              // files of a submission that was killed are allowed
		ours := slices.Contains([]string{"shards", "cluster.lock", "ordeal", journal.CampaignFile}, e.Name()) ||
			strings.HasPrefix(e.Name(), "."+journal.CampaignFile) || strings.HasPrefix(e.Name(), ".cluster.json") || strings.HasPrefix(e.Name(), ".ordeal.")
		if !ours {
			return fmt.Errorf("directory %s is not empty: it contains %s", s.Dir, e.Name())
		}
	}
	return nil
}

// create writes the campaign file and the program, then the state, which makes
// Dir a campaign's directory.
func (s *Submit) create() (*State, error) {
	text, err := yaml.Marshal(s.Campaign)
	if err != nil {
		return nil, err
	}
	if err := run.WriteFile(s.Dir.campaignFile(), text, true); err != nil {
		return nil, err
	}
	if err := s.Dir.copyProgram(s.Program); err != nil {
		return nil, err
	}
	state := newState(s.Campaign, s.Shards)
	state.WorkDir = s.WorkDir
	if err := s.change(&state.Request); err != nil {
		return nil, err
	}
	return state, s.Dir.write(state)
}

func (s *State) mergeName() string { return s.Name + "-merge" }

// refresh asks the engine for the states of all jobs.
func (s *State) refresh(ctx context.Context) error {
	list, err := queued(ctx, s.Name, s.mergeName())
	if err != nil {
		return err
	}
	// A job that the engine no longer knows has ended in an unknown way.
	for i := range s.Tasks {
		s.Tasks[i].expire()
	}
	s.Merge.expire()
	for _, t := range list {
		switch {
		case t.Shard == 0:
			s.Merge.update(t)
		case t.Shard >= 1 && t.Shard <= s.Shards:
			s.Tasks[t.Shard-1].update(t)
		}
	}
	return nil
}

// stateUnknown is the state of a job that the engine no longer knows.
const stateUnknown = "UNKNOWN"

func (t *Task) expire() {
	if t.active() {
		t.State, t.Reason = stateUnknown, ""
	}
}

// update takes the state of a job, unless a later one is known.
func (t *Task) update(now Task) {
	if t.Job == "" || compareIDs(t.Job, now.Job) <= 0 {
		*t = now
	}
}

// compareIDs compares ids of jobs, which are decimal numbers.
func compareIDs(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

func (s *Submit) submitShards(ctx context.Context, state *State, done *Submitted) error {
	if len(done.Shards) == 0 {
		return nil
	}
	script := s.Dir.path(shardScript)
	if err := writeScript(script, s.Dir.Program(), "campaign", "job", "shard", string(s.Dir)); err != nil {
		return err
	}
	b := batch{
		script: script, name: state.Name, output: logPattern(s.Dir.path("shards", "%a.log")), tasks: Ranges(done.Shards),
		workDir: state.WorkDir, request: state.Request,
	}
	id, err := b.submit(ctx)
	if err != nil {
		return fmt.Errorf("submit shards %s: %w", b.tasks, err)
	}
	done.Job = id
	for _, i := range done.Shards {
		state.Tasks[i-1] = Task{Shard: i, Job: id, State: "PENDING"}
	}
	return s.Dir.write(state)
}

// submitMerge submits a merge after all active jobs of shards, in place of one
// that waits for other jobs.
func (s *Submit) submitMerge(ctx context.Context, state *State, done *Submitted) error {
	before := state.Merge
	if before.active() && done.Job == "" {
		return s.Dir.write(state)
	}
	script := s.Dir.path(mergeScript)
	if err := writeScript(script, s.Dir.Program(), "campaign", "job", "merge", string(s.Dir)); err != nil {
		return err
	}
	b := batch{script: script, name: state.mergeName(), output: logPattern(s.Dir.path("merge.log")), workDir: state.WorkDir, request: state.Request}
	b.request.CPUs = 0 // it uses one
	for i := range state.Tasks {
		if t := &state.Tasks[i]; t.active() && !slices.Contains(b.after, t.Job) {
			b.after = append(b.after, t.Job)
		}
	}
	id, err := b.submit(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("submit the merge: %w; submit again to repeat it", err), s.Dir.write(state))
	}
	done.Merge = id
	state.Merge = Task{Job: id, State: "PENDING"}
	if err := s.Dir.write(state); err != nil {
		return err
	}
	if before.State == "PENDING" {
		_, err = s.Dir.cancel(ctx, []string{before.Job})
	}
	return err
}

// writeScript writes a batch script that execs a command. In a job array, the
// number of the task follows its arguments.
func writeScript(path string, argv ...string) error {
	var b strings.Builder
	// Until the program handles the signal, it must not end it.
	fmt.Fprintf(&b, "#!/bin/sh\ntrap '' %s\nexec", limitSignalName)
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			return fmt.Errorf("write %s: a zero byte in %q", path, word)
		}
		b.WriteString(" '" + strings.ReplaceAll(word, "'", `'\''`) + "'")
	}
	b.WriteString(" ${SLURM_ARRAY_TASK_ID:+\"$SLURM_ARRAY_TASK_ID\"}\n")
	return run.WriteFile(path, []byte(b.String()), true)
}

// logPattern escapes % in a path for --output, except in the last element, which
// is a pattern.
func logPattern(path string) string {
	dir, file := filepath.Split(path)
	return strings.ReplaceAll(dir, "%", "%%") + file
}
