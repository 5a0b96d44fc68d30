package core

import (
	"math/bits"
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/memory"
)

// crossings are accesses across two lines: an operation takes a second access, as
// the SplitDataRequest of gem5's O3 (v24.0.0.1 src/cpu/o3/lsq.cc:1331). Its location has
// its bytes in one of the lines; what it has in the other belongs to no location,
// so that a load drops it and a store leaves the line as it is.
type crossings struct {
	every int           // one load or store of so many on average; 0: none
	lines []memory.Addr // of the thread
}

// crossTag marks the tags of accesses of second lines.
const crossTag = 1 << 61

func newCrossings(every int, t *Thread) crossings {
	x := crossings{every: every}
	if every == 0 {
		return x
	}
	for _, in := range t.code {
		if in.kind.Reads() || in.kind.Writes() {
			x.lines = append(x.lines, in.line)
		}
	}
	slices.Sort(x.lines)
	x.lines = slices.Compact(x.lines)
	return x
}

// cross draws whether a load or store takes a second line, and which.
func (c *windowed) cross(in *instruction) {
	x := &c.crossings
	if x.every == 0 || in.kind != gen.Load && in.kind != gen.Store || c.random.Uint64()%uint64(x.every) != 0 {
		return
	}
	if at, _ := bits.Mul64(c.random.Uint64(), uint64(len(x.lines))); x.lines[at] != in.line {
		in.second = x.lines[at]
	}
}

// half is the state of an operation's access to its second line.
type half struct {
	state  slotState
	ticket uint64
}

// issueSecond starts the access of a load to its second line; false if the port is
// full.
func (c *windowed) issueSecond(position uint64) bool {
	s := c.window.at(position)
	if s.in.second == 0 || s.second.state != unissued {
		return true
	}
	c.window.tickets++
	tag := crossTag | c.window.tickets<<slotBits | position&c.window.mask
	if !c.port.Access(memory.Request{Line: s.in.second, Tag: tag}) {
		return false
	}
	s.second = half{issued, c.window.tickets}
	return true
}

// performSecond completes the access of a load to its second line, unless the load
// was squashed meanwhile.
func (c *windowed) performSecond(tag uint64) {
	s := c.window.slot(tag)
	if s.second.state == issued && s.second.ticket == tag&^crossTag>>slotBits {
		s.second.state = performed
	}
}

// complete reports whether all accesses of an operation have performed.
func (s *slot) complete() bool {
	return s.state == performed && (s.in.second == 0 || s.in.kind != gen.Load || s.second.state == performed)
}

// touches reports whether a load that has been issued reads a line. One that was
// forwarded counts as issued (see speculative.Evict).
func (s *slot) touches(line memory.Addr) bool {
	return s.state != unissued && (s.in.line == line || s.in.second == line && line != 0)
}
