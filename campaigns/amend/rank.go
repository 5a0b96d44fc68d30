package amend

import (
	"cmp"
	"slices"
	"strings"
)

// place is where the edits of a repair are.
func (r *Repair) place() string {
	var list []string
	for _, id := range strings.Split(r.ID, " + ") {
		parts := strings.SplitN(id, "/", 4)
		if at := strings.Join(parts[:min(3, len(parts))], "/"); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return strings.Join(list, " ")
}

// ranked orders repairs whose audits ended, the first of each place before others of it. A title
// that was put aside counts as one more edit.
func ranked(list []*Repair) []*Repair {
	score := func(r *Repair) int { return r.Lost + 5*(r.Edits-1+len(r.New)) + r.rank }
	slices.SortStableFunc(list, func(a, b *Repair) int { return cmp.Compare(score(a), score(b)) })
	seen := map[string]bool{}
	var first, rest []*Repair
	for _, r := range list {
		if seen[r.place()] {
			rest = append(rest, r)
		} else {
			first = append(first, r)
		}
		seen[r.place()] = true
	}
	return append(first, rest...)
}

// longest orders repairs that do not pass by the steps of their audits, without those that
// passed when they were audited again.
func longest(list, passed []*Repair) []*Repair {
	slices.SortStableFunc(list, func(a, b *Repair) int { return cmp.Compare(b.Steps, a.Steps) })
	seen := map[string]bool{}
	for _, r := range passed {
		seen[r.ID] = true
	}
	return slices.DeleteFunc(list, func(r *Repair) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
}

// places counts those of repairs.
func places(list []*Repair) int {
	seen := map[string]bool{}
	for _, r := range list {
		seen[r.place()] = true
	}
	return len(seen)
}

// alternate takes from two lists in turn.
func alternate[T any](a, b []T) (list []T) {
	for i := range max(len(a), len(b)) {
		list = append(list, a[min(i, len(a)):min(i+1, len(a))]...)
		list = append(list, b[min(i, len(b)):min(i+1, len(b))]...)
	}
	return list
}
