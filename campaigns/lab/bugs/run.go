package bugs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/gen/option"
)

// Run is a run that shows a bug that is still there and that searches seldom find: a program
// on a machine, from a seed, or an exploration. A program is run with audit.ShowTries seeds, from
// this one. Any title of the bug counts.
type Run struct {
	// Machine has keys of a configuration of a campaign; the protocol is that of the bug.
	Machine config.Machine `yaml:"machine" json:"machine"`
	// Explore is an exploration of the machine, in place of what follows.
	Explore *config.Explore `yaml:"explore" json:"explore,omitempty"`
	Program string          `yaml:"program" json:"program,omitempty"`
	Rounds  int             `yaml:"rounds" json:"rounds,omitempty"`
	Seed    uint64          `yaml:"seed" json:"seed,omitempty"`
	_       struct{}
}

// listedRun stands for an engine where a run of the list shows a bug.
const listedRun audit.Engine = "its run"

// faults lists what is wrong with a run.
func (r *Run) faults() []error {
	var errs []error
	m := r.Machine
	if m.SLICC != "" || m.Protocol != "" || m.Mutant != "" || m.Repair {
		errs = append(errs, fmt.Errorf("machine: want none of slicc, protocol, mutant and repair: the protocol is that of the bug"))
	}
	m.SLICC = "protocol.slicc" // some coherence protocol
	_, err := m.Builtin()
	for _, f := range option.Faults(err, "core") {
		errs = append(errs, fmt.Errorf("machine: %s: %s", f.Name, f.Message))
	}
	if r.Explore != nil {
		if r.Program != "" || r.Rounds != 0 || r.Seed != 0 {
			errs = append(errs, errors.New("explore: want no program, rounds and seed"))
		}
		return errs
	}
	if _, err := gen.Parse("program", []byte(r.Program)); err != nil {
		errs = append(errs, err)
	}
	if r.Rounds < 1 {
		errs = append(errs, fmt.Errorf("rounds %d: want at least 1", r.Rounds))
	}
	return errs
}

// repeat makes the run that the list has of a bug, in the unmodified protocol, and then where the
// others are repaired; nil if it does not show the bug there.
func (b *Bench) repeat(ctx context.Context, bug *Bug, r *Result) (*audit.Finding, error) {
	for _, t := range []*Trees{r.Trees, r.Trees.alone()} {
		if t.Before == "" {
			continue
		}
		f, err := b.again(ctx, bug, t)
		if err != nil || f != nil {
			r.Alone, r.Trees = f != nil && t != r.Trees, t
			return f, err
		}
	}
	return nil, nil
}

// again makes the run that the list has of a bug; nil if it does not show it.
func (b *Bench) again(ctx context.Context, bug *Bug, t *Trees) (*audit.Finding, error) {
	f := &audit.Finding{Engine: listedRun, Machine: bug.Run.Machine, Explore: bug.Run.Explore, Program: bug.Run.Program, Rounds: bug.Run.Rounds, Seed: bug.Run.Seed, Count: 1}
	f.Machine.SLICC, f.Conditions = t.Before, audit.Conditions(&f.Machine, &f.Failure)
	shows := func(title string) bool {
		f.Title = title
		return bug.Shows(f.Title) && bug.permits(f)
	}
	if f.Explore != nil {
		r, err := audit.Explored(ctx, f.Machine, f.Explore)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(r.Findings, func(x exploration.Finding) bool { return shows(x.Title) })
		if i < 0 {
			return nil, nil
		}
		f.Outcome, f.Path = exploration.OutcomeOf(r.Findings[i].Property).String(), r.Findings[i].Steps
	} else {
		failures, _, runs, err := audit.Again(ctx, f.Machine, nil, f, shows)
		if err != nil || !slices.ContainsFunc(audit.Titles(failures), shows) {
			return nil, err
		}
		f.Seed += uint64(runs) - 1 // the run that shows it is the last one
	}
	own, err := b.isOwn(ctx, bug, t, f)
	if err != nil || !own {
		return nil, err
	}
	return f, nil
}
