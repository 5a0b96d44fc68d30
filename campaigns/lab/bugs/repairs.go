package bugs

import (
	"context"
	"errors"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/lab/repair"
	"ordeal/campaigns/run"
)

// Bounds on the search for the repair of a bug.
const (
	repairTries = 1000
	// repairSteps bound the audit of each proposal, and afterTimes as many that of the protocol
	// with the fix: what is rare there, too, is not the proposal's.
	repairSteps = 1_500_000
	afterTimes  = 8
	// proposals of a search are looked at.
	proposals = 3
)

// Repaired has the proposals of a search for repairs of a bug that was found.
type Repaired struct {
	Tried int `json:"tried"`
	// Proposals are the first ones, as mutants are named.
	Proposals []string `json:"proposals,omitempty"`
	// Passes is the number, from 1, of the first one whose audit shows nothing that the
	// protocol with the fix does not show, in its own audit or in runs of the same programs;
	// 0: none.
	Passes int `json:"passes,omitempty"`
	// Shows is, for each proposal, the first title that the protocol with the fix does not
	// show; empty if the proposal passes.
	Shows []string `json:"shows,omitempty"`
	// Reason is why there was no search, or why the proposals could not all be checked.
	Reason string `json:"reason,omitempty"`
	_      struct{}
}

// repairs searches for repairs of a finding and compares them with the fix. Only an
// interrupt is an error: a repair that cannot be made or checked, and a search that panics,
// is a result, and other bugs are still to be searched for.
func (b *Bench) repairs(ctx context.Context, r *Result) (*Repaired, error) {
	found := new(Repaired)
	err := run.Guarded(func() error { return b.checkRepairs(ctx, r, found) })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		found.Reason = Brief(err)
	}
	return found, nil
}

func (b *Bench) checkRepairs(ctx context.Context, r *Result, into *Repaired) error {
	if r.Trees.After == "" {
		return errors.New("no fix to compare with")
	}
	o := repair.Options{Finding: r.Finding, Tries: repairTries, Steps: repairSteps, Seed: b.Audit.Seed}
	if b.Audit.Steps > 0 {
		o.Steps = min(o.Steps, b.Audit.Steps)
	}
	found, err := repair.Search(ctx, o)
	if err != nil {
		return err
	}
	into.Tried = found.Tried
	after, err := b.auditedWith(ctx, r.Trees.After, r.Trees.AfterIdentity, audit.Options{Seed: b.Audit.Seed, Steps: afterTimes * found.Steps})
	if err != nil {
		return err
	}
	x := &comparison{b: b, id: r.Bug.ID, of: r.Trees.Before, in: r.Trees.After, audited: after, hides: func(string) bool { return false }}
	for i, p := range found.Repairs[:min(proposals, len(found.Repairs))] {
		into.Proposals = append(into.Proposals, p.ID)
		list := p.Findings
		if len(p.New) > 0 { // its audit ended with that
			whole, err := audit.Run(ctx, audit.Options{Machine: config.Machine{SLICC: r.Trees.Before, Mutant: p.ID}, Seed: b.Audit.Seed, Steps: found.Steps})
			if err != nil {
				return err
			}
			list = whole.Findings
		}
		more, err := x.unknown(ctx, list)
		if err != nil {
			return err
		}
		into.Shows = append(into.Shows, more)
		if into.Passes == 0 && more == "" {
			into.Passes = i + 1
		}
	}
	return nil
}

// unknown is the title of the first finding that the other protocol does not show; empty
// if it shows all.
func (x *comparison) unknown(ctx context.Context, list []*audit.Finding) (string, error) {
	for _, f := range list {
		if seen, err := x.seen(ctx, f); err != nil || seen != shown {
			return f.Title, err
		}
	}
	return "", nil
}
