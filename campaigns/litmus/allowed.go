package litmus

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/check/outcomes"
	format "ordeal/parse/formats/litmus"
)

// maxStates bounds the enumeration of one test: some seconds. Tests of the
// usual size have hundreds or thousands of states. Tests of this package lower
// it. Of Armv8 and RVWMO, where operations executed are counted and not states, the
// bound is stepsPerState as high.
var maxStates = 1 << 18

const stepsPerState = 16

// allowed is what a model allows of a test.
type allowed struct {
	full     map[string]bool // keys of outcomes
	reads    map[string]bool // keys of what the loads return alone
	outcomes []format.State  // one for each outcome, with what the test asks for
	states   []string        // different ones, sorted
}

func enumerate(t *Test, model string) (*allowed, error) {
	m, err := outcomes.Parse(model)
	if err != nil {
		return nil, err
	}
	limit := maxStates
	if m == outcomes.Armv8 || m == outcomes.RVWMO {
		limit *= stepsPerState
	}
	a := &allowed{full: make(map[string]bool), reads: make(map[string]bool)}
	for _, c := range t.Cases {
		list, err := outcomes.EnumerateCase(outcomes.Case{Program: c.Program, Deps: c.Deps, NoReturn: c.NoReturn, Accepts: c.Accepts}, m, limit)
		if errors.Is(err, outcomes.ErrLimit) {
			return nil, fmt.Errorf("the test is too large: %w", err)
		}
		if err != nil {
			return nil, err
		}
		for i := range list {
			o := &list[i]
			a.full[o.Key()] = true
			a.reads[(&outcomes.Outcome{Reads: o.Reads}).Key()] = true
			s := c.State(o.Reads, o.Final)
			a.outcomes = append(a.outcomes, s)
			a.states = append(a.states, s.String())
		}
	}
	slices.Sort(a.states)
	a.states = slices.Compact(a.states)
	return a, nil
}
