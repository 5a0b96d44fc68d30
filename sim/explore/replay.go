package explore

import (
	"fmt"

	"ordeal/sim/builtin/event"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// Replay takes the steps of a schedule, which are what machine.Step gives for
// each, and calls trace for every transition of a controller and messages for every
// message that is sent or received; either may be nil. The step is the time
// that these report, from 1. The fault is what the last step, or the state that
// it leads to, violates; nil if there is none. A schedule that is not one of
// the machine is an error that names the step.
func Replay(c Config, schedule []string, trace func(ruby.Step), messages func(ruby.Message)) (*machine.Fault, error) {
	r, err := NewReplayer(c, trace, messages)
	if err != nil {
		return nil, err
	}
	return r.Replay(schedule)
}

// NewReplayer makes a machine that replays any number of schedules; see Replay.
func NewReplayer(c Config, trace func(ruby.Step), messages func(ruby.Message)) (*Replayer, error) {
	c.Symmetry = false
	m, err := New(c)
	if err != nil {
		return nil, err
	}
	r := &Replayer{machine: m, trace: trace, messages: messages}
	c.System.Trace, c.System.Messages = r.transition, r.message
	c = c.withDefaults()
	r.live, err = newActors(&c)
	return r, err
}

// Replay replays a schedule.
func (r *Replayer) Replay(schedule []string) (*machine.Fault, error) {
	m := r.machine
	s := m.Initial()
	for n, step := range schedule {
		r.at = n + 1
		ordinal := r.ordinal(s, step)
		if ordinal < 0 {
			return nil, fmt.Errorf("schedule:%d: no such step is possible: %s", n+1, step)
		}
		if err := r.show(s, ordinal); err != nil {
			return nil, err
		}
		var e machine.Expansion
		m.Expand(s, &e)
		for i := range e.Faults {
			if e.Faults[i].Step == ordinal {
				if n+1 < len(schedule) {
					return nil, fmt.Errorf("schedule:%d: the run ends here: %s: %s", n+1, e.Faults[i].Property, e.Faults[i].Title())
				}
				return &e.Faults[i], nil
			}
		}
		if s = successor(m, &e, ordinal); s == nil {
			return nil, fmt.Errorf("schedule:%d: the step changes nothing: %s", n+1, step)
		}
	}
	var e machine.Expansion
	m.Expand(s, &e)
	for i := range e.Faults {
		if e.Faults[i].Step < 0 {
			return &e.Faults[i], nil
		}
	}
	return nil, nil //nolint:nilnil // no fault is an answer
}

// successor is the state after a step, nil if the step changes nothing.
func successor(m *Machine, e *machine.Expansion, ordinal int) machine.State {
	for n, o := range e.Ordinals {
		if int(o) == ordinal {
			return machine.State(e.States[n*m.Width() : (n+1)*m.Width()])
		}
	}
	return nil
}

// Replayer shows the steps of a machine on another one that reports what it does.
type Replayer struct {
	machine  *Machine
	live     *actors
	trace    func(ruby.Step)
	messages func(ruby.Message)
	at       int // the step
	_        struct{}
}

func (r *Replayer) transition(t ruby.Step) {
	if r.trace != nil {
		t.At = event.Tick(r.at)
		r.trace(t)
	}
}

func (r *Replayer) message(m ruby.Message) {
	if r.messages != nil {
		m.At = event.Tick(r.at)
		m.Arrives = m.At
		r.messages(m)
	}
}

// ordinal is that of the step with a text, -1 if there is none.
func (r *Replayer) ordinal(s machine.State, text string) int {
	var e machine.Expansion
	r.machine.Expand(s, &e)
	for n := range r.machine.ordinal {
		if r.machine.Step(s, n).String() == text {
			return n
		}
	}
	return -1
}

// show takes a step on the machine that reports it.
func (r *Replayer) show(s machine.State, ordinal int) error {
	i, o, msg := r.machine.find(s, ordinal)
	r.live.Start()
	if err := r.live.load(i, r.machine.parts.controllers.at(s[i]).text); err != nil {
		return err
	}
	// A fault of the step is what Expand reports.
	switch {
	case msg != noMessage:
		sent, err := r.live.LoadSent(r.machine.parts.messages.at(msg).text)
		if err != nil {
			return err
		}
		_ = r.live.Arrive(sent)
	case o.core >= 0:
		_, _ = r.live.cores.do(i, o.core)
	default:
		_ = r.live.Do(i, o.move)
	}
	return nil
}
