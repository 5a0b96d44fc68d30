package history

import (
	"cmp"
	"context"
	"math"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/run"
)

// A finding that one of two versions shows by chance is shown by the other one as often: that it comes up enough times
// in one and never in the other then has a probability of 2^-enough. The audits, which have the same budget, count, and
// further seeds of its program, up to mostSeeds in each version.
const (
	enough    = 7
	mostSeeds = 400
)

// sure decides whether a finding begins: Begins, Unsure, or Stays where a version before shows it after all.
func (r *Replay) sure(ctx context.Context, before []*version, now *version, f *audit.Finding) (string, error) {
	if f.Explore != nil {
		return Begins, nil // no seed decides about it
	}
	more := *f
	for hits := f.Count - 1; hits < enough; {
		if more.Seed += audit.ShowTries; more.Seed > f.Seed+mostSeeds || r.left() < 0 {
			return Unsure, nil
		}
		for _, v := range before {
			list, err := shown(ctx, v.root, &more)
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if err == nil && same(list, f) {
				v.add(f)
				return Stays, nil
			}
		}
		list, err := shown(ctx, now.root, &more)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil && same(list, f) {
			hits++ // one of these seeds at least
		}
	}
	return Begins, nil
}

// outlasts reports whether each version before gets further in one of the runs of a finding than the version that shows it
// there. A version in which it has but another name, or is hidden by an earlier failure, never does.
func outlasts(ctx context.Context, before []*version, now *version, f *audit.Finding) (bool, error) {
	if f.Explore != nil {
		return false, nil
	}
	ends := func(v *version) (list []uint64, shows []bool, err error) {
		// An error is of a machine that this version does not have.
		_ = audit.Repeat(ctx, onVersion(f, v.root), nil, f, func(res *run.Evaluation, events uint64) bool {
			if !res.Failed() {
				events = math.MaxUint64
			}
			list, shows = append(list, events), append(shows, res.Failed() && res.FindingTitle() == f.Title)
			return true
		})
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return list, shows, err
	}
	fails, shows, err := ends(now)
	if err != nil {
		return false, err
	}
	for _, v := range before {
		list, _, err := ends(v)
		if err != nil {
			return false, err
		}
		later := false
		for i := range min(len(list), len(fails)) {
			later = later || shows[i] && list[i] > fails[i]
		}
		if !later {
			return false, nil
		}
	}
	return true, nil
}

// left is the time for repeating and reducing that is left of a comparison, which ends after about twice the time of its
// audits; 0 means that it has no limit.
func (r *Replay) left() time.Duration {
	if r.last == 0 {
		return 0
	}
	return cmp.Or(r.last-audit.ProcessTime(), -1)
}
