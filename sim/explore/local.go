package explore

import (
	"errors"
	"fmt"

	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// local is what a step does: all of it at one controller, and messages from
// there. It depends on nothing but the controller and the message that arrives, so
// that it is computed once for all states that have both.
type local struct {
	later  bool           // the step is not possible yet
	fault  *machine.Fault // the step fails; nothing else matters
	to     uint32         // the controller after it
	sent   []uint32       // messages, in order
	stores []stored
}

// stored counts stores to a word, where states keep ages of values.
type stored struct{ line, word, count int }

// changes reports whether a step that begins with a controller does anything.
func (l *local) changes(from uint32) bool {
	return l.to != from || len(l.sent) > 0 || len(l.stores) > 0
}

// finish notes what a step of controller i did.
func (m *Machine) finish(i int, err error) uint32 {
	var l local
	switch {
	case errors.Is(err, ruby.ErrLater):
		l.later = true
	case err != nil:
		fault := faultOf(err)
		l.fault = &fault
	default:
		l.to = m.controller(i)
		for n := range m.Sent() {
			l.sent = append(l.sent, m.message(&m.Sent()[n]))
		}
		l.stores = m.storesOfStep()
	}
	n := m.parts.locals.add()
	*m.parts.locals.at(n) = l
	m.parts.locals.bytes.Add(int64(64 + 4*len(l.sent)))
	return n
}

func (m *Machine) storesOfStep() []stored {
	if m.config.Values < 2 {
		return nil
	}
	var list []stored
	for line := range m.config.Lines {
		for word := range m.config.Words {
			if n := m.Stored(line, word); n > 0 {
				list = append(list, stored{line, word, n})
			}
		}
	}
	return list
}

// arrival is what happens when a message arrives at a controller.
func (m *Machine) arrival(id, msg uint32) *local {
	key := uint64(id)<<32 | uint64(msg) + 1
	n, ok := m.arrivals.get(key)
	if !ok {
		p := m.parts.messages.at(msg)
		m.Start()
		m.mustLoad(p.to, id)
		sent, err := m.LoadSent(p.text)
		if err != nil {
			panic(fmt.Sprintf("explore: message %d: %v", msg, err))
		}
		n = m.finish(p.to, m.Arrive(sent))
		m.parts.arrivals.put(key, n)
	}
	return m.parts.locals.at(n)
}

// menu lists the steps that controller i can take by itself: those of its cores
// first.
func (m *Machine) menu(i int, id uint32) []ownStep {
	p := m.parts.controllers.at(id)
	if menu := p.menu.Load(); menu != nil {
		return *menu
	}
	var menu []ownStep
	for n := range m.cores.count(i) {
		m.Start()
		m.mustLoad(i, id)
		if started, err := m.cores.do(i, n); started || err != nil {
			menu = append(menu, ownStep{n, ruby.Move{}, 0, m.finish(i, err)})
		}
	}
	m.Start()
	m.mustLoad(i, id)
	for _, move := range m.Moves(nil, i) {
		m.Start()
		m.mustLoad(i, id)
		menu = append(menu, ownStep{-1, move, m.classes.ofMove(i, move), m.finish(i, m.Do(i, move))})
	}
	p.menu.Store(&menu)
	return menu
}
