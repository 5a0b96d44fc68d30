package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/gen"
	"ordeal/sim"
)

// writeHead writes what is known of a campaign before its first run.
func (r *session) writeHead() error {
	text, err := yaml.Marshal(r.c)
	if err != nil {
		return fmt.Errorf("write %s: %w", journal.CampaignFile, err)
	}
	if err := rundir.WriteFile(filepath.Join(r.Dir, journal.CampaignFile), text, true); err != nil {
		return err
	}
	r.head = journal.Header{
		Version: rundir.RecordVersion, Seed: r.c.Seed, Command: r.Command, Tools: allTools(r.tools), Started: r.sum.Started, Shard: r.head.Shard, Session: r.session,
	}
	return r.rewriteHead()
}

func (r *session) rewriteHead() error {
	return rundir.WriteJSON(filepath.Join(r.Dir, journal.HeadFile), &r.head, true)
}

// close notes how the session ended.
func (r *session) close(failed error) error {
	r.head.Spent = r.sum.Elapsed
	switch {
	case failed != nil:
		r.head.End = journal.EndInfra
	case r.sum.Interrupted:
		r.head.End = journal.EndInterrupted
	case r.sum.Stopped != "":
		r.head.End = journal.EndStopped
	case r.sum.BudgetSpent:
		r.head.End = journal.EndBudget
	default:
		r.head.End = journal.EndComplete
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
func (r *session) append(e *finishedRun) error {
	entry := &journal.Entry{
		Number: e.Number, At: e.At, Config: e.Config.Name, Program: e.program, Kept: e.Kept, Result: &e.Result, Coverage: e.Coverage,
	}
	entry.Encode(r.tables)
	if e.Quarantined {
		entry.Quarantine = filepath.Base(string(e.Dir))
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("write %s: %w", journal.JournalFile, err)
	}
	if n, err := r.journal.Write(append(text, '\n')); err != nil {
		if n > 0 {
			err = errors.Join(err, r.journal.Truncate(r.size))
		}
		return fmt.Errorf("write %s: %w", journal.JournalFile, err)
	}
	r.size += int64(len(text)) + 1
	if e.Run.Finding() || e.Kept && e.Outcome != sim.Passed {
		return r.journal.Sync()
	}
	return nil
}

// program draws the program of a run, on a core of its own.
func (r *session) program(ctx context.Context, cfg *config.Config, number int) (*gen.Program, error) {
	done, err := r.gate.Judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return cfg.Programs.Program(r.c.Seed, number)
}
