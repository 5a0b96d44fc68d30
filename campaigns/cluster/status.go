package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
)

// Status is the progress of a campaign on a cluster.
type Status struct {
	Campaign string        `json:"campaign"`
	Seed     uint64        `json:"seed"`
	Dir      string        `json:"dir"`
	Engine   string        `json:"engine"`
	Shards   []ShardStatus `json:"shards"`
	Merge    Task          `json:"merge"`
	// Runs counts the recorded runs of all shards, Planned those to make.
	Runs    int `json:"runs"`
	Planned int `json:"planned"`
	// Findings counts the different findings of each shard, added up.
	Findings int `json:"findings"`
	// Rate is the sum of the rates of all shards that run, in runs a second.
	Rate float64 `json:"runs_per_second,omitempty"`
	// Merged is the directory of the merged campaign; empty before the first merge.
	// MergedAll is set if it has all runs of complete shards.
	Merged    string `json:"merged,omitempty"`
	MergedAll bool   `json:"merged_all,omitempty"`
	// Complete is set when all shards have run to their ends.
	Complete bool `json:"complete"`
	// EngineError is why the engine could not be asked; then the states are the
	// last known ones.
	EngineError string `json:"engine_error,omitempty"`
	_           struct{}
}

// ShardStatus is the state of a shard's job, and its progress as a campaign.
type ShardStatus struct {
	Task
	Planned int `json:"planned"`
	// Progress is nil if the shard has not started.
	Progress *progress.Status `json:"progress,omitempty"`
	// Error is why the shard's directory cannot be read.
	Error string `json:"error,omitempty"`
}

// Complete reports whether there is nothing to resume.
func (s *ShardStatus) Complete() bool { return s.Progress != nil && s.Progress.Complete }

// end says how the latest session of the shard ended; empty if it has not.
func (s *ShardStatus) end() string {
	if p := s.Progress; p != nil && p.State != progress.Running && p.State != progress.Killed {
		return p.State
	}
	return ""
}

// Status asks the engine for the states of the jobs and reads the journals of
// the shards. It records the states, unless another process is submitting.
func (d Dir) Status(ctx context.Context) (*Status, error) {
	state, err := d.State()
	if err != nil {
		return nil, err
	}
	c, err := d.Campaign()
	if err != nil {
		return nil, err
	}
	s := &Status{Campaign: c.Name, Seed: c.Seed, Dir: string(d), Engine: state.Engine, Complete: true}
	if err := d.refresh(ctx, state); err != nil {
		s.EngineError = err.Error()
	}
	s.Merge = state.Merge
	now := time.Now()
	for _, task := range state.Tasks {
		shard := config.Shard{Index: task.Shard, Of: state.Shards}
		one := ShardStatus{Task: task}
		for _, has := range shard.Has(c) {
			if has {
				one.Planned++
			}
		}
		if err := one.read(d.Shard(task.Shard), now); err != nil {
			one.Error = err.Error()
		}
		if p := one.Progress; p != nil {
			s.Runs, s.Findings, s.Rate = s.Runs+p.Runs, s.Findings+len(p.Findings), s.Rate+p.Rate
		}
		s.Shards, s.Planned, s.Complete = append(s.Shards, one), s.Planned+one.Planned, s.Complete && one.Complete()
	}
	if h, err := head(d.Merged()); err == nil && h != nil {
		s.Merged, s.MergedAll = d.Merged(), h.Ended()
	}
	return s, nil
}

// refresh asks the engine and, unless another process is submitting, records
// the states.
func (d Dir) refresh(ctx context.Context, state *State) error {
	locked, err := lock(d.path("cluster.lock"))
	if err != nil {
		return state.refresh(ctx)
	}
	defer locked.Close()
	return d.refreshLocked(ctx, state)
}

// read reads the progress of the shard in a directory.
func (s *ShardStatus) read(dir string, now time.Time) error {
	h, err := head(dir)
	if h == nil || err != nil {
		return err
	}
	a, err := journal.Open(dir)
	if err != nil {
		return err
	}
	s.Progress, err = progress.Read(a, h.End == "" && s.active(), now)
	return err
}

// WriteText writes a table, for a terminal of a number of columns or any if it is 0,
// and what to do next. Again is the command that submits again.
func (s *Status) WriteText(w io.Writer, columns int, again string) error {
	fmt.Fprintf(w, "campaign %s, seed %d, in %d shards by %s\n\n", messages.EscapeLine(s.Campaign), s.Seed, len(s.Shards), messages.EscapeLine(s.Engine))
	t := messages.Table{Left: []int{1, 2, 3, 4, 5, 6}, Rows: [][]any{{"shard", "job", "state", "node", "runs", "findings", "ended"}}}
	for i := range s.Shards {
		one := &s.Shards[i]
		p := one.Progress
		if p == nil {
			p = new(progress.Status)
		}
		runs := fmt.Sprintf("%d of %d", p.Runs, one.Planned)
		t.Rows = append(t.Rows, []any{one.Shard, dash(one.ID()), one.state(), dash(one.Node), runs, len(p.Findings), dash(one.end())})
	}
	t.Rows = append(t.Rows, []any{"merge", dash(s.Merge.ID()), s.Merge.state(), dash(s.Merge.Node)})
	if _, err := io.WriteString(w, t.Fit(columns)); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d of %d runs%s.\n", s.Runs, s.Planned, s.pace())
	for i := range s.Shards {
		if text := s.Shards[i].Error; text != "" {
			fmt.Fprintf(w, "Shard %d cannot be read: %s\n", s.Shards[i].Shard, messages.EscapeLine(text))
		}
	}
	if s.EngineError != "" {
		fmt.Fprintf(w, "The states are the last known ones: %s\n", messages.EscapeLine(s.EngineError))
	}
	for i := range s.Shards {
		if one := &s.Shards[i]; ended[one.State] && !one.Complete() {
			fmt.Fprintf(w, "Shard %d is not complete. Output of its jobs:  %s\n", one.Shard, Dir(s.Dir).Shard(one.Shard)+".log")
		}
	}
	_, err := io.WriteString(w, s.next(again))
	return err
}

func (s *Status) next(again string) string {
	active := s.Merge.active()
	for i := range s.Shards {
		active = active || s.Shards[i].active()
	}
	switch {
	case active || s.EngineError != "":
		return ""
	case s.Complete && s.MergedAll:
		return "Complete, and merged in " + s.Merged + ".\n"
	case s.Complete:
		return "Complete, but not merged. To merge:  " + again + "\n"
	}
	merged := ""
	if s.Merged != "" {
		merged = "Partly merged in " + s.Merged + ".\n"
	}
	return merged + "Not complete, and no job is queued. To continue:  " + again + "\n"
}

func (t *Task) state() string {
	text := strings.ToLower(t.State)
	if t.Reason != "" && t.active() {
		text += " (" + t.Reason + ")"
	}
	return dash(text)
}

// pace is the rate, to follow a number of runs; empty if it is not known.
func (s *Status) pace() string {
	if s.Rate == 0 {
		return ""
	}
	return fmt.Sprintf(", %s runs/s", messages.Rate(s.Rate))
}

// WriteBrief writes one line.
func (s *Status) WriteBrief(w io.Writer) error {
	percent := 0.0
	if s.Planned > 0 {
		percent = 100 * float64(s.Runs) / float64(s.Planned)
	}
	counts := make(map[string]int)
	var order []string
	for i := range s.Shards {
		one := &s.Shards[i]
		word := messages.EscapeLine(strings.ToLower(one.State))
		switch {
		case one.Complete():
			word = "complete"
		case one.Error != "":
			word = "unreadable"
		case word == "":
			word = "not submitted"
		}
		if counts[word]++; counts[word] == 1 {
			order = append(order, word)
		}
	}
	shards := make([]string, len(order))
	for i, word := range order {
		shards[i] = fmt.Sprintf("%d %s", counts[word], word)
	}
	merge := s.Merge.state()
	if s.Complete && s.MergedAll {
		merge = "done"
	}
	line := fmt.Sprintf("%s: %d of %d runs (%.1f %%)%s; %s; shards: %s; merge: %s",
		messages.EscapeLine(s.Campaign), s.Runs, s.Planned, percent, s.pace(), messages.Plural(s.Findings, "finding"), strings.Join(shards, ", "), merge)
	if s.EngineError != "" {
		line += "; states are the last known ones: " + messages.EscapeLine(strings.ReplaceAll(s.EngineError, "\n", " "))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// dash is a field of a line: the directory, and so what it says of jobs, may come
// from others.
func dash(text string) string { return cmp.Or(messages.EscapeLine(text), "-") }

// Cancel cancels all active jobs and returns their ids. The runs of the shards
// stay and can be resumed. Jobs that are not of this directory are an error, after
// the others have been cancelled.
func (d Dir) Cancel(ctx context.Context) ([]string, error) {
	locked, err := lock(d.path("cluster.lock"))
	if err != nil {
		return nil, err
	}
	defer locked.Close()
	state, err := d.State()
	if err != nil {
		return nil, err
	}
	if err := state.refresh(ctx); err != nil {
		return nil, err
	}
	// The merge first: it would start when the shards have ended.
	var ids []string
	for _, t := range append([]Task{state.Merge}, state.Tasks...) {
		if t.active() {
			ids = append(ids, t.ID())
		}
	}
	cancelled, err := d.cancel(ctx, ids)
	return cancelled, errors.Join(err, d.refreshLocked(ctx, state))
}

// refreshLocked asks the engine and records the states.
func (d Dir) refreshLocked(ctx context.Context, state *State) error {
	if err := state.refresh(ctx); err != nil {
		return err
	}
	return d.write(state)
}
