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

// head is campaign.json.
type head struct {
	Version int               `json:"version"`
	Seed    uint64            `json:"seed"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	// Spent is the time of earlier sessions of a campaign that was resumed,
	// Session the start of the current one.
	Spent   time.Duration `json:"spent_ns,omitempty"`
	Session time.Time     `json:"session"`
}

// line is a line of runs.jsonl.
type line struct {
	Number  int    `json:"number"`
	Config  string `json:"config"`
	Program string `json:"program"` // SHA-256 in hexadecimal
	Kept    bool   `json:"kept"`
	// New lists the transitions that the run took first.
	New sim.Coverage `json:"new,omitempty"`
	*Judgement
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
	return writeJSON(filepath.Join(r.Dir, headFile), &head{
		Version: RecordVersion, Seed: r.c.Seed, Command: r.Command, Tools: allTools(r.tools), Started: r.sum.Started, Session: r.sum.Started,
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
	text, err := json.Marshal(&line{
		Number: run.Number, Config: run.Config.Name, Program: record.Program, Kept: run.Kept, New: run.fresh, Judgement: &run.Judgement,
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
