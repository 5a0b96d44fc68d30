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
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// Status is the progress of a campaign on a cluster.
type Status struct {
	Campaign string        `json:"campaign"`
	Seed     uint64        `json:"seed"`
	Dir      string        `json:"dir"`
	Engine   string        `json:"engine"`
	Shards   []ShardStatus `json:"shards"`
	Merge    Task          `json:"merge"`
	// MergeLimit is what the job that merges did near its time limit.
	MergeLimit MergeLimit `json:"merge_time_limit,omitzero"`
	// Runs counts the recorded runs of all shards, Planned those to make.
	Runs    int `json:"runs"`
	Planned int `json:"planned"`
	// Findings counts the different findings of each shard, added up.
	Findings int `json:"findings"`
	// Rate is that of all shards that run, in runs a second; Left is how long the
	// rest takes if so many shards run all the time, and 0 where that is unknown.
	Rate float64       `json:"runs_per_second,omitempty"`
	Left time.Duration `json:"left_ns,omitempty"`
	// Merged is the directory of the merged campaign; empty unless it has all
	// runs of the shards.
	Merged string `json:"merged,omitempty"`
	// Complete is set when all shards have run to their ends.
	Complete bool `json:"complete"`
	// EngineError is why the engine could not be asked; then the states are the
	// last known ones.
	EngineError string `json:"engine_error,omitempty"`
	_           struct{}
}

// ShardStatus is the progress of a shard.
type ShardStatus struct {
	Task
	Runs     int `json:"runs"`
	Planned  int `json:"planned"`
	Findings int `json:"findings"`
	// Rate is how many runs a second the shard records, over the last minutes,
	// while it runs.
	Rate float64 `json:"runs_per_second,omitempty"`
	// Left is how long the shard will run, by its rate and the campaign's budget;
	// 0 where that is unknown.
	Left time.Duration `json:"left_ns,omitempty"`
	// End is how the shard's latest session ended; empty if it has not.
	End journal.End `json:"end,omitempty"`
	// Limit is what its jobs did near their time limits.
	Limit Limit `json:"time_limit,omitzero"`
	// Error is why the shard's directory cannot be read.
	Error string `json:"error,omitempty"`
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
	if s.MergeLimit, err = d.mergeLimit(s.Merge.Job); err != nil {
		return nil, err
	}
	now := time.Now()
	for _, task := range state.Tasks {
		shard := config.Shard{Index: task.Shard, Of: state.Shards}
		one := ShardStatus{Task: task}
		for _, has := range shard.Has(c) {
			if has {
				one.Planned++
			}
		}
		if err := one.read(d, c, now); err != nil {
			one.Error = err.Error()
		}
		s.Shards = append(s.Shards, one)
		s.Runs, s.Planned, s.Findings = s.Runs+one.Runs, s.Planned+one.Planned, s.Findings+one.Findings
		s.Complete = s.Complete && isFinal(one.End)
	}
	s.estimate()
	if merged, err := d.isMerged(state.Shards); err == nil && merged {
		s.Merged = d.Merged()
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

func (s *ShardStatus) read(d Dir, c *config.Campaign, now time.Time) error {
	var err error
	if s.Limit, err = d.limit(s.Shard); err != nil {
		return err
	}
	h, err := head(d.Shard(s.Shard))
	if h == nil || err != nil {
		return err
	}
	s.End = h.End
	a, err := journal.Open(d.Shard(s.Shard))
	if err != nil {
		return err
	}
	p := newPace(h, now)
	sum, err := summary.ReadEach(a, func(e *journal.Entry) error { p.add(e.At); return nil })
	if err != nil {
		return err
	}
	s.Runs, s.Findings = sum.Total().Runs, len(sum.Findings)
	if s.End == "" && s.active() {
		s.Rate = p.rate()
		s.Left = left(s.Planned-s.Runs, s.Rate, time.Duration(c.Budget)-p.now, c.Budget > 0)
	}
	return nil
}

// WriteText writes a table, for a terminal of a number of columns or any if it is 0,
// and what to do next. Again is the command that submits again.
func (s *Status) WriteText(w io.Writer, columns int, again string) error {
	fmt.Fprintf(w, "campaign %s, seed %d, in %d shards by %s\n\n", messages.EscapeLine(s.Campaign), s.Seed, len(s.Shards), messages.EscapeLine(s.Engine))
	t := messages.Table{Left: []int{1, 2, 3, 4, 5, 6}, Rows: [][]any{{"shard", "job", "state", "node", "runs", "findings", "ended"}}}
	for i := range s.Shards {
		one := &s.Shards[i]
		runs := fmt.Sprintf("%d of %d", one.Runs, one.Planned)
		t.Rows = append(t.Rows, []any{one.Shard, dash(one.ID()), one.stateText(&one.Limit), dash(one.Node), runs, one.Findings, dash(string(one.End))})
	}
	t.Rows = append(t.Rows, []any{"merge", dash(s.Merge.ID()), s.Merge.stateText(&s.MergeLimit.Limit), dash(s.Merge.Node)})
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
		if one := &s.Shards[i]; ended[one.State] && !isFinal(one.End) {
			if why := one.Limit.NotRequeued; why != "" {
				fmt.Fprintf(w, "Shard %d ended before its time limit and is not requeued: %s\n", one.Shard, messages.EscapeLine(why))
			}
			fmt.Fprintf(w, "Shard %d is not complete. Output of its jobs:  %s\n", one.Shard, Dir(s.Dir).Shard(one.Shard)+".log")
		}
	}
	if why := s.MergeLimit.NotRequeued; why != "" && ended[s.Merge.State] {
		fmt.Fprintf(w, "The merge ended before its time limit and is not requeued: %s\n", messages.EscapeLine(why))
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
	case s.Complete && s.Merged != "":
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

// stateText is the state of a job, and that it was requeued at its time limit.
func (t *Task) stateText(l *Limit) string {
	text := t.state()
	if n := l.Requeued; n > 0 && t.active() {
		text += fmt.Sprintf(", requeued at its time limit (%d)", n)
	}
	return text
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
