package audit

import (
	"slices"
)

// mask is a set of features with which runs have ended with known findings. Runs that end so
// cannot show what comes later in them.
type mask struct {
	needs []string
	runs  int // with all these features, since the first such finding
	ended int // of them with the finding
}

// maskedRuns is how many runs an estimate needs.
const maskedRuns = 8

// mostMasked is the most that runs of one set of features are left out, so that they
// are still made, and more is learnt of what they need.
const mostMasked = 0.9

// masked are the masks of an audit.
type masked struct{ list []*mask }

// learn adds a run with such features, which ended with a finding, or with none.
func (k *masked) learn(features []string, ended *Finding) {
	if ended != nil && len(ended.Needs) > 0 {
		m := k.of(ended.Needs)
		if m == nil {
			m = &mask{needs: slices.Clone(ended.Needs)}
			k.list = append(k.list, m)
		}
		m.ended++
	}
	for _, m := range k.list {
		if subset(m.needs, features) {
			m.runs++
		}
	}
}

// of is the mask of a set of features; nil if there is none.
func (k *masked) of(needs []string) *mask {
	if i := slices.IndexFunc(k.list, func(m *mask) bool { return slices.Equal(m.needs, needs) }); i >= 0 {
		return k.list[i]
	}
	return nil
}

// share estimates how many of the runs with such features end with a known finding that
// needs some of them.
func (k *masked) share(features []string) float64 {
	sum := 0.0
	for _, m := range k.list {
		if m.runs >= maskedRuns && subset(m.needs, features) {
			sum += float64(m.ended) / float64(m.runs)
		}
	}
	return min(sum, mostMasked)
}

// subset reports whether all of a list are in another one.
func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
