package campaigns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/gen"
	"ordeal/sim"
)

// The files of a campaign directory beside its run directories.
const (
	campaignFile = "campaign.yaml"
	headFile     = "campaign.json"
	journalFile  = "runs.jsonl"
	summaryText  = "summary.txt"
	summaryJSON  = "summary.json"
)

// Head is campaign.json: what is known of a campaign beside its file.
type Head struct {
	Version int               `json:"version"`
	Seed    uint64            `json:"seed"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	// Shard is the part of the campaign that is made here.
	Shard Shard `json:"shard,omitzero"`
	// Shards are those that were merged to this campaign, in order.
	Shards []Shard `json:"shards,omitempty"`
	// Spent is the time of earlier sessions of a campaign that was resumed,
	// Session the start of the current one; End says how the latest ended, and
	// then Spent is the time of all. It is empty while the campaign runs, and
	// when it was killed.
	Spent   time.Duration `json:"spent_ns,omitempty"`
	Session time.Time     `json:"session"`
	End     End           `json:"end,omitempty"`
	_       struct{}
}

// End says how a session of a campaign ended.
type End string

// The ends.
const (
	EndComplete    End = "complete"    // all runs are recorded
	EndStopped     End = "stopped"     // a condition of Campaign.Stop was met
	EndBudget      End = "budget"      // the budget was spent
	EndInterrupted End = "interrupted" // somebody asked for it
	EndTrouble     End = "trouble"     // too much went wrong
)

// Entry is a line of runs.jsonl: a run that ended.
type Entry struct {
	Number int `json:"number"`
	// At is when the run was recorded, in time spent on the campaign: when it
	// had ended, and all runs of lower numbers.
	At      time.Duration `json:"at_ns"`
	Config  string        `json:"config"`
	Program string        `json:"program"` // SHA-256 in hexadecimal
	// Kept says that the run's directory stayed, Quarantine is its name in
	// quarantineDir if it was moved there.
	Kept       bool   `json:"kept"`
	Quarantine string `json:"quarantine,omitempty"`
	// Known is the number of transitions that earlier lines of the
	// configuration list. It tells where one of them is lost.
	Known int `json:"known,omitempty"`
	// New lists the transitions that no earlier line of the configuration
	// lists, counts left out; Counts how often the run took each transition,
	// in the order of all lines' New, zeros at the end left out.
	New    sim.Coverage `json:"new,omitempty"`
	Counts []uint64     `json:"counts,omitempty"`
	*Judgement
	// Coverage is what New and Counts say together.
	Coverage sim.Coverage `json:"-"`
}

// writeHead writes what is known of a campaign before its first run.
func (r *running) writeHead() error {
	text, err := yaml.Marshal(r.c)
	if err != nil {
		return fmt.Errorf("write %s: %w", campaignFile, err)
	}
	if err := writeFile(filepath.Join(r.Dir, campaignFile), text, true); err != nil {
		return err
	}
	r.head = Head{
		Version: RecordVersion, Seed: r.c.Seed, Command: r.Command, Tools: allTools(r.tools), Started: r.sum.Started, Shard: r.head.Shard, Session: r.session,
	}
	return r.rewriteHead()
}

func (r *running) rewriteHead() error {
	return writeJSON(filepath.Join(r.Dir, headFile), &r.head, true)
}

// close notes how the session ended.
func (r *running) close(failed error) error {
	r.head.Spent = r.sum.Elapsed
	switch {
	case failed != nil:
		r.head.End = EndTrouble
	case r.sum.Interrupted:
		r.head.End = EndInterrupted
	case r.sum.Stopped != "":
		r.head.End = EndStopped
	case r.sum.BudgetSpent:
		r.head.End = EndBudget
	default:
		r.head.End = EndComplete
	}
	return r.rewriteHead()
}

// allTools merges the versions of the tools of all configurations.
func allTools(lists []map[string]string) map[string]string {
	all := make(map[string]string)
	for _, tools := range lists {
		for name, version := range tools {
			if !slices.Contains(strings.Split(all[name], "; "), version) {
				all[name] = strings.TrimPrefix(all[name]+"; "+version, "; ")
			}
		}
	}
	return all
}

// append appends a run to the journal, by one write. Where that fails, nothing
// of the line stays, as far as possible.
func (r *running) append(e *ending) error {
	entry := &Entry{
		Number: e.Number, At: e.At, Config: e.Config.Name, Program: e.program, Kept: e.Kept, Judgement: &e.Judgement, Coverage: e.Coverage,
	}
	entry.encode(r.tables)
	if e.Quarantined {
		entry.Quarantine = filepath.Base(string(e.Dir))
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	if n, err := r.journal.Write(append(text, '\n')); err != nil {
		if n > 0 {
			err = errors.Join(err, r.journal.Truncate(r.size))
		}
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	r.size += int64(len(text)) + 1
	if e.Run.Finding() || e.Kept && e.Outcome != sim.Passed {
		return r.journal.Sync()
	}
	return nil
}

// encode says Coverage by Known, New and Counts, in terms of the lines that t
// knows.
func (e *Entry) encode(t tables) {
	known := len(t[e.Config])
	e.New, e.Counts = t.encode(e.Config, e.Coverage)
	if e.Known = known; len(e.Coverage) == 0 {
		e.Known = 0
	}
}

// decodeEntry reads a line of the journal of c, which is not that of a run seen
// before, in terms of the lines that known knows.
func decodeEntry(text []byte, c *Campaign, schedule []int, seen func(number int) bool, known tables) (*Entry, error) {
	e := &Entry{Judgement: &Judgement{}}
	if err := json.Unmarshal(bytes.TrimSpace(text), e); err != nil {
		return nil, err
	}
	if e.Number < 0 || e.Number >= len(schedule) || seen(e.Number) || c.config(schedule, e.Number).Name != e.Config {
		return nil, fmt.Errorf("run %d of configuration %s is not one that is missing in the campaign", e.Number, e.Config)
	}
	if n := len(known[e.Config]); e.Known > 0 && e.Known != n {
		return nil, fmt.Errorf("earlier lines of %s list %d transitions, not %d: one is lost", e.Config, n, e.Known)
	}
	var err error
	e.Coverage, err = known.decode(e.Config, e.New, e.Counts)
	return e, err
}

// program draws the program of a run, on a core of its own.
func (r *running) program(ctx context.Context, cfg *Config, number int) (*gen.Program, error) {
	done, err := r.gate.judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return cfg.Programs.Program(r.c.Seed, number)
}
