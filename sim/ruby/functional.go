package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/syntax"
)

// reading is a functional read under way.
type reading struct {
	line  memory.Addr
	block memory.Block
	known uint64 // a bit for each byte
	// changed says that the last function read something that was not known so.
	changed bool
}

func (r *reading) take(line uint64, block []uint64, mask uint64) uint64 {
	if memory.Addr(line).Line() != r.line {
		return 0
	}
	before := r.block
	bytemask.Merge(r.block[:], block, mask)
	r.changed = r.changed || r.block != before || mask&^r.known != 0
	r.known |= mask
	return 1
}

// functionalRead gives what memory has of a line, and what is written to it by requests
// that it has not served yet.
func (q *memoryQueue) functionalRead(r *reading) {
	r.take(uint64(r.line), q.block(r.line)[:], ^uint64(0))
	f := q.fields
	for i := range q.requests.items[q.requests.head:] {
		m := q.requests.items[q.requests.head+i].msg
		if m.layout != f.Layout || m.words[f.Kind] != f.Write {
			continue
		}
		mask := ^uint64(0)
		if n := m.words[f.Len]; n != 0 {
			mask = bytemask.Range(m.words[f.Addr]-uint64(memory.Addr(m.words[f.Addr]).Line()), n)
		}
		r.take(m.words[f.Addr], m.block(f.Data)[:], mask)
	}
}

// CheckFunctional reports why the protocol has no functional reads; nil if it has.
func (p *Protocol) CheckFunctional() error {
	var faults syntax.Faults
	for _, mc := range p.program.Codes {
		if slices.ContainsFunc(mc.Roles, func(r *code.Role) bool { return !r.Device }) {
			faults = append(faults, mc.Functional.Refused...)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}
