package core

import (
	"ordeal/gen"
	"ordeal/gen/wire"
)

// Steps collects what the threads of a run do in the order in which it takes
// effect: loads and fences where they retire, stores where they enter the
// store buffer and again where they perform, read-modify-writes where they
// perform.
type Steps struct{ words []gen.Value }

// NewSteps makes room for all steps of a run.
func NewSteps(p *gen.Program, rounds int) *Steps {
	n := 0
	for _, ops := range p.Threads {
		for _, op := range ops {
			switch op.Kind {
			case gen.Delay:
			case gen.Store:
				n += 2
			default:
				n++
			}
		}
	}
	return &Steps{words: make([]gen.Value, 0, n*rounds)}
}

// Words is the payload of the log's frame.
func (s *Steps) Words() []gen.Value { return s.words }

// Record has the thread tell its steps to s; nil has it tell nobody.
func (t *Thread) Record(s *Steps) { t.steps = s }

// stepped records that the thread's next operation took effect.
func (t *Thread) stepped() { t.step(false) }

// committed records that the thread's oldest buffered store performed.
func (t *Thread) committed() { t.step(true) }

func (t *Thread) step(commit bool) {
	if t.steps != nil {
		t.steps.words = append(t.steps.words, wire.Step(t.id, commit))
	}
}
