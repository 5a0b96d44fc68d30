package explore

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// Machine is a machine.Machine that runs a coherence protocol. What a step does
// to a controller is computed once and then looked up.
type Machine struct {
	*actors
	parts        *components
	permutations []ruby.Permutation // the identity first
	ranked       bool               // names make a difference, so that fewer are permuted
	classes      *classes
	initial      machine.State

	arrivals, mail, aged *recent

	// Buffers that are reused.
	scratch, renamed []byte
	read             []byte // of a checkpoint
	list             []uint32
	base             []machine.Fingerprint
	next             machine.State
	now              moment
	ordinal          int  // of the next step of the state that is being expanded
	later            bool // a step is not possible yet, or leads to a state that is left out
}

var _ machine.Machine = (*Machine)(nil)

// New makes the machine that a configuration describes. With symmetry, names that
// make a difference to the protocol are not renamed: see Symmetry.
func New(c Config) (*Machine, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	for first := 0; ; first++ {
		a, err := newActors(&c)
		if err != nil {
			return nil, err
		}
		names := c.renamings(a.Stepper)
		m := build(a, names[first])
		m.ranked = c.Symmetry && first > 0 || a.RanksCores()
		if len(names[first]) == 1 {
			return m, nil
		}
		same, err := m.checkSymmetry()
		if err != nil {
			return nil, err
		}
		if same {
			return m, nil
		}
	}
}

// build makes the machine of some actors with the renamings that make no
// difference.
func build(a *actors, permutations []ruby.Permutation) *Machine {
	m := newMachine(a, newComponents())
	m.classes = newClasses(a)
	m.permutations = permutations
	m.initial = make(machine.State, 2*a.Controllers())
	empty := m.inbox(nil)
	for i := range a.Controllers() {
		m.initial[i], m.initial[a.Controllers()+i] = m.controller(i), empty
	}
	return m
}

func newMachine(a *actors, parts *components) *Machine {
	m := &Machine{
		actors: a, parts: parts,
		arrivals: newRecent(parts.arrivals), mail: newRecent(parts.mail), aged: newRecent(parts.aged),
	}
	m.now.ages = a.config.Values > 1
	for i := range a.Controllers() {
		m.now.names = append(m.now.names, a.Name(i))
	}
	m.now.controllers = make([]*ruby.Summary, a.Controllers())
	return m
}

// Width is twice the number of controllers.
func (m *Machine) Width() int { return len(m.initial) }

// Initial is the state before anything happened.
func (m *Machine) Initial() machine.State { return slices.Clone(m.initial) }

// Fork makes a machine for another worker.
func (m *Machine) Fork() machine.Machine {
	a, err := newActors(m.config)
	if err != nil {
		panic(fmt.Sprintf("explore: %v", err)) // the same configuration was fine before
	}
	f := newMachine(a, m.parts)
	f.permutations, f.ranked, f.classes, f.initial = m.permutations, m.ranked, m.classes, m.initial
	return f
}

// Coverage has the rows that this fork has taken, and how often it has computed
// what they do, which is once for many states.
func (m *Machine) Coverage() sim.Coverage { return m.actors.Coverage() }

// Memory is an estimate of the bytes that components take.
func (m *Machine) Memory() int64 {
	p := m.parts
	const entry = 64 // of a map, with its record
	texts := p.controllers.len() + p.messages.len() + p.inboxes.len()
	memos := p.arrivals.count.Load() + p.mail.count.Load() + p.aged.count.Load()
	return p.controllers.bytes.Load() + p.messages.bytes.Load() + p.inboxes.bytes.Load() + p.locals.bytes.Load() +
		entry*int64(texts) + 32*memos
}

// Class names a class of fairness.
func (m *Machine) Class(n uint16) string { return m.classes.names[n] }

// sums adds the fingerprints of the components, for each permutation.
func (m *Machine) sums(s machine.State) []machine.Fingerprint {
	m.base = m.base[:0]
	n := m.Controllers()
	for p := range m.permutations {
		var sum machine.Fingerprint
		for i := range n {
			sum = plus(sum, m.parts.controllers.at(s[i]).sums[p])
			sum = plus(sum, m.parts.inboxes.at(s[n+i]).sums[p])
		}
		m.base = append(m.base, sum)
	}
	return m.base
}

// Fingerprint is that of the state's orbit.
func (m *Machine) Fingerprint(s machine.State) machine.Fingerprint {
	return slices.MinFunc(m.sums(s), machine.Fingerprint.Compare)
}

// changed is the fingerprint of m.next, which differs from a state s with sums
// m.base.
func (m *Machine) changed(s machine.State) machine.Fingerprint {
	n := m.Controllers()
	var least machine.Fingerprint
	for p, sum := range m.base {
		for i := range n {
			if s[i] != m.next[i] {
				sum = plus(minus(sum, m.parts.controllers.at(s[i]).sums[p]), m.parts.controllers.at(m.next[i]).sums[p])
			}
			if s[n+i] != m.next[n+i] {
				sum = plus(minus(sum, m.parts.inboxes.at(s[n+i]).sums[p]), m.parts.inboxes.at(m.next[n+i]).sums[p])
			}
		}
		if p == 0 || sum.Compare(least) < 0 {
			least = sum
		}
	}
	return least
}

// Expand computes everything about one state.
func (m *Machine) Expand(s machine.State, e *machine.Expansion) {
	e.Reset()
	sums := m.sums(s)
	e.Orbit, e.Print = distinct(sums), slices.MinFunc(sums, machine.Fingerprint.Compare)
	m.ordinal, m.later = 0, false
	n := m.Controllers()
	for i := range n {
		for _, o := range m.menu(i, s[i]) {
			m.take(s, e, i, m.parts.locals.at(o.local), noMessage, o.class)
		}
	}
	inFlight := 0
	for i := range n {
		box := m.parts.inboxes.at(s[n+i])
		inFlight += len(box.messages)
		open := m.parts.controllers.at(s[i]).open
		for _, msg := range box.heads {
			if p := m.parts.messages.at(msg); open>>p.buffer&1 != 0 {
				m.take(s, e, i, m.arrival(s[i], msg), msg, m.classes.ofArrival(p))
			}
		}
	}
	m.examine(s, e, inFlight)
}

const noMessage = ^uint32(0)

// take adds a step of controller i to an expansion, msg being the message that
// arrives.
func (m *Machine) take(s machine.State, e *machine.Expansion, i int, l *local, msg uint32, class uint16) {
	ordinal := m.ordinal
	m.ordinal++
	if l.later || l.fault == nil && m.overfull(s, l, msg) {
		m.later = true
		return
	}
	e.Steps++
	if l.fault != nil {
		f := *l.fault
		f.Step = ordinal
		e.Faults = append(e.Faults, f)
		return
	}
	if msg == noMessage && !l.changes(s[i]) {
		return
	}
	n := m.Controllers()
	m.next = append(m.next[:0], s...)
	m.next[i] = l.to
	if msg != noMessage {
		m.next[n+i] = m.taken(s[n+i], msg)
	}
	for _, st := range l.stores {
		for j := range n {
			if j != i {
				m.next[j] = m.older(m.next[j], false, j, st)
			}
			m.next[n+j] = m.older(m.next[n+j], true, j, st)
		}
	}
	for _, sent := range l.sent {
		to := n + m.parts.messages.at(sent).to
		m.next[to] = m.with(m.next[to], sent)
	}
	if slices.Equal(m.next, s) {
		return
	}
	if m.config.Sought != nil && !m.leadsOn(m.next) {
		m.later = true
		return
	}
	e.States = append(e.States, m.next...)
	e.Prints = append(e.Prints, m.changed(s))
	e.Ordinals = append(e.Ordinals, uint16(ordinal))
	e.Classes = append(e.Classes, class)
}

// overfull reports whether a step would send more messages into
// a channel than may be under way in it, msg being the message that arrives.
func (m *Machine) overfull(s machine.State, l *local, msg uint32) bool {
	for at, sent := range l.sent {
		p := m.parts.messages.at(sent)
		n := 1
		for _, before := range l.sent[:at] {
			if m.parts.messages.at(before).channel == p.channel {
				n++
			}
		}
		box := m.parts.inboxes.at(s[m.Controllers()+p.to])
		if n+len(box.messages) <= m.config.Depth {
			continue
		}
		for _, other := range box.messages {
			if m.parts.messages.at(other).channel == p.channel {
				n++
			}
		}
		if msg != noMessage && m.parts.messages.at(msg).channel == p.channel {
			n--
		}
		if n > m.config.Depth {
			return true
		}
	}
	return false
}

func distinct(sums []machine.Fingerprint) int {
	n := 0
	for i, f := range sums {
		if !slices.Contains(sums[:i], f) {
			n++
		}
	}
	return n
}

// examine looks at the state itself.
func (m *Machine) examine(s machine.State, e *machine.Expansion, inFlight int) {
	var readers, writers uint64
	conflict, finished, moving, waiting := false, true, inFlight > 0, 0
	for i := range m.Controllers() {
		p := m.parts.controllers.at(s[i])
		conflict = conflict || p.writers&readers != 0 || p.readers&writers != 0
		readers, writers = readers|p.readers, writers|p.writers
		moving = moving || p.summary.Moving
		waiting += p.summary.Waiting
		finished = finished && p.finished
		e.Waiting |= p.waiting
	}
	stuck := !m.later && len(e.Ordinals) == 0 && !slices.ContainsFunc(e.Faults, func(f machine.Fault) bool { return f.Step >= 0 })
	e.Rest = !moving && waiting == 0
	e.Done = e.Rest && finished
	if !conflict && !e.Rest && !stuck {
		return
	}
	for i := range m.now.controllers {
		m.now.controllers[i] = &m.parts.controllers.at(s[i]).summary
	}
	m.now.inFlight, m.now.waiting, m.now.stuck = inFlight, waiting, stuck
	e.Faults = m.now.violations(e.Faults)
}

// text is a step of a schedule.
type text string

// String is the text.
func (t text) String() string { return string(t) }

// Step describes the step of a state with an ordinal.
func (m *Machine) Step(s machine.State, ordinal int) machine.Step {
	i, o, msg := m.find(s, ordinal)
	switch {
	case msg != noMessage:
		sent, err := m.LoadSent(m.parts.messages.at(msg).text)
		if err != nil {
			panic(fmt.Sprintf("explore: message %d: %v", msg, err))
		}
		return text("message " + m.TextOf(&sent))
	case o == nil:
		return text(fmt.Sprintf("no step %d", ordinal))
	case o.core >= 0:
		return text(m.cores.text(i, o.core))
	}
	m.Start()
	m.mustLoad(i, s[i])
	return text(m.MoveText(i, o.move))
}

// find is the step of a state with an ordinal: an option of controller i, or
// the arrival of a message there.
func (m *Machine) find(s machine.State, ordinal int) (i int, o *ownStep, msg uint32) {
	n := m.Controllers()
	for i := range n {
		menu := m.menu(i, s[i])
		if ordinal < len(menu) {
			return i, &menu[ordinal], noMessage
		}
		ordinal -= len(menu)
	}
	for i := range n {
		open := m.parts.controllers.at(s[i]).open
		for _, msg := range m.parts.inboxes.at(s[n+i]).heads {
			if open>>m.parts.messages.at(msg).buffer&1 == 0 {
				continue
			}
			if ordinal == 0 {
				return i, nil, msg
			}
			ordinal--
		}
	}
	return 0, nil, noMessage
}

// Describe lists the controllers with the states of lines, and the messages in
// flight.
func (m *Machine) Describe(s machine.State) string {
	var sb strings.Builder
	n := m.Controllers()
	for i := range n {
		p := m.parts.controllers.at(s[i])
		sb.WriteString(m.Name(i) + ":")
		for l, line := range p.summary.Lines {
			if line.State == "" {
				continue
			}
			fmt.Fprintf(&sb, " line %d %s", l, line.State)
			if line.Copy && m.config.Values != 1 {
				fmt.Fprintf(&sb, " (data %v)", line.Words)
			}
		}
		if p.summary.Waiting > 0 {
			fmt.Fprintf(&sb, ", %d accesses under way", p.summary.Waiting)
		}
		if p.summary.Leftover != (sim.Failure{}) {
			sb.WriteString(", " + p.summary.Leftover.Title())
		}
		sb.WriteByte('\n')
	}
	for i := range n {
		for _, msg := range m.parts.inboxes.at(s[n+i]).messages {
			sent, err := m.LoadSent(m.parts.messages.at(msg).text)
			if err != nil {
				panic(fmt.Sprintf("explore: message %d: %v", msg, err))
			}
			sb.WriteString("  " + m.TextOf(&sent) + "\n")
		}
	}
	return sb.String()
}
