package bugs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/lab/repair"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
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
	// Equal is the number, from 1, of the first one that makes the protocol with the fix,
	// and Passes that of the first whose audit shows nothing that the protocol with the
	// fix does not show, in its own audit or in runs of the same programs; 0: none.
	Equal  int `json:"equal,omitempty"`
	Passes int `json:"passes,omitempty"`
	// Part is the number of the first one all of whose changes are the fix's: a commit may
	// fix several bugs, of which the finding shows one; 0: none.
	Part int `json:"part,omitempty"`
	// Shows is, for each proposal, the first title that the protocol with the fix does not
	// show; empty if the proposal passes.
	Shows []string `json:"shows,omitempty"`
	// Reason is why there was no search, or why the proposals could not all be checked.
	Reason string `json:"reason,omitempty"`
	_      struct{}
}

// Good reports whether one of the first proposals is as good as the fix.
func (r *Repaired) Good() bool { return r.Equal > 0 || r.Passes > 0 }

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
		found.Reason = brief(err)
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
		equal, part, err := same(r.Trees, p.ID)
		if err != nil {
			return err
		}
		if equal && into.Equal == 0 {
			into.Equal = i + 1
		}
		if part && into.Part == 0 {
			into.Part = i + 1
		}
		list := p.Findings
		if len(p.New) > 0 { // its audit ended with that
			whole, err := audit.Run(ctx, audit.Options{SLICC: r.Trees.Before, Mutant: p.ID, Seed: b.Audit.Seed, Steps: found.Steps})
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

// same reports whether an edit makes the tables and the bodies of the protocol with the fix,
// and whether it makes a part of them: whatever it changes is as in that protocol.
func same(t *Trees, id string) (equal, part bool, err error) {
	fixed, err := checked(t.After)
	if err != nil {
		return false, false, err
	}
	tree, err := protocols.LoadFile(t.Before)
	if err != nil {
		return false, false, err
	}
	buggy, err := contentOf(tree)
	if err != nil {
		return false, false, err
	}
	c, err := mutate.NewCatalogue(tree)
	if err != nil {
		return false, false, err
	}
	m, err := c.Find(id)
	if err != nil {
		return false, false, err
	}
	edited, err := contentOf(c.Tree(m))
	if err != nil {
		return false, false, err
	}
	return edited.same(fixed), edited.between(buggy, fixed), nil
}

func (r tableRow) same(other tableRow) bool {
	return r.next == other.next && slices.Equal(r.actions, other.actions)
}

// same reports whether two protocols have the same tables and bodies.
func (c *content) same(other *content) bool {
	return maps.EqualFunc(c.rows, other.rows, func(a, b map[pair]tableRow) bool { return maps.EqualFunc(a, b, tableRow.same) }) &&
		maps.Equal(c.bodies, other.bodies) && maps.EqualFunc(c.ports, other.ports, slices.Equal[[]string])
}

// between reports whether a protocol differs from another one, and is in all that differs as
// a third one, which has all rows that the other has.
func (c *content) between(from, to *content) bool {
	changed := false
	for machine, rows := range c.rows {
		for at, r := range rows {
			old, had := from.rows[machine][at]
			if had && r.same(old) {
				continue
			}
			want, has := to.rows[machine][at]
			if !has || !r.same(want) {
				return false
			}
			changed = true
		}
		for at := range from.rows[machine] {
			if _, has := rows[at]; !has {
				return false
			}
		}
	}
	for machine, ports := range c.ports {
		if slices.Equal(ports, from.ports[machine]) {
			continue
		}
		if !slices.Equal(ports, to.ports[machine]) {
			return false
		}
		changed = true
	}
	for head, text := range c.bodies {
		if text == from.bodies[head] {
			continue
		}
		if text != to.bodies[head] {
			return false
		}
		changed = true
	}
	return changed
}
