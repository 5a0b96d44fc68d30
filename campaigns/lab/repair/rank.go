package repair

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/campaigns/audit"
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

// score is the less the likelier a repair is, of whose titles so many count against it: each as one
// more edit, and as five rows that are lost.
func (r *Repair) score(titles int) int { return r.Lost + 5*(r.Edits-1+titles) + r.rank }

// distinct leaves repairs out that do what an earlier one of the same edits does, or the same in other
// words: their audits do not differ.
func distinct(list []*Repair) (kept []*Repair) {
	same := func(a, b *Repair) bool {
		alike := func(f, g *audit.Finding) bool { return f.Title == g.Title && f.Steps == g.Steps }
		return a.ID == b.ID || a.Steps > 0 && a.Steps == b.Steps && a.Lost == b.Lost && slices.EqualFunc(a.Findings, b.Findings, alike)
	}
	for _, r := range list {
		if !slices.ContainsFunc(kept, func(k *Repair) bool { return same(k, r) }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// ranked orders repairs whose audits ended, the first of each place before others of it.
func ranked(list []*Repair) []*Repair {
	slices.SortStableFunc(list, func(a, b *Repair) int { return cmp.Compare(a.score(len(a.New)), b.score(len(b.New))) })
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
