package exploration

import (
	"fmt"
	"slices"

	"ordeal/campaigns/run"
	"ordeal/sim/explore/machine"
)

// Replayed is a step of a counterexample that was taken again.
type Replayed struct {
	Step  string `json:"step"`
	State string `json:"state"` // after it; empty if it fails
}

// ReadResult reads the result of the exploration of a directory.
func ReadResult(dir string) (*Result, error) {
	var r Result
	err := run.ReadJSON(run.Dir(dir).Path(resultFile), &r)
	return &r, err
}

// Replay takes the steps of a finding again, one after the other, and reports
// whether it recurs. The error is that of a step that the machine does not
// have.
func Replay(s *Spec, f *Finding) (steps []Replayed, recurs bool, err error) {
	m, err := s.machineOf(f)
	if err != nil {
		return nil, false, err
	}
	state := m.Initial()
	var e machine.Expansion
	isSame := func(fault machine.Fault, step int) bool {
		return fault.Property == f.Property && fault.Title() == f.Title && fault.Step == step
	}
	for i, text := range f.Steps {
		m.Expand(state, &e)
		next := slices.IndexFunc(e.Ordinals, func(ordinal uint16) bool { return m.Step(state, int(ordinal)).String() == text })
		if next < 0 {
			failed := slices.IndexFunc(e.Faults, func(fault machine.Fault) bool {
				return fault.Step >= 0 && isSame(fault, fault.Step) && m.Step(state, fault.Step).String() == text
			})
			if failed < 0 || i+1 < len(f.Steps) {
				return steps, false, fmt.Errorf("step %d of %d is not possible: %s", i+1, len(f.Steps), text)
			}
			return append(steps, Replayed{Step: text}), true, nil
		}
		state = slices.Clone(e.States[next*m.Width() : (next+1)*m.Width()])
		steps = append(steps, Replayed{text, m.Describe(state)})
	}
	if f.Property == machine.Livelock || f.Property == machine.Outcome {
		return steps, true, nil // every step was possible again
	}
	m.Expand(state, &e)
	return steps, slices.ContainsFunc(e.Faults, func(fault machine.Fault) bool { return isSame(fault, -1) }), nil
}

// machineOf makes the machine of a finding.
func (s *Spec) machineOf(f *Finding) (machine.Machine, error) {
	if f.Program == nil {
		return s.new()
	}
	m, _, err := s.program(f.Program)
	return m, err
}
