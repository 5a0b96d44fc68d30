package ruby

import (
	"fmt"
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// object is a message, a cache entry or a transaction buffer entry.
type object struct {
	layout *code.Layout
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

// hasData reports whether a message is of a size with data.
func (p *program) hasData(m *object) bool {
	at := m.layout.Size
	return at >= 0 && m.words[at] < uint64(len(p.DataSizes)) && p.DataSizes[m.words[at]]
}

func (o *object) block(offset int) *memory.Block {
	return (*memory.Block)(o.words[offset : offset+code.BlockWords])
}

// describe writes the simple fields of an object.
func (p *program) describe(o *object) string {
	var sb strings.Builder
	sb.WriteString(o.layout.Type.Name)
	sep := " "
	for _, f := range o.layout.Type.Fields {
		if code.ShapeOf(f.Type) != code.Word {
			continue
		}
		v := o.words[o.layout.Offset[f]]
		var s string
		switch {
		case f.Type.Name == "MachineID":
			s = p.MachineName(v)
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
