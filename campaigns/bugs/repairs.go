package bugs

import (
	"context"
	"maps"
	"slices"

	"ordeal/campaigns/amend"
	"ordeal/campaigns/audit"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// Bounds on the search for the repair of a bug.
const (
	repairTries = 400
	repairBest  = 8
	// proposals of a search are looked at.
	proposals = 3
)

// Repaired is what a search for repairs has proposed for a bug that was found.
type Repaired struct {
	Tried int `json:"tried"`
	// Proposals are the first ones, as mutants are named.
	Proposals []string `json:"proposals,omitempty"`
	// Equal is the number, from 1, of the first one that makes the protocol with the fix,
	// and Passes that of the first whose audit shows nothing that the audit of the
	// protocol with the fix does not show; 0: none.
	Equal  int `json:"equal,omitempty"`
	Passes int `json:"passes,omitempty"`
	// Reason is why there was no search.
	Reason string `json:"reason,omitempty"`
	_      struct{}
}

// Good reports whether one of the first proposals is as good as the fix.
func (r *Repaired) Good() bool { return r.Equal > 0 || r.Passes > 0 }

// repairs searches for repairs of a finding and compares them with the fix.
func (b *Bench) repairs(ctx context.Context, r *Result) error {
	if r.Trees.After == "" {
		r.Repaired = &Repaired{Reason: "no fix to compare with"}
		return nil
	}
	found, err := amend.Search(ctx, amend.Options{Finding: r.Finding, Tries: repairTries, Best: repairBest, Steps: b.Audit.Steps, Seed: b.Audit.Seed})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.Repaired = &Repaired{Reason: brief(err)}
		return nil
	}
	r.Repaired = &Repaired{Tried: found.Tried}
	after, err := audit.Run(ctx, audit.Options{SLICC: r.Trees.After, Seed: b.Audit.Seed, Steps: found.Steps})
	if err != nil {
		return err
	}
	for i, p := range found.Repairs[:min(proposals, len(found.Repairs))] {
		r.Repaired.Proposals = append(r.Repaired.Proposals, p.ID)
		equal, err := same(r.Trees, p.ID)
		if err != nil {
			return err
		}
		if equal && r.Repaired.Equal == 0 {
			r.Repaired.Equal = i + 1
		}
		known := func(title string) bool { return after.Find(title) != nil }
		shown := slices.Concat(p.New, p.Left)
		if r.Repaired.Passes == 0 && !slices.ContainsFunc(shown, func(title string) bool { return !known(title) }) {
			r.Repaired.Passes = i + 1
		}
	}
	return nil
}

// same reports whether an edit makes the tables and the bodies of the protocol with the fix.
func same(t *Trees, id string) (bool, error) {
	fixed, err := checked(t.After)
	if err != nil {
		return false, err
	}
	tree, err := protocols.LoadFile(t.Before)
	if err != nil {
		return false, err
	}
	c, err := mutate.NewCatalogue(tree)
	if err != nil {
		return false, err
	}
	m, err := c.Find(id)
	if err != nil {
		return false, err
	}
	edited, err := contentOf(c.Tree(m))
	if err != nil {
		return false, err
	}
	rows := func(a, b map[pair]tableRow) bool {
		return maps.EqualFunc(a, b, func(x, y tableRow) bool { return x.next == y.next && slices.Equal(x.actions, y.actions) })
	}
	return maps.EqualFunc(fixed.rows, edited.rows, rows) && maps.Equal(fixed.bodies, edited.bodies), nil
}
