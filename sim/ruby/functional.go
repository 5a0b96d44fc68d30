package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// functional is what a machine has for functional reads.
type functional struct {
	permission *funcCode
	read       *dataRead
	refused    syntax.Faults // why there are none
	// messages are those of messages, by layout.index, nil where they have no data:
	// of a home alone, whose controllers read all that are in flight.
	messages []*dataRead
}

// dataRead is a function that reads the data of a line. With mask, those bytes of it
// that are in a mask are known already, and it adds those that it knows: protocols
// whose copies and messages may have parts of lines have such functions.
type dataRead struct {
	code *funcCode
	mask int // the place of the mask; -1 for none
	*method
}

// method is a method of a message. The fields that it uses are copied to places of
// their own before.
type method struct {
	of     *types.Type
	fields []copiedField
}

type copiedField struct{ place, offset, size int }

// copied is the place of a field.
func (m *method) copied(g *generator, v *types.Var) int {
	l := g.layout(m.of)
	f := copiedField{g.newWords(make([]uint64, g.size(v.Type))), l.find(v.Name), g.size(v.Type)}
	m.fields = append(m.fields, f)
	return f.place
}

// compileFunctional compiles the functions of functional reads. A machine may go
// without, as long as no option asks for them.
func (g *generator) compileFunctional() {
	f := &g.code.functional
	permission := defined(g.code.machine.Funcs, "getAccessPermission", "Addr")
	partial := defined(g.code.machine.Funcs, "functionalRead", "Addr", "Packet", "WriteMask")
	whole := defined(g.code.machine.Funcs, "functionalRead", "Addr", "Packet")
	if permission == nil || partial == nil && whole == nil {
		f.refused.Add(g.code.machine.Pos, "machine %s has no functionalRead(Addr, Packet)", g.code.machine.Name)
		return
	}
	outer := g.faults
	g.faults = nil
	f.permission, f.read = g.function(permission), g.dataRead(partial, whole)
	if g.code.home {
		g.compileMessageReads(f.read.mask >= 0)
	}
	f.refused, g.faults = g.faults, outer
}

// compileMessageReads compiles the methods by which messages are read.
func (g *generator) compileMessageReads(masked bool) {
	f := &g.code.functional
	for _, t := range g.protocol.Types {
		partial, whole := defined(t.Methods, "functionalRead", "Packet", "WriteMask"), defined(t.Methods, "functionalRead", "Packet")
		if !masked {
			partial = nil
		}
		if !t.IsMessage() || masked && partial == nil || !masked && whole == nil {
			continue
		}
		at := g.layout(t).index
		f.messages = append(f.messages, make([]*dataRead, max(at+1-len(f.messages), 0))...)
		g.method = &method{of: t}
		f.messages[at] = g.dataRead(partial, whole)
		f.messages[at].method, g.method = g.method, nil
	}
}

// dataRead compiles the first of two functions that there is; the mask of the first is
// its last parameter.
func (g *generator) dataRead(partial, whole *types.Func) *dataRead {
	if partial == nil {
		return &dataRead{code: g.function(whole), mask: -1}
	}
	mask := partial.Params[len(partial.Params)-1]
	g.readBack = mask
	return &dataRead{code: g.function(partial), mask: g.where(mask)}
}

// defined is the function of a list with a body, a name and parameters of such types;
// nil if there is none.
func defined(list []*types.Func, name string, params ...string) *types.Func {
	for _, f := range list {
		if f.Name == name && f.Defined && slices.EqualFunc(f.ParamTypes(), params, func(t *types.Type, name string) bool { return t.Name == name }) {
			return f
		}
	}
	return nil
}

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
		if m.layout != f.layout || m.words[f.kind] != f.write {
			continue
		}
		mask := ^uint64(0)
		if n := m.words[f.len]; n != 0 {
			mask = bytemask.Range(m.words[f.addr]-uint64(memory.Addr(m.words[f.addr]).Line()), n)
		}
		r.take(m.words[f.addr], m.block(f.data)[:], mask)
	}
}

// CheckFunctional reports why the protocol has no functional reads; nil if it has.
func (p *Protocol) CheckFunctional() error {
	var faults syntax.Faults
	for _, code := range p.program.codes {
		if slices.ContainsFunc(code.roles, func(r *role) bool { return !r.device }) {
			faults = append(faults, code.functional.refused...)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}
