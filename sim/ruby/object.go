package ruby

import (
	"cmp"
	"fmt"
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/constant"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// object is a message, a cache entry or a transaction buffer entry.
type object struct {
	layout *layout
	// words holds the fields; see layout.
	words []uint64
	// header is that of a cache entry.
	header cache.Header
	// line is the address of an entry in a table or a cache.
	line memory.Addr
	// dead says that the object was deallocated.
	dead bool
}

// Header is the part of an entry that its cache looks at.
func (o *object) Header() *cache.Header { return &o.header }

// newObject makes an object. Its words lie behind it, if they are not many, so that one
// that is used fills few lines of a processor's cache.
func newObject(l *layout) *object {
	n := len(l.init)
	switch {
	case n <= 8:
		o := new(struct {
			object
			space [8]uint64
		})
		o.layout, o.words = l, o.space[:n]
		return &o.object
	case n <= 16:
		o := new(struct {
			object
			space [16]uint64
		})
		o.layout, o.words = l, o.space[:n]
		return &o.object
	case n <= 24:
		o := new(struct {
			object
			space [24]uint64
		})
		o.layout, o.words = l, o.space[:n]
		return &o.object
	case n <= 32:
		o := new(struct {
			object
			space [32]uint64
		})
		o.layout, o.words = l, o.space[:n]
		return &o.object
	}
	return &object{layout: l, words: make([]uint64, n)}
}

// layout says where the fields of a structure are. Every value is a run of
// words: one for numbers, truth values, enumerators and machine identities,
// more for blocks, destinations and structures in structures.
type layout struct {
	typ    *types.Type
	index  int // in program.layouts
	offset map[*types.Field]int
	init   []uint64
	// addr and dest are the offsets of the first field of type Addr and of
	// the field Destination, -1 if there is none.
	addr, dest int
	// size is the offset of the field MessageSize, -1 if there is none.
	size int
}

// shape is how values of a type are held.
type shape uint8

const (
	noValue shape = iota
	word          // one word
	vector        // several words, copied
	text          // a string
	pointer       // an object
	handle        // a part of the machine, such as a cache
)

const blockWords = memory.WordsPerLine

// nativeTypes says how values of native types are held, and the words of a
// vector. Those of other native types are one word.
var nativeTypes = map[string]struct {
	shape shape
	words int // 0: one for each type of machine that is instantiated
}{
	"DataBlock": {vector, blockWords}, "NetDest": {vector, 0}, "Set": {vector, 1}, "WriteMask": {vector, 2},
	"ExpectedMap": {vector, structure.ExpectedWords}, "TriggerQueue": {vector, structure.QueueWords},
	"CacheMemory": {shape: handle}, "DirectoryMemory": {shape: handle}, "PerfectCacheMemory": {shape: handle},
	"TBETable": {shape: handle}, "TimerTable": {shape: handle}, "MessageBuffer": {shape: handle},
	"Packet": {shape: handle}, "InPort": {shape: handle}, "OutPort": {shape: handle},
	"Sequencer": {shape: handle}, "HTMSequencer": {shape: handle}, "DMASequencer": {shape: handle},
	"Prefetcher": {shape: handle}, "RubyPrefetcher": {shape: handle}, "RubyPrefetcherProxy": {shape: handle}, "prefetch::Base": {shape: handle},
	"PersistentTable": {shape: handle}, "TBEStorage": {shape: handle},
}

func shapeOf(t *types.Type) shape {
	switch {
	case t.Kind == types.Void:
		return noValue
	case t.IsPointer(), t.IsMessage():
		return pointer
	case t.Kind == types.String:
		return text
	}
	if native, ok := nativeTypes[t.Name]; ok { // with counters as fields, in older versions of gem5
		return native.shape
	}
	if t.Kind == types.Struct {
		return vector
	}
	return word
}

func (p *program) size(t *types.Type) int {
	switch shapeOf(t) {
	case word:
		return 1
	case vector:
	default:
		return 0
	}
	if t.Kind == types.Struct {
		return len(p.layout(t).init)
	}
	return cmp.Or(nativeTypes[t.Name].words, len(p.codes))
}

// initial is the words that a value starts with.
func (p *program) initial(pos syntax.Pos, t *types.Type, v types.Value) []uint64 {
	if t.Kind == types.Struct && shapeOf(t) == vector {
		return p.layout(t).init
	}
	words := make([]uint64, p.size(t))
	if v.Kind == types.TextValue && len(words) == 1 {
		n, err := constant.Evaluate(v.Str, func(string) (int64, bool) { return 0, false })
		if err != nil {
			p.faults.Add(pos, "default %q: %v", v.Str, err)
		}
		v.Int = n
	}
	if t.Name == "MachineID" {
		words[0] = p.noMachine()
	} else if len(words) == 1 {
		words[0] = uint64(v.Int)
	}
	return words
}

// layout lays out a structure, those of its supertype first.
func (p *program) layout(t *types.Type) *layout {
	if l := p.layouts[t]; l != nil {
		return l
	}
	l := &layout{typ: t, index: len(p.layouts), offset: map[*types.Field]int{}, addr: -1, dest: -1, size: -1}
	p.layouts[t] = l
	var chain []*types.Type
	for s := t; s != nil; s = s.Super {
		chain = append([]*types.Type{s}, chain...)
	}
	for _, s := range chain {
		for _, f := range s.Fields {
			l.offset[f] = len(l.init)
			if f.Type.Name == "Addr" && l.addr < 0 {
				l.addr = len(l.init)
			}
			if f.Name == "Destination" && f.Type.Name == "NetDest" {
				l.dest = len(l.init)
			}
			if f.Name == "MessageSize" && f.Type.Name == "MessageSizeType" {
				l.size = len(l.init)
			}
			l.init = append(l.init, p.initial(f.Pos, f.Type, f.Default)...)
		}
	}
	return l
}

// hasData reports whether a message is of a size with data.
func (p *program) hasData(m *object) bool {
	at := m.layout.size
	return at >= 0 && m.words[at] < uint64(len(p.dataSizes)) && p.dataSizes[m.words[at]]
}

func (l *layout) find(name string) int {
	if f := l.typ.Field(name); f != nil {
		return l.offset[f]
	}
	return -1
}

func (o *object) block(offset int) *memory.Block {
	return (*memory.Block)(o.words[offset : offset+blockWords])
}

// Identities of machines are one word: the machine type and the number.
const numberBits = 32

func machineID(typ, number int) uint64 { return uint64(typ)<<numberBits | uint64(number) }

func splitMachineID(id uint64) (typ, number int) {
	return int(id >> numberBits), int(id & (1<<numberBits - 1))
}

// noMachine is the identity that variables start with.
func (p *program) noMachine() uint64 { return machineID(len(p.machineType.Enums), 0) }

func (p *program) machineName(id uint64) string {
	typ, number := splitMachineID(id)
	if typ >= len(p.machineType.Enums) {
		return "none"
	}
	return fmt.Sprintf("%s-%d", p.machineType.Enums[typ].Name, number)
}

// describe writes the simple fields of an object.
func (p *program) describe(o *object) string {
	var sb strings.Builder
	sb.WriteString(o.layout.typ.Name)
	sep := " "
	for _, f := range o.layout.typ.Fields {
		if shapeOf(f.Type) != word {
			continue
		}
		v := o.words[o.layout.offset[f]]
		var s string
		switch {
		case f.Type.Name == "MachineID":
			s = p.machineName(v)
		case f.Type.Name == "Addr":
			s = fmt.Sprintf("%#x", v)
		case f.Type.Kind == types.Enum:
			if v >= uint64(len(f.Type.Enums)) {
				continue
			}
			s = f.Type.Enums[v].Name
		case v == uint64(f.Default.Int):
			continue
		default:
			s = fmt.Sprint(int64(v))
		}
		fmt.Fprintf(&sb, "%s%s=%s", sep, f.Name, s)
	}
	return sb.String()
}
