package code

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// functional is what a machine has for functional reads.
type functional struct {
	Permission *Function
	Read       *DataRead
	// Priority orders the controllers that may read a copy which is Maybe_Stale, where no
	// message has newer data: nil for a machine that may not. Since gem5 v24.1.
	Priority *Function
	Refused  syntax.Faults // why there are none
	// messages are those of messages, by layout.index, nil where they have no data:
	// of a home alone, whose controllers read all that are in flight.
	Messages []*DataRead
}

// DataRead is a function that reads the data of a line. With mask, those bytes of it
// that are in a mask are known already, and it adds those that it knows: protocols
// whose copies and messages may have parts of lines have such functions.
type DataRead struct {
	Code *Function
	Mask int // the place of the mask; -1 for none
	*method
}

// method is a method of a message. The fields that it uses are copied to places of
// their own before.
type method struct {
	of     *types.Type
	Fields []copiedField
}

type copiedField struct{ Place, Offset, Size int }

// copied is the place of a field.
func (m *method) copied(g *generator, v *types.Var) int {
	l := g.Layout(m.of)
	f := copiedField{g.newWords(make([]uint64, g.Size(v.Type))), l.Find(v.Name), g.Size(v.Type)}
	m.Fields = append(m.Fields, f)
	return f.Place
}

// compileFunctional compiles the functions of functional reads. A machine may go
// without, as long as no option asks for them.
func (g *generator) compileFunctional() {
	f := &g.code.Functional
	permission := defined(g.code.Decl.Funcs, "getAccessPermission", "Addr")
	partial := defined(g.code.Decl.Funcs, "functionalRead", "Addr", "Packet", "WriteMask")
	whole := defined(g.code.Decl.Funcs, "functionalRead", "Addr", "Packet")
	if permission == nil || partial == nil && whole == nil {
		f.Refused.Add(g.code.Decl.Pos, "machine %s has no functionalRead(Addr, Packet)", g.code.Decl.Name)
		return
	}
	outer := g.faults
	g.faults = nil
	f.Permission, f.Read = g.function(permission), g.dataRead(partial, whole)
	if p := defined(g.code.Decl.Funcs, "functionalReadPriority"); p != nil {
		f.Priority = g.function(p)
	}
	if g.code.Home {
		g.compileMessageReads(f.Read.Mask >= 0)
	}
	f.Refused, g.faults = g.faults, outer
}

// compileMessageReads compiles the methods by which messages are read.
func (g *generator) compileMessageReads(masked bool) {
	f := &g.code.Functional
	for _, t := range g.Protocol.Types {
		partial, whole := defined(t.Methods, "functionalRead", "Packet", "WriteMask"), defined(t.Methods, "functionalRead", "Packet")
		if !masked {
			partial = nil
		}
		if !t.IsMessage() || masked && partial == nil || !masked && whole == nil {
			continue
		}
		at := g.Layout(t).Index
		f.Messages = append(f.Messages, make([]*DataRead, max(at+1-len(f.Messages), 0))...)
		g.method = &method{of: t}
		f.Messages[at] = g.dataRead(partial, whole)
		f.Messages[at].method, g.method = g.method, nil
	}
}

// DataRead compiles the first of two functions that there is; the mask of the first is
// its last parameter.
func (g *generator) dataRead(partial, whole *types.Func) *DataRead {
	if partial == nil {
		return &DataRead{Code: g.function(whole), Mask: -1}
	}
	mask := partial.Params[len(partial.Params)-1]
	g.readBack = mask
	return &DataRead{Code: g.function(partial), Mask: g.where(mask)}
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

// Names that protocols with prefetchers have.
const (
	EnablePrefetch = "enable_prefetch" // parameters of MESI_Two_Level and MESI_Three_Level
	UsePrefetcher  = "use_prefetcher"  // and of CHI
)

// compilePrefetch compiles what puts a prefetch into the queue of a machine: its
// enqueuePrefetch (gem5's RubyPrefetcher calls it), if it has one.
func (g *generator) compilePrefetch() {
	if f := defined(g.code.Decl.Funcs, "enqueuePrefetch", "Addr", "RubyRequestType"); f != nil && g.code.Cores == 1 {
		g.code.Prefetch = g.function(f)
	}
}

// proxied reports whether the machine takes prefetches from a queue that a
// RubyPrefetcherProxy feeds, as CHI's.
func (code *Machine) Proxied() bool {
	return code.Prefetch == nil && slices.ContainsFunc(code.Decl.Objects, func(v *types.Var) bool { return v.Type.Name == "RubyPrefetcherProxy" })
}

// queuesMemory reports whether the machine asks memory by functions, as gem5's did
// until 2020, and not by messages in a buffer.
func (g *generator) queuesMemory() bool {
	is := func(f *types.Func) bool { return f.Name == "queueMemoryRead" }
	return slices.ContainsFunc(g.code.Decl.Funcs, is) || slices.ContainsFunc(g.Protocol.Funcs, is)
}

// lengthField is the field of a MemoryMsg that has the bytes of a partial write:
// Acks, which messages to memory have no other use for, in versions of gem5 without
// Len.
func lengthField(l *Layout) string {
	if l.Find("Len") < 0 && l.Find("Acks") >= 0 {
		return "Acks"
	}
	return "Len"
}
