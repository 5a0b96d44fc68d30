package mutation

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ordeal/sim/slicc/mutate"
)

// Score counts what came of mutants.
type Score struct {
	Mutants    int `json:"mutants"`
	Equivalent int `json:"equivalent"` // known to be
	Killed     int `json:"killed"`
	// Survivors that no run took, that no run showed a difference of, and the
	// others.
	Never     int `json:"never_taken"`
	Same      int `json:"no_difference"`
	Different int `json:"different"`
	Errors    int `json:"errors"`
	// By counts what killed, by outcome.
	By map[string]int `json:"by"`
	// Ops are the operations to kill of each seed, ascending; Censored counts
	// the seeds whose budget did not suffice, though another seed killed.
	Ops      []int `json:"-"`
	Censored int   `json:"censored"`
	// Times is how long that took, ascending.
	Times []time.Duration `json:"-"`
}

// Percent is the share of killed mutants among those not known to be
// equivalent.
func (s *Score) Percent() float64 {
	if n := s.Mutants - s.Equivalent; n > 0 {
		return 100 * float64(s.Killed) / float64(n)
	}
	return 0
}

// Quantile is the number of operations within which a share of the seeds
// killed, those that did not kill counted as never; ok is false where that is
// not known.
func (s *Score) Quantile(share float64) (ops int, ok bool) {
	at := s.rank(share)
	if at < 0 {
		return 0, false
	}
	return s.Ops[at], true
}

// rank is the place of a quantile among the kills, by the nearest rank; -1
// where it is not known.
func (s *Score) rank(share float64) int {
	n := len(s.Ops) + s.Censored
	if at := int(math.Ceil(share*float64(n))) - 1; at < len(s.Ops) {
		return at
	}
	return -1
}

// Fate is how a mutant ended over all kinds of core.
type Fate struct {
	Mutant, Protocol string
	Operator         mutate.Operator
	Results          []Result
}

// Fates groups results by mutant, in their order.
func Fates(results []Result) []Fate {
	var list []Fate
	at := map[[2]string]int{}
	for _, r := range results {
		key := [2]string{r.Protocol, r.Mutant}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, Fate{Mutant: r.Mutant, Protocol: r.Protocol, Operator: r.Operator})
		}
		list[i].Results = append(list[i].Results, r)
	}
	return list
}

// add counts a mutant by what some kinds of core made of it.
func (s *Score) add(results []Result) {
	s.Mutants++
	if s.By == nil {
		s.By = map[string]int{}
	}
	known, killed, failed, taken, same := 0, false, 0, false, true
	for i := range results {
		r := &results[i]
		if r.Equivalent != "" {
			known++
			continue
		}
		if r.Error != "" {
			failed++
		}
		taken = taken || r.Taken != 0
		same = same && r.Same
		for _, t := range r.Seeds {
			if t.Killed {
				if !killed {
					s.By[t.By]++
				}
				killed = true
				s.Ops, s.Times = append(s.Ops, t.Ops), append(s.Times, t.Elapsed)
			}
		}
		if r.Killed() {
			for _, t := range r.Seeds {
				if !t.Killed {
					s.Censored++
				}
			}
		}
	}
	switch {
	case known == len(results):
		s.Equivalent++
	case killed:
		s.Killed++
	case failed > 0:
		s.Errors++
	case !taken:
		s.Never++
	case same:
		s.Same++
	default:
		s.Different++
	}
}

// Scores counts mutants by a name that key gives each result; the names are in
// the order of their first result. Results of one mutant under one name count
// once.
func Scores(results []Result, key func(*Result) string) ([]string, map[string]*Score) {
	var names []string
	grouped := map[string][]Result{}
	for i := range results {
		name := key(&results[i])
		if _, ok := grouped[name]; !ok {
			names = append(names, name)
		}
		grouped[name] = append(grouped[name], results[i])
	}
	scores := map[string]*Score{}
	for name, list := range grouped {
		s := &Score{}
		for _, f := range Fates(list) {
			s.add(f.Results)
		}
		slices.Sort(s.Ops)
		slices.Sort(s.Times)
		scores[name] = s
	}
	return names, scores
}

// WriteTable writes the kill matrix: a line for each protocol and core, one
// for each protocol over all cores, and one for each operator.
func WriteTable(w io.Writer, results []Result) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "\tmutants\tequivalent\tkilled\tscore\tnever taken\tno difference\tother\toperations to kill\t95 %\tseconds\t95 %\tkilled by\t\n"
	section := func(title string, key func(*Result) string) {
		fmt.Fprint(tw, title+head)
		names, scores := Scores(results, key)
		for _, name := range names {
			s := scores[name]
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%.1f %%\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", name, s.Mutants, s.Equivalent, s.Killed, s.Percent(),
				s.Never, s.Same, s.Different+s.Errors, s.quantile(0.5), s.quantile(0.95), s.seconds(0.5), s.seconds(0.95), s.by())
		}
		fmt.Fprint(tw, "\t\t\t\t\t\t\t\t\t\t\t\t\t\n")
	}
	section("protocol, core", func(r *Result) string { return r.Protocol + ", " + r.Core })
	section("protocol, any core", func(r *Result) string { return r.Protocol })
	section("operator", func(r *Result) string { return string(r.Operator) })
	return tw.Flush()
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

// seconds is quantile for the time of this process.
func (s *Score) seconds(share float64) string {
	if at := s.rank(share); at >= 0 && at < len(s.Times) {
		return fmt.Sprintf("%.3f", s.Times[at].Seconds())
	}
	return s.quantile(share)
}

// by lists what killed, the most frequent first.
func (s *Score) by() string {
	var names []string
	for name := range s.By {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(s.By[b]-s.By[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, s.By[name])
	}
	return strings.Join(names, ", ")
}

// Survivors lists the mutants that nothing killed and that are not known to be
// equivalent, each with what is known of it.
func Survivors(results []Result) []string {
	var list []string
	for _, f := range Fates(results) {
		if why := f.survived(); why != "" {
			list = append(list, f.Mutant+": "+why)
		}
	}
	return list
}

// survived says why a mutant may have survived; empty if it did not.
func (f *Fate) survived() string {
	taken, same, known := int64(0), true, 0
	for i := range f.Results {
		r := &f.Results[i]
		switch {
		case r.Killed():
			return ""
		case r.Equivalent != "":
			known++
			continue
		case r.Error != "":
			return "could not be run: " + r.Error
		case r.Taken < 0:
			taken = -1
		}
		if taken >= 0 {
			taken += r.Taken
		}
		same = same && r.Same
	}
	times := fmt.Sprintf("taken %d times", taken)
	if taken < 0 {
		times = "part of every run"
	}
	switch {
	case known == len(f.Results):
		return ""
	case taken == 0:
		return "the transition was never taken"
	case same:
		return times + ", and no run differed from the protocol's in an event or a value"
	}
	return times + "; runs differed, but what they did is allowed"
}
