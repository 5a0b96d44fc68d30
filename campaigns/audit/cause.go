package audit

import (
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/lazyregexp"
)

// row is the title of an invalid transition: its state, its event and its machine.
var row = lazyregexp.New(`^invalid transition \((\w+), ?(\w+)\) of (\w+)`)

// noData begins the titles of functional reads that find no data.
const noData = "functional read finds no data"

// alike reports whether two findings end alike: crashes with the same title, at rows
// of one machine and of one state or event, or by functional reads that find no data; all
// others in the same way, since a lost message or value shows in many places.
func (f *Finding) alike(other *Finding) bool {
	if f.Outcome != other.Outcome || f.Outcome != sim.Crash.String() {
		return f.Outcome == other.Outcome
	}
	if strings.HasPrefix(f.Title, noData) && strings.HasPrefix(other.Title, noData) {
		return true
	}
	a, b := row().FindStringSubmatch(f.Title), row().FindStringSubmatch(other.Title)
	if a == nil || b == nil {
		return f.Title == other.Title
	}
	return a[3] == b[3] && (a[1] == b[1] || a[2] == b[2])
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
	if !f.alike(head) || len(heads) == 0 && len(mine) > 0 {
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
