package campaigns

import (
	"context"
	"encoding/json"
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
	// Session the start of the current one.
	Spent   time.Duration `json:"spent_ns,omitempty"`
	Session time.Time     `json:"session"`
	_       struct{}
}

// Entry is a line of runs.jsonl: a run that ended.
type Entry struct {
	Number int `json:"number"`
	// At is when the run ended, in time spent on the campaign.
	At      time.Duration `json:"at_ns"`
	Config  string        `json:"config"`
	Program string        `json:"program"` // SHA-256 in hexadecimal
	Kept    bool          `json:"kept"`
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
	return writeJSON(filepath.Join(r.Dir, headFile), &Head{
		Version: RecordVersion, Seed: r.c.Seed, Command: r.Command, Tools: allTools(r.tools), Started: r.sum.Started, Shard: r.Shard, Session: r.sum.Started,
	}, true)
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

// note appends a run to the journal, by one write.
func (r *running) note(run *Run, record *Record) error {
	fresh, counts := r.tables.encode(run.Config.Name, run.Coverage)
	text, err := json.Marshal(&Entry{
		Number: run.Number, At: r.elapsed(), Config: run.Config.Name, Program: record.Program, Kept: run.Kept, New: fresh, Counts: counts, Judgement: &run.Judgement,
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	if _, err := r.journal.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	if run.Finding() {
		return r.journal.Sync()
	}
	return nil
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
