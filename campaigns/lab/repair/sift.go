package repair

import (
	"cmp"
	"context"
	"slices"

	"ordeal/campaigns/audit"
)

// sift orders edits with which something new comes up by whole audits: first short ones of
// all, then full ones of the best, while there are steps left. An edit with which the finding
// itself comes up again is no repair. What comes up with edits of several places is the protocol's
// own, which the finding hides.
func (s *search) sift(ctx context.Context, list []*Repair) ([]*Repair, error) {
	list = list[:min(len(list), s.o.Best)]
	for _, round := range []struct {
		steps uint64
		most  int
	}{{s.o.Steps / siftSteps, len(list)}, {s.o.Steps, enough}} {
		var audited []*Repair
		at := 0
		for at < len(list) && len(audited) < round.most && s.spent < s.budget() && ctx.Err() == nil {
			r, err := s.whole(ctx, list[at], round.steps)
			if err != nil {
				return nil, err
			}
			if at++; r != nil {
				audited = append(audited, r)
			}
		}
		s.common(audited)
		list = append(audited, list[at:]...)
	}
	return list, nil
}

// whole audits an edit in so many steps, whatever comes up. It is nil if the finding does.
func (s *search) whole(ctx context.Context, r *Repair, steps uint64) (*Repair, error) {
	report, err := s.audited(ctx, r.ID, steps, func(f *audit.Finding) bool { return f.Title == s.o.Finding.Title })
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	s.spent += report.Steps
	if report.Stopped != nil {
		return nil, nil
	}
	whole := &Repair{ID: r.ID, Edits: r.Edits, Runs: r.Runs, Findings: report.Findings, Steps: report.Steps, rank: r.rank}
	for _, f := range report.Findings {
		known, err := s.known(ctx, f)
		switch {
		case err != nil:
			return nil, err
		case known:
			whole.Left = append(whole.Left, f.Title)
		case s.hides(&node{candidate: candidate{id: r.ID}}, f.Title):
			whole.Hidden = append(whole.Hidden, f.Title)
		default:
			whole.New = append(whole.New, f.Title)
		}
	}
	whole.Lost = max(s.stock.Coverage.Taken()-report.Coverage.Taken(), 0)
	return whole, nil
}

// common orders repairs by their scores, in which titles count that are new with them and not with
// those of other places, then by all their new titles. An edit with which every run fails at once
// shows one title, but takes few rows.
func (s *search) common(list []*Repair) {
	places := map[string]map[string]bool{} // of a title
	for _, r := range list {
		for _, title := range r.New {
			if places[title] == nil {
				places[title] = map[string]bool{}
			}
			places[title][r.place()] = true
		}
	}
	own := func(r *Repair) (n int) {
		for _, title := range r.New {
			if len(places[title]) < hiding {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b *Repair) int {
		return cmp.Or(cmp.Compare(a.score(own(a)), b.score(own(b))), cmp.Compare(len(a.New), len(b.New)))
	})
}
