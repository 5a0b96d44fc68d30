package litmus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/outcomes"
	"ordeal/gen"
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

func enumerate(t *Test, m outcomes.Machine) (*allowed, error) {
	limit := maxStates
	if m == outcomes.Armv8 || m == outcomes.RVWMO {
		limit *= stepsPerState
	}
	list, err := outcomes.Enumerate(t.Program, m, limit)
	if errors.Is(err, outcomes.ErrLimit) {
		return nil, fmt.Errorf("the test is too large: %w", err)
	}
	if err != nil {
		return nil, err
	}
	a := &allowed{full: make(map[string]bool), reads: make(map[string]bool)}
	for i := range list {
		o := &list[i]
		a.full[string(appendKey(nil, o.Reads, o.Final))] = true
		a.reads[string(appendKey(nil, o.Reads, nil))] = true
		a.outcomes = append(a.outcomes, t.State(o.Reads, o.Final))
		a.states = append(a.states, a.outcomes[i].String())
	}
	slices.Sort(a.states)
	a.states = slices.Compact(a.states)
	return a, nil
}

// appendKey appends a key of an outcome of a test; final may be nil. How many
// values the loads return is the same for all outcomes of a test.
func appendKey(key []byte, reads [][]gen.Value, final []gen.Value) []byte {
	for _, values := range reads {
		for _, v := range values {
			key = binary.AppendUvarint(key, uint64(v))
		}
	}
	for _, v := range final {
		key = binary.AppendUvarint(key, uint64(v))
	}
	return key
}
