package core

import (
	"ordeal/gen"
	"ordeal/gen/wire"
)

// Steps collects the steps of a run in the order in which they take effect, as
// the words of wire.Steps: loads and fences where they retire, stores where they
// enter the store buffer and again where they perform, read-modify-writes where
// they perform.
type Steps []gen.Value

// Record has the thread append its steps to s; nil turns that off.
func (t *Thread) Record(s *Steps) { t.steps = s }

// stepped records that the thread's next operation took effect.
func (t *Thread) stepped() { t.step(false) }

// committed records that the thread's oldest buffered store performed.
func (t *Thread) committed() { t.step(true) }

func (t *Thread) step(commit bool) {
	if t.steps != nil {
		*t.steps = append(*t.steps, wire.Step(t.id, commit))
	}
}
