package gen

import (
	"maps"
	"slices"

	"ordeal/gen/shapes"
)

// arch is the architecture whose names diy7 has for an instruction set.
func (i ISA) arch() shapes.Arch {
	switch i {
	case AArch64:
		return shapes.Arm
	case RISCV64, RISCV64A:
		return shapes.RISCV
	}
	return shapes.X86
}

// CycleName is the name of the shape of shapes.All that the program is, up to the order of
// threads, values and the names of locations; empty if it is none.
func (p *Program) CycleName() string {
	all := allShapes()
	i := slices.IndexFunc(all, func(s template) bool {
		return p.CoresOnly() == nil && len(s.threads) == len(p.Threads) && matches(s.threads, p.Threads, map[LocID]LocID{})
	})
	if i < 0 {
		return ""
	}
	return all[i].name
}

// matches reports whether threads are those of a shape in some order, whose locations stand for
// different ones of theirs.
func matches(shape, threads [][]Op, locations map[LocID]LocID) bool {
	if len(shape) == 0 {
		return true
	}
	for t, ops := range threads {
		known := maps.Clone(locations)
		same := slices.EqualFunc(shape[0], ops, func(a, b Op) bool {
			if !a.Kind.Reads() && !a.Kind.Writes() || a.Kind != b.Kind {
				return a == b
			}
			to, ok := known[a.Loc]
			if !ok {
				for _, other := range known {
					if other == b.Loc {
						return false
					}
				}
				known[a.Loc], to = b.Loc, b.Loc
			}
			return to == b.Loc && b.Attr == 0 && b.Dep == 0
		})
		if same && matches(shape[1:], slices.Concat(threads[:t], threads[t+1:]), known) {
			return true
		}
	}
	return false
}
