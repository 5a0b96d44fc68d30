package ruby

import (
	"fmt"
	"strings"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// delivery is a message that a controller took out of a buffer.
type delivery struct {
	at   event.Tick
	by   *buffer
	msg  *object
	pool int // that the message is of
}

// recentMessages is how many of the last messages are kept for each controller, of
// leastRecent to mostRecent: few enough for a processor's nearest cache in small systems.
const (
	recentMessages = 16
	leastRecent    = 64
	mostRecent     = 512
)

const shownMessages = 12

// delivered notes a message that was taken out of a buffer and recycles the
// oldest one noted.
func (s *System) delivered(c *controller, b *buffer, m *object) {
	if s.options.Messages != nil {
		s.report(Message{At: c.now, Buffer: b.name()}, m)
	}
	if len(s.recent) < cap(s.recent) {
		s.recent = append(s.recent, delivery{c.now, b, m, m.layout.Index})
		return
	}
	d := &s.recent[s.oldest]
	s.pools[d.pool].put(d.msg) // an old message is in no processor's nearest cache
	*d = delivery{c.now, b, m, m.layout.Index}
	if s.oldest++; s.oldest == len(s.recent) {
		s.oldest = 0
	}
}

// history writes the last messages for a line, the latest last.
func (s *System) history(line memory.Addr) string {
	var lines []string
	for i := len(s.recent) - 1; i >= 0 && len(lines) < shownMessages; i-- {
		d := &s.recent[(s.oldest+i)%len(s.recent)]
		if at := d.msg.layout.Addr; at >= 0 && memory.Addr(d.msg.words[at]) == line {
			lines = append(lines, fmt.Sprintf("tick %d: %s: %s", d.at, d.by.name(), s.program.describe(d.msg)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	var sb strings.Builder
	sb.WriteString("\nlast messages for the line:")
	for i := len(lines) - 1; i >= 0; i-- {
		sb.WriteString("\n  " + lines[i])
	}
	return sb.String()
}

// misrouted is the fault of a message that the network cannot deliver.
func (s *System) misrouted(l *link, m *object, why string) {
	s.queue.Fail(memory.Failed("network: "+why, fmt.Sprintf("%s at tick %d: %s", l.from.name(), s.queue.Now(), s.program.describe(m))))
}

// Activity is what a system has done up to now.
type Activity struct {
	Transitions uint64 // that were executed, and attempts that stalled
	Sent        uint64 // messages put into buffers, without those that were put back
	Delayed     uint64 // how often one was put back
}

// Activity counts what the system has done.
func (s *System) Activity() (a Activity) {
	for k := range s.coverage {
		for i, n := range s.coverage[k] {
			a.Transitions += n + s.stalls[k][i]
		}
	}
	for _, list := range s.controllers {
		for _, c := range list {
			for _, b := range c.buffers {
				a.Sent += b.count - b.delayed
				a.Delayed += b.delayed
			}
		}
	}
	return a
}

// Coverage lists all transitions of all machines by machine, state and event
// in the order of the protocol's text.
func (s *System) Coverage() sim.Coverage {
	rows := 0
	for _, mc := range s.program.Codes {
		rows += len(mc.Decl.Transitions)
	}
	list := make(sim.Coverage, 0, rows)
	for k, mc := range s.program.Codes {
		if len(s.controllers[k]) == 0 {
			continue
		}
		m := mc.Decl
		for at := range mc.Rows {
			if mc.Rows[at].Transition == nil {
				continue
			}
			row := sim.Row{Machine: m.Name, State: m.State.Enums[at/mc.Events].Name, Event: m.Event.Enums[at%mc.Events].Name}
			list = append(list, sim.Transition{Row: row, Count: s.coverage[k][at], Stalls: s.stalls[k][at]})
		}
	}
	return list
}
