package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
)

// outcome has the failures of the finding's own runs, or of its exploration.
type outcome struct {
	titles   []string
	failures []sim.Failure // of the titles
	taken    sim.Coverage
	runs     int
	last     []sim.Row // of the finding's own run, the likeliest first
	// value reports that last are those of the line of a lost value: others are less
	// likely.
	value bool
}

// failure is the one with a title.
func (o *outcome) failure(title string) sim.Failure {
	if i := slices.Index(o.titles, title); i >= 0 {
		return o.failures[i]
	}
	return sim.Failure{Kind: title}
}

// outcome makes the runs of a finding with an edit, until a title is enough.
func (s *search) outcome(ctx context.Context, n *node, f *audit.Finding, enough func(title string) bool) (*outcome, error) {
	compiled := n.compiled
	if f.Machine.Repair != s.base.Repair {
		compiled = nil
	}
	failures, taken, runs, err := audit.Again(ctx, s.on(f.Machine, n.id), compiled, f, enough)
	s.learn(failures...)
	return &outcome{titles: audit.Titles(failures), failures: failures, taken: taken, runs: runs}, err
}

// last are the rows that the run of a finding with an edit took before it failed, the last one
// first; where an access finds an old value, those of its line since the write, the
// nearest to where that was lost first. There are none for an exploration, nor for other
// failures of order, which a model finds at the end of the run.
func (s *search) last(ctx context.Context, id string, f *audit.Finding) ([]sim.Row, error) {
	if f.Explore != nil {
		return nil, nil
	}
	on, err := run.NewRunner(config.SimBuiltin, &config.Config{Machine: s.on(f.Machine, id)})
	if err != nil {
		return nil, err
	}
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return nil, fmt.Errorf("program of %q: %w", f.Title, err)
	}
	job := sim.Job{Program: p, Rounds: f.Rounds, Seed: f.Seed, Timeout: lastTime}
	var rows []sim.Row
	if violates(f) {
		return diagnose.Between(ctx, on.(diagnose.Observer), job)
	}
	last, err := diagnose.RecordLast(ctx, on.(diagnose.Recorder), job, diagnose.Filter{Everywhere: true})
	if err != nil {
		return nil, err
	}
	for _, e := range last.Transitions() {
		machine, _, _ := strings.Cut(e.Place, " ")
		if r := (sim.Row{Machine: machine, State: e.State, Event: e.Name}); !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// violates reports whether the finding is a failure of order.
func violates(f *audit.Finding) bool { return f.Outcome == sim.Violation.String() }

// lastTime bounds the recording of the finding's run.
const lastTime = time.Minute

// known reports whether the protocol without an edit shows a finding of a repaired one: in its
// audit, or in the runs of the finding. Two audits of a protocol with many defects show
// different ones.
func (s *search) known(ctx context.Context, f *audit.Finding) (bool, error) {
	if s.has(f.Title) || s.shown[f.Title] {
		return true, nil
	}
	if s.absent[f.Title] >= mostSought {
		return false, nil
	}
	same := func(title string) bool { return title == f.Title }
	failures, _, _, err := audit.Again(ctx, s.on(f.Machine, ""), nil, f, same)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(audit.Titles(failures), same) {
		s.shown[f.Title] = true
	} else {
		s.absent[f.Title]++
	}
	return s.shown[f.Title], nil
}
