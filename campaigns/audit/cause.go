package audit

import (
	"slices"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/sim"
)

// Diagnosis is the failure of a finding with its outcome.
func (f *Finding) Diagnosis() diagnose.Failure {
	var outcome sim.Outcome
	_ = outcome.UnmarshalText([]byte(f.Outcome)) // unknown if there is none
	return diagnose.New(outcome, f.Failure, f.Title)
}

// setCauses numbers the causes of the findings. Those that end alike are taken for
// one if they need the same unusual features, or if one needs them and others, since
// what is rare seems to need more than it does.
func (r *Report) setCauses() {
	bySize := slices.Clone(r.Findings)
	slices.SortStableFunc(bySize, func(a, b *Finding) int { return len(a.unusual()) - len(b.unusual()) })
	var heads []*Finding
	headOf := map[*Finding]*Finding{}
	for _, f := range bySize {
		headOf[f] = f
		for _, h := range slices.Backward(heads) { // those that need more first
			if f.sameCause(h) {
				headOf[f] = h
				break
			}
		}
		if headOf[f] == f {
			heads = append(heads, f)
		}
	}
	number := map[*Finding]int{}
	for _, f := range r.Findings {
		head := headOf[f]
		if number[head] == 0 {
			number[head] = len(number) + 1
		}
		f.Cause = number[head]
	}
}

// sameCause reports whether a finding is of the same cause as one that needs no more
// unusual features.
func (f *Finding) sameCause(head *Finding) bool {
	mine, heads := f.unusual(), head.unusual()
	a, b := f.Diagnosis(), head.Diagnosis()
	if !a.Same(&b, diagnose.Alike) || len(heads) == 0 && len(mine) > 0 {
		return false
	}
	return !slices.ContainsFunc(heads, func(need string) bool { return !slices.Contains(mine, need) })
}

// unusual are the needs that the usual runs of a protocol have not.
func (f *Finding) unusual() []string {
	var list []string
	for _, need := range f.Needs {
		if strings.HasPrefix(need, needParameter) || slices.Contains(unusualNeeds, need) {
			list = append(list, need)
		}
	}
	return list
}

// Causes lists the findings by cause, in the order of their first ones.
func (r *Report) Causes() [][]*Finding {
	var list [][]*Finding
	at := map[int]int{}
	for _, f := range r.Findings {
		i, ok := at[f.Cause]
		if !ok {
			i = len(list)
			at[f.Cause] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], f)
	}
	return list
}
