package gen

import (
	"slices"
	"strings"

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

// maxCycle bounds the operations, with delays, of a thread of a critical cycle with a name.
const maxCycle = 32

// CycleName is the name of the critical cycle that the program is, as diy7 names its
// tests (shapes.NameOf); empty if it is none. Delays and unused locations do not count.
func (p *Program) CycleName() string {
	long := func(ops []Op) bool { return len(ops) > maxCycle }
	if len(p.Threads) > 4 || slices.ContainsFunc(p.Threads, long) || p.Validate() != nil || p.CoresOnly() != nil {
		return ""
	}
	var threads [][]shapes.Op
	for _, ops := range p.Threads {
		ops = withoutDelays(ops)
		list := make([]shapes.Op, len(ops))
		for i, op := range ops {
			words := strings.TrimSpace(string(op.appendBehind(nil)))
			if op.Kind == PartialFence {
				words = strings.TrimSpace(FenceName(op.Value) + " " + words)
				op.Kind = FullFence
			}
			list[i] = shapes.Op{Kind: plantedAs(op.Kind), Loc: int(op.Loc), Words: words}
			if list[i].Kind == shapes.KindUnknown || op.Attr&Retry != 0 {
				return ""
			}
		}
		threads = append(threads, list)
	}
	return shapes.NameOf(threads, p.ISA.arch())
}

// plantedAs is the inverse of plantedKinds.
func plantedAs(kind OpKind) shapes.Kind {
	for of, as := range plantedKinds {
		if as == kind {
			return of
		}
	}
	return shapes.KindUnknown
}

// withoutDelays are operations without delays, with the distances of dependencies that
// this leaves.
func withoutDelays(ops []Op) []Op {
	list := make([]Op, 0, len(ops))
	for i, op := range ops {
		if op.Kind == Delay {
			continue
		}
		between := 0
		for _, o := range ops[i-int(op.Back) : i] {
			if o.Kind == Delay {
				between++
			}
		}
		op.Back -= uint8(between)
		list = append(list, op)
	}
	return slices.Clip(list)
}
