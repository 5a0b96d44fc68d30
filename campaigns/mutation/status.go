package mutation

import (
	"fmt"
	"slices"
)

// Status is the result of a mutant over several kinds of core.
type Status string

// The statuses, from the one that excludes the others to the weakest.
const (
	Equivalent   Status = "equivalent"    // known to be, for all kinds of core
	Killed       Status = "killed"        // with some kind of core and seed
	Failed       Status = "error"         // it could not be run
	NeverTaken   Status = "never taken"   // no run of the protocol takes the mutated transition
	NoDifference Status = "no difference" // every run is that of the protocol, event for event
	Allowed      Status = "other"         // runs differ, in ways that the models allow
)

// outcome is the results of one mutant.
type outcome struct {
	mutant  string
	results []*Result
}

// byMutant groups results by mutant, in their order.
func byMutant(results []*Result) []*outcome {
	var list []*outcome
	index := map[[2]string]*outcome{}
	for _, r := range results {
		key := [2]string{r.Protocol, r.Mutant}
		if index[key] == nil {
			index[key] = &outcome{mutant: r.Mutant}
			list = append(list, index[key])
		}
		index[key].results = append(index[key].results, r)
	}
	return list
}

// status returns the status of the mutant and its reason, which is empty where
// the status says all.
func (o *outcome) status() (Status, string) {
	equivalent, killed, failed, everyRun, same := 0, false, "", false, true
	taken := int64(0)
	for _, r := range o.results {
		if r.Equivalent != "" {
			equivalent++
			continue
		}
		killed = killed || r.Killed()
		failed = max(failed, r.Error)
		everyRun = everyRun || r.Taken < 0
		taken += r.Taken
		same = same && r.Same
	}
	times := fmt.Sprintf("taken %d times", taken)
	if everyRun {
		times = "part of every run"
	}
	switch {
	case equivalent == len(o.results):
		return Equivalent, ""
	case killed:
		return Killed, ""
	case failed != "":
		return Failed, "could not be run: " + failed
	case !everyRun && taken == 0:
		return NeverTaken, "the transition was never taken"
	case same:
		return NoDifference, times + ", and no run differed from the protocol's in an event or a value"
	}
	return Allowed, times + "; runs differed, in ways that the models allow"
}

// Killed reports whether some seed killed the mutant.
func (r *Result) Killed() bool {
	return slices.ContainsFunc(r.Seeds, func(t Trial) bool { return t.Killed })
}

// Survivor is a mutant that no run killed and that is not known to be equivalent.
type Survivor struct {
	Mutant string `json:"mutant"`
	Status Status `json:"status"`
	Reason string `json:"reason"` // why it may have survived
}

// Survivors lists the survivors among results.
func Survivors(results []Result) []Survivor {
	var list []Survivor
	for _, o := range byMutant(pointers(results)) {
		if status, reason := o.status(); reason != "" {
			list = append(list, Survivor{o.mutant, status, reason})
		}
	}
	return list
}

func pointers(results []Result) []*Result {
	list := make([]*Result, len(results))
	for i := range results {
		list[i] = &results[i]
	}
	return list
}
