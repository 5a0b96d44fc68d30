package mutation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
)

// Compared counts the mutants of a protocol by what exploration says of them and
// whether programs killed them.
type Compared struct {
	Protocol string
	// Killed and Survived count mutants by truth: those that some program killed, and the
	// others. Without samples all are among Survived.
	Killed, Survived map[Truth]int
	Same             int // mutants whose states and steps are those of the protocol
	Equivalent       int // known to be, and not explored
}

// Of is the number of mutants of a truth.
func (c *Compared) Of(t Truth) int { return c.Killed[t] + c.Survived[t] }

// Score is the share, in percent, of the mutants that can be killed which programs
// killed: those that exploration kills, and those that only programs did.
func (c *Compared) Score() float64 {
	killed := 0
	for _, n := range c.Killed {
		killed += n
	}
	return 100 * float64(killed) / float64(max(killed+c.Survived[Refuted], 1))
}

// Compare holds the results of programs against those of explorations.
func Compare(results []Result, proofs []Proof) []Compared {
	killed := map[[2]string]bool{}
	for i := range results {
		if results[i].Killed() {
			killed[[2]string{results[i].Protocol, results[i].Mutant}] = true
		}
	}
	var list []Compared
	for i := range proofs {
		p := &proofs[i]
		at := slices.IndexFunc(list, func(c Compared) bool { return c.Protocol == p.Protocol })
		if at < 0 {
			at = len(list)
			list = append(list, Compared{Protocol: p.Protocol, Killed: map[Truth]int{}, Survived: map[Truth]int{}})
		}
		c := &list[at]
		switch {
		case p.Equivalent != "":
			c.Equivalent++
		case killed[[2]string{p.Protocol, p.Mutant}]:
			c.Killed[p.Truth]++
		default:
			c.Survived[p.Truth]++
		}
		if p.Same && p.Truth == Bounded {
			c.Same++
		}
	}
	return list
}

// TruthTable is the comparison; sampled says that there are samples.
func TruthTable(list []Compared, sampled bool) *messages.Table {
	t := &messages.Table{Header: []any{"protocol", "mutants", "equivalent", "killed", "no difference", "same states", "undecided"}}
	if sampled {
		t.Header = append(t.Header, "killed by programs too", "by programs only", "score of programs")
	}
	for i := range list {
		c := &list[i]
		row := []any{
			c.Protocol, c.Equivalent + c.Of(Refuted) + c.Of(Bounded) + c.Of(Undecided), c.Equivalent, c.Of(Refuted), c.Of(Bounded), c.Same, c.Of(Undecided),
		}
		if sampled {
			row = append(row, c.Killed[Refuted], c.Killed[Bounded]+c.Killed[Undecided], fmt.Sprintf("%.1f %%", c.Score()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Missed lists the mutants that exploration kills and no program did, with how.
func Missed(results []Result, proofs []Proof) []*Proof {
	killed := map[string]bool{}
	for i := range results {
		killed[results[i].Mutant] = killed[results[i].Mutant] || results[i].Killed()
	}
	var list []*Proof
	for i := range proofs {
		if p := &proofs[i]; p.Truth == Refuted && !killed[p.Mutant] {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *Proof) int { return cmp.Compare(len(a.Counterexample.Steps), len(b.Counterexample.Steps)) })
	return list
}

// String says what exploration found.
func (p *Proof) String() string {
	switch {
	case p.Equivalent != "":
		return "equivalent: " + p.Equivalent
	case p.Truth == Refuted:
		f := p.Counterexample
		return fmt.Sprintf("killed with %s in %s: %s", p.Machine, messages.Plural(len(f.Steps), "step"), messages.EscapeLine(f.Head()))
	case p.Truth == Bounded && p.Same:
		return fmt.Sprintf("no difference in %s states", messages.Comma(int(p.States)))
	case p.Truth == Bounded:
		return fmt.Sprintf("other states, and every property holds in all %s", messages.Comma(int(p.States)))
	}
	return "undecided: " + strings.TrimSpace(p.Error)
}
