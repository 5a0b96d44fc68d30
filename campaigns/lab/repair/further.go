package repair

import (
	"cmp"
	"context"
	"slices"

	"ordeal/campaigns/audit"
)

// further adds to a repair that passes, or nearly does, edits for what is left: other findings
// of the protocol, which the same mistake may cause. The repair for as many of them as went
// away is one of its own; nil if none did.
func (s *search) further(ctx context.Context) (best *Repair, err error) {
	if len(s.passed) == 0 {
		return nil, nil
	}
	most := slices.MinFunc(s.clean, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.repair.score(0), b.repair.score(0)), cmp.Compare(len(a.left), len(b.left)))
	})
	clear(s.made) // other findings are to go away
	tried := map[string]bool{}
	for ctx.Err() == nil && s.spent < s.budget() {
		i := slices.IndexFunc(most.left, func(f *audit.Finding) bool { return !tried[f.Title] && len(f.Conditions) == 0 })
		if i < 0 {
			break
		}
		f := most.left[i]
		tried[f.Title] = true
		on := &node{candidate: most.candidate, findings: append(slices.Clip(most.findings), f), rare: most.rare, title: f.Title}
		next, r, err := s.without(ctx, on)
		if err != nil {
			return nil, err
		}
		if next != nil {
			most, best = next, r
		}
	}
	return best, nil
}

// without is an edit with which one more finding is left out, and that passes its audit. It is nil
// if none of the first ones does. What ends the audits of several is the protocol's own, which the
// finding hides: the first of them is audited without it.
func (s *search) without(ctx context.Context, on *node) (*node, *Repair, error) {
	ended := map[string][]candidate{} // by title
	for range furtherTurns {
		s.o.Tries += turn // besides those of the search
		open, _, err := s.expand(ctx, on)
		if err != nil {
			return nil, nil, err
		}
		for i := 0; i < len(open); i++ {
			if s.spent >= s.budget() || ctx.Err() != nil {
				return nil, nil, nil
			}
			n := open[i]
			r, passes, err := s.audit(ctx, n, false)
			if err != nil || passes {
				return n, r, err
			}
			if on.against(n.title) || blunder(n.title) {
				continue
			}
			if ended[n.title] = append(ended[n.title], n.candidate); len(ended[n.title]) == hiding {
				again := &node{candidate: ended[n.title][0], findings: on.findings, rare: append(slices.Clip(on.rare), n.title), depth: n.depth}
				open = slices.Insert(open, i+1, again)
			}
		}
		if on.done() {
			break
		}
	}
	return nil, nil, nil
}

// uncovering are at most so many of the edits with which the finding goes away in all of its
// runs, and something else comes up that it may have hidden, and that is not the edit's own fault,
// nor that nothing goes on. With all, where nothing else is left, they may be the edit's fault.
func (s *search) uncovering(ctx context.Context, others []*node, most int, all bool) (list []*Repair, err error) {
	isFinding := func(title string) bool { return title == s.o.Finding.Title }
	others = slices.DeleteFunc(others, func(n *node) bool {
		return blunder(n.title) && !all || stuck(n.title) && !stuck(s.o.Finding.Title)
	})
	for _, n := range others[:min(len(others), 4*most)] {
		if len(list) >= most || ctx.Err() != nil {
			break
		}
		shown, err := s.outcome(ctx, n, s.o.Finding, isFinding)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(shown.titles, isFinding) {
			list = append(list, &Repair{ID: n.id, Edits: n.edits, Runs: shown.runs, New: []string{n.title}, rank: n.rank})
		}
	}
	return list, nil
}
