package compare

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/stats"

	"ordeal/sim"
)

// Limits below which a change of speed is taken for noise of the machine.
const (
	// Slower is the factor by which the median time of an operation must differ.
	Slower = 1.25
	// EnoughRuns and EnoughTime are how many runs must have passed in each
	// campaign, and how long they must have taken together.
	EnoughRuns = 20
	EnoughTime = time.Second
)

// Speed is a configuration that became slower or faster: the medians of its
// runs that passed, which differ by Slower or more, and not by chance
// (Mann-Whitney test, p < Significant).
type Speed struct {
	Config string `json:"config"`
	// What is "simulator" or "checking".
	What string `json:"what"`
	// Old and New are nanoseconds an operation.
	Old float64 `json:"old_ns_per_operation"`
	New float64 `json:"new_ns_per_operation"`
	P   float64 `json:"p"`
}

// speed lists the configurations that became slower or faster, the greatest
// loss first. Canaries are left out: their runs end where the bug shows.
func (p *pair) speed() []Speed {
	list := []Speed{}
	for _, name := range p.names {
		old, new, ok := p.alike(name)
		if !ok || new.Bug != nil || !slices.Equal(old.Classify, new.Classify) {
			continue
		}
		for _, what := range []string{"simulator", "checking"} {
			a, b := old.paces(what), new.paces(what)
			if a == nil || b == nil {
				continue
			}
			s := Speed{Config: name, What: what, Old: median(a), New: median(b)}
			if ratio := s.New / s.Old; !(ratio >= Slower || ratio <= 1/Slower) || math.IsInf(ratio, 0) {
				continue
			}
			test, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers)
			if err != nil || test.P >= Significant { // all are equal
				continue
			}
			s.P = test.P
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Speed) int { return cmp.Compare(b.New/b.Old, a.New/a.Old) })
	return list
}

// paces returns the sorted nanoseconds per operation of the runs that passed;
// nil if they are too few.
func (k *configRuns) paces(what string) []float64 {
	var list []float64
	total := time.Duration(0)
	for i := range k.runs {
		r := &k.runs[i]
		if k.of(r).outcome != sim.Passed || r.operations == 0 {
			continue
		}
		d := r.simulated
		if what == "checking" {
			d = r.checked
		}
		total += d
		list = append(list, float64(d)/float64(r.operations))
	}
	if len(list) < EnoughRuns || total < EnoughTime {
		return nil
	}
	slices.Sort(list)
	return list
}

// median is the median of numbers in order.
func median(list []float64) float64 {
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
