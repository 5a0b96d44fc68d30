package mutation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
)

// Score counts mutants and the operations that it took to kill them.
type Score struct {
	Mutants int
	Status  map[Status]int
	By      map[string]int // kills, by outcome
	// Ops and Times are the operations and the time to kill of each seed,
	// ascending.
	Ops   []int
	Times []time.Duration
	// Censored counts the seeds whose budget did not suffice, of mutants that
	// another seed killed.
	Censored int
}

// Compared counts the mutants that are not known to be equivalent.
func (s *Score) Compared() int { return s.Mutants - s.Status[Equivalent] }

// Other counts the survivors that some run showed a difference of, or that
// could not be run.
func (s *Score) Other() int { return s.Status[Allowed] + s.Status[Failed] }

// Percent is the share of killed mutants among those compared.
func (s *Score) Percent() float64 {
	return 100 * float64(s.Status[Killed]) / float64(max(s.Compared(), 1))
}

// Quantile is the number of operations within which a share of the seeds
// killed; those that did not kill count as never. Ok is false where that is not
// known.
func (s *Score) Quantile(share float64) (ops int, ok bool) {
	at := s.rank(share)
	if at < 0 {
		return 0, false
	}
	return s.Ops[at], true
}

// rank is the index of a quantile among the kills, by the nearest rank; -1
// where it is not known.
func (s *Score) rank(share float64) int {
	n := len(s.Ops) + s.Censored
	if at := int(math.Ceil(share*float64(n))) - 1; at < len(s.Ops) {
		return at
	}
	return -1
}

// add counts a mutant.
func (s *Score) add(o *outcome) {
	s.Mutants++
	status, _ := o.status()
	s.Status[status]++
	first := true
	for _, r := range o.results {
		if r.Equivalent != "" {
			continue
		}
		killed := r.Killed()
		for _, t := range r.Seeds {
			switch {
			case t.Killed:
				if first {
					s.By[t.By]++
				}
				first = false
				s.Ops, s.Times = append(s.Ops, t.Ops), append(s.Times, t.Elapsed)
			case killed:
				s.Censored++
			}
		}
	}
}

// Scores counts mutants by a name that key gives each result; the names are in
// the order of their first result. Results of one mutant under one name count
// once.
func Scores(results []Result, key func(*Result) string) ([]string, map[string]*Score) {
	var names []string
	grouped := map[string][]*Result{}
	for _, r := range pointers(results) {
		name := key(r)
		if grouped[name] == nil {
			names = append(names, name)
		}
		grouped[name] = append(grouped[name], r)
	}
	scores := map[string]*Score{}
	for name, list := range grouped {
		s := &Score{Status: map[Status]int{}, By: map[string]int{}}
		for _, o := range byMutant(list) {
			s.add(o)
		}
		slices.Sort(s.Ops)
		slices.Sort(s.Times)
		scores[name] = s
	}
	return names, scores
}

// Table is the kill matrix as text, in a number of columns, or any if it is 0: a line for each protocol and core, one for
// each protocol over all cores, and one for each operator.
func Table(results []Result, columns int) string {
	var sb strings.Builder
	for _, section := range []struct {
		title string
		key   func(*Result) string
	}{
		{"protocol, core", func(r *Result) string { return r.Protocol + ", " + r.Core }},
		{"protocol, any core", func(r *Result) string { return r.Protocol }},
		{"operator", func(r *Result) string { return string(r.Operator) }},
	} {
		table := messages.Table{
			Header: []any{section.title, "mutants", "equivalent", "killed", "score", "never taken", "no difference", "other",
				"operations to kill", "95 %", "seconds", "95 %", "killed by"},
			Left: []int{12},
		}
		names, scores := Scores(results, section.key)
		for _, name := range names {
			s := scores[name]
			table.Rows = append(table.Rows, []any{name, s.Mutants, s.Status[Equivalent], s.Status[Killed], fmt.Sprintf("%.1f %%", s.Percent()),
				s.Status[NeverTaken], s.Status[NoDifference], s.Other(), s.quantile(0.5), s.quantile(0.95), s.seconds(0.5), s.seconds(0.95), s.by()})
		}
		sb.WriteString(table.Fit(columns) + "\n")
	}
	return sb.String()
}

func (s *Score) quantile(share float64) string {
	if n, ok := s.Quantile(share); ok {
		return fmt.Sprint(n)
	}
	if len(s.Ops) == 0 {
		return "-"
	}
	return "> budget"
}

// seconds is quantile for the wall time.
func (s *Score) seconds(share float64) string {
	if at := s.rank(share); at >= 0 && at < len(s.Times) {
		return fmt.Sprintf("%.3f", s.Times[at].Seconds())
	}
	return s.quantile(share)
}

// by lists the outcomes that killed, the most frequent first.
func (s *Score) by() string {
	names := slices.SortedFunc(maps.Keys(s.By), func(a, b string) int { return cmp.Or(s.By[b]-s.By[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, s.By[name])
	}
	return strings.Join(names, ", ")
}
