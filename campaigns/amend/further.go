package amend

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
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(len(a.left), len(b.left)))
	})
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

// without is an edit with which one more finding is left out, and that passes its audit, or
// most of it: what comes up that late may be a defect that others have hidden. It is nil if
// none of the first ones does.
func (s *search) without(ctx context.Context, on *node) (*node, *Repair, error) {
	for range furtherTurns {
		s.o.Tries += turn // besides those of the search
		open, _, err := s.expand(ctx, on)
		if err != nil {
			return nil, nil, err
		}
		for _, n := range open {
			if s.spent >= s.budget() || ctx.Err() != nil {
				return nil, nil, nil
			}
			r, passes, err := s.audit(ctx, n)
			if err != nil || passes || s.late(n, r) {
				return n, r, err
			}
		}
		if on.done() {
			break
		}
	}
	return nil, nil, nil
}

// late reports whether the audit of an edit ended in its second half, with a title that the
// edit was not to take away. Such a failure is too rare for runs of it to tell edits apart, and
// no longer counts; it may be a defect that others have hidden.
func (s *search) late(n *node, r *Repair) bool {
	last := len(n.findings) - 1
	title := n.findings[last].Title
	if r.Steps < s.o.Steps/2 || slices.ContainsFunc(n.findings[:last], func(f *audit.Finding) bool { return f.Title == title }) {
		return false
	}
	n.findings, n.rare = n.findings[:last], append(slices.Clip(n.rare), title)
	return true
}

// uncovering are at most so many of the edits with which the finding goes away in all of its
// runs, and something else comes up that it may have hidden, and that is not the edit's own fault,
// nor that nothing goes on.
func (s *search) uncovering(ctx context.Context, others []*node, most int) (list []*Repair, err error) {
	isFinding := func(title string) bool { return title == s.o.Finding.Title }
	others = slices.DeleteFunc(others, func(n *node) bool {
		return blunder(n.title) || stuck(n.title) && !stuck(s.o.Finding.Title)
	})
	for _, n := range others[:min(len(others), 4*most)] {
		if len(list) >= most || ctx.Err() != nil {
			break
		}
		shown, err := s.outcome(ctx, n.id, s.o.Finding, isFinding)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(shown.titles, isFinding) {
			list = append(list, &Repair{ID: n.id, Edits: n.edits, Runs: shown.runs, New: []string{n.title}, rank: n.rank})
		}
	}
	return list, nil
}
