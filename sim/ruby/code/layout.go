package code

import (
	"cmp"
	"fmt"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Layout says where the fields of a structure are. Every value is a run of
// words: one for numbers, truth values, enumerators and machine identities,
// more for blocks, destinations and structures in structures.
type Layout struct {
	Type   *types.Type
	Index  int // in program.layouts
	Offset map[*types.Field]int
	Init   []uint64
	// addr and dest are the offsets of the first field of type Addr and of
	// the field Destination, -1 if there is none.
	Addr, Dest int
	// size is the offset of the field MessageSize, -1 if there is none.
	Size int
}

// shape is how values of a type are held.
type shape uint8

const (
	noValue shape = iota
	Word          // one word
	Vector        // several words, copied
	Text          // a string
	Pointer       // an object
	handle        // a part of the machine, such as a cache
)

// BlockWords is the number of words of a DataBlock.
const BlockWords = memory.WordsPerLine

// nativeTypes says how values of native types are held, and the words of a
// vector. Those of other native types are one word.
var nativeTypes = map[string]struct {
	shape shape
	words int // 0: SetWords for each type of machine that is instantiated
}{
	"DataBlock": {Vector, BlockWords}, "NetDest": {Vector, 0}, "Set": {Vector, 1}, "WriteMask": {Vector, 2},
	"ExpectedMap": {Vector, structure.ExpectedWords}, "TriggerQueue": {Vector, structure.QueueWords},
	"CacheMemory": {shape: handle}, "DirectoryMemory": {shape: handle}, "PerfectCacheMemory": {shape: handle},
	"TBETable": {shape: handle}, "TimerTable": {shape: handle}, "MessageBuffer": {shape: handle},
	"Packet": {shape: handle}, "InPort": {shape: handle}, "OutPort": {shape: handle},
	"Sequencer": {shape: handle}, "HTMSequencer": {shape: handle}, "DMASequencer": {shape: handle},
	"Prefetcher": {shape: handle}, "RubyPrefetcher": {shape: handle}, "RubyPrefetcherProxy": {shape: handle}, "prefetch::Base": {shape: handle},
	"PersistentTable": {shape: handle}, "TBEStorage": {shape: handle},
}

// ShapeOf returns how values of a type are held.
func ShapeOf(t *types.Type) shape {
	switch {
	case t.Kind == types.Void:
		return noValue
	case t.IsPointer(), t.IsMessage():
		return Pointer
	case t.Kind == types.String:
		return Text
	}
	if native, ok := nativeTypes[t.Name]; ok { // with counters as fields, in older versions of gem5
		return native.shape
	}
	if t.Kind == types.Struct {
		return Vector
	}
	return Word
}

// Size is the number of words of a value of a type, 0 for one that is not held in words.
func (p *Program) Size(t *types.Type) int {
	switch ShapeOf(t) {
	case Word:
		return 1
	case Vector:
	default:
		return 0
	}
	if t.Kind == types.Struct {
		return len(p.Layout(t).Init)
	}
	return cmp.Or(nativeTypes[t.Name].words, p.SetWords*len(p.Codes))
}

// initial is the words that a value starts with.
func (p *Program) initial(pos syntax.Pos, t *types.Type, v types.Value) []uint64 {
	if t.Kind == types.Struct && ShapeOf(t) == Vector {
		return p.Layout(t).Init
	}
	words := make([]uint64, p.Size(t))
	if v.Kind == types.TextValue && len(words) == 1 {
		n, err := constant.Evaluate(v.Str, func(string) (int64, bool) { return 0, false })
		if err != nil {
			p.faults.Add(pos, "default %q: %v", v.Str, err)
		}
		v.Int = n
	}
	if t.Name == "MachineID" {
		words[0] = p.NoMachine()
	} else if len(words) == 1 {
		words[0] = uint64(v.Int)
	}
	return words
}

// Layout lays out a structure, those of its supertype first.
func (p *Program) Layout(t *types.Type) *Layout {
	if l := p.Layouts[t]; l != nil {
		return l
	}
	l := &Layout{Type: t, Index: len(p.Layouts), Offset: map[*types.Field]int{}, Addr: -1, Dest: -1, Size: -1}
	p.Layouts[t] = l
	var chain []*types.Type
	for s := t; s != nil; s = s.Super {
		chain = append([]*types.Type{s}, chain...)
	}
	for _, s := range chain {
		for _, f := range s.Fields {
			l.Offset[f] = len(l.Init)
			if f.Type.Name == "Addr" && l.Addr < 0 {
				l.Addr = len(l.Init)
			}
			if f.Name == "Destination" && f.Type.Name == "NetDest" {
				l.Dest = len(l.Init)
			}
			if f.Name == "MessageSize" && f.Type.Name == "MessageSizeType" {
				l.Size = len(l.Init)
			}
			l.Init = append(l.Init, p.initial(f.Pos, f.Type, f.Default)...)
		}
	}
	return l
}

// Find is the offset of a field by its name, -1 if there is none.
func (l *Layout) Find(name string) int {
	if f := l.Type.Field(name); f != nil {
		return l.Offset[f]
	}
	return -1
}

// Identities of machines are one word: the machine type and the number.
const NumberBits = 32

// MachineID is the identity of a machine.
func MachineID(typ, number int) uint64 { return uint64(typ)<<NumberBits | uint64(number) }

// SplitMachineID is the inverse of MachineID.
func SplitMachineID(id uint64) (typ, number int) {
	return int(id >> NumberBits), int(id & (1<<NumberBits - 1))
}

// noMachine is the identity that variables start with.
func (p *Program) NoMachine() uint64 { return MachineID(len(p.MachineType.Enums), 0) }

// MachineName is the text of an identity, for messages.
func (p *Program) MachineName(id uint64) string {
	typ, number := SplitMachineID(id)
	if typ >= len(p.MachineType.Enums) {
		return "none"
	}
	return fmt.Sprintf("%s-%d", p.MachineType.Enums[typ].Name, number)
}
