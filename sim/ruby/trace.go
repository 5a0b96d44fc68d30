package ruby

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// Step is one transition of a run.
type Step struct {
	At          event.Tick
	Machine     string
	Number      int
	State, Next string
	Event       string
	Line        memory.Addr
	// Own says that an access of the controller's own core to the line asks for
	// it. Reads and ThenReads say whether a core may read the line in State and
	// in Next.
	Own, Reads, ThenReads bool
}

// Message is a message on its way: sent through the network if To is not
// empty, else taken out of a buffer. Its Type, Text and String are there until
// the function that it is reported to returns.
type Message struct {
	At      event.Tick
	Buffer  string // that it leaves
	To      string
	Arrives event.Tick // in To
	Line    memory.Addr

	content *object
	program *program
}

// Notice is the notification of a core, by its port, that its controller is about to
// lose a line.
type Notice struct {
	At      event.Tick
	Machine string
	Number  int
	Core    int
	Line    memory.Addr
}

// notice reports the notification of one of the controller's cores.
func (c *controller) notice(at int, line memory.Addr) {
	if c.system.options.Notices != nil {
		_, number := code.SplitMachineID(c.id)
		c.system.options.Notices(Notice{At: c.now, Machine: c.code.Decl.Name, Number: number, Core: slices.Index(c.system.ports, c.sequencer(at)), Line: line})
	}
}

func (s *System) report(note Message, m *object) {
	note.content, note.program = m, s.program
	if at := m.layout.Addr; at >= 0 {
		note.Line = memory.Addr(m.words[at])
	}
	s.options.Messages(note)
}

// Type is the value of the field of that name, else the name of the structure.
func (m Message) Type() string {
	layout := m.content.layout
	for _, f := range layout.Type.Fields {
		if f.Name == "Type" && f.Type.Kind == types.Enum {
			if v := m.content.words[layout.Offset[f]]; v < uint64(len(f.Type.Enums)) {
				return f.Type.Enums[v].Name
			}
		}
	}
	return layout.Type.Name
}

// Data is the block of a message with data; nil for others. Where messages have no field
// MessageSize, one with data is one whose block is not all zeros or whose type says so.
func (m Message) Data() []uint64 {
	layout := m.content.layout
	for _, f := range layout.Type.Fields {
		if f.Type.Name != "DataBlock" {
			continue
		}
		block := m.content.words[layout.Offset[f]:][:code.BlockWords]
		filled := slices.ContainsFunc(block, func(w uint64) bool { return w != 0 }) || strings.Contains(strings.ToLower(m.Type()), "data")
		if m.program.hasData(m.content) || layout.Size < 0 && filled {
			return block
		}
		return nil
	}
	return nil
}

// Text is the simple fields of the message.
func (m Message) Text() string { return m.program.describe(m.content) }

// String writes the message below the first column of a Step.
func (m Message) String() string {
	if m.To == "" {
		return fmt.Sprintf("%15d     receive %s: %s", m.At, m.Buffer, m.Text())
	}
	return fmt.Sprintf("%15d     send    %s > %s, arrives %d: %s", m.At, m.Buffer, m.To, m.Arrives, m.Text())
}

func (c *controller) step(state, ev, to int, line memory.Addr) Step {
	m := c.code.Decl
	_, number := code.SplitMachineID(c.id)
	from := m.State.Enums[state]
	st := Step{
		At: c.now, Machine: m.Name, Number: number, State: from.Name, Event: m.Event.Enums[ev].Name, Line: line,
		Own: c.asked(line), Reads: c.readable(from),
	}
	if to < len(m.State.Enums) {
		st.Next, st.ThenReads = m.State.Enums[to].Name, c.readable(m.State.Enums[to])
	}
	return st
}

// asked reports whether the message being handled is an access of the core to
// line.
func (c *controller) asked(line memory.Addr) bool {
	b := c.in[c.port]
	if b == nil || b != c.mandatory || !b.ready(c.now) {
		return false
	}
	m := b.items[b.head].msg
	return m.layout.Addr >= 0 && memory.Addr(m.words[m.layout.Addr]) == line
}

func (c *controller) readable(state *types.Enumerator) bool {
	p := c.permission(state)
	return p == cache.ReadOnly || p == cache.ReadWrite
}

// String writes the step with the columns of gem5's debug flag ProtocolTrace.
func (s Step) String() string {
	return fmt.Sprintf("%15d %3d %10s%20s %6s>%-6s [%#x, line %#x]",
		s.At, s.Number, s.Machine, s.Event, s.State, s.Next, int64(s.Line), int64(s.Line))
}
