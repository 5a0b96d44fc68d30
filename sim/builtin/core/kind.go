package core

import (
	"ordeal/gen"
	"ordeal/gen/option"
)

// Kind is a kind of core.
type Kind uint8

// The kinds of core, the strongest first.
const (
	KindUnknown Kind = iota
	// InOrder performs one operation at a time: SC.
	InOrder
	// TSO performs loads in order and stores through a FIFO store buffer
	// with forwarding, one store at a time.
	TSO
	// OOO performs loads early and out of order and retires in order; a load
	// whose line is lost before it retires is squashed, with all later ones.
	// Stores leave through a FIFO store buffer: TSO.
	OOO
	// PSO performs loads in order; its store buffer keeps order between
	// stores to one location only.
	PSO
	// RMO performs loads and stores in any order but for fences and for a
	// write after any access to the same location.
	RMO
	// Arm performs accesses in any order that Armv8 allows, RISCV in any that
	// RVWMO does.
	Arm
	RISCV
)

var kindNames = option.Names[Kind]{"unknown", "inorder", "tso", "ooo", "pso", "rmo", "arm", "riscv"}

// Kinds lists the kinds of core.
func Kinds() []Kind { return []Kind{InOrder, TSO, OOO, PSO, RMO, Arm, RISCV} }

// String is the kind's name on the command line.
func (k Kind) String() string { return kindNames.Of(k) }

// ParseKind reads the name of a kind of core.
func ParseKind(name string) (Kind, error) { return kindNames.Parse("core", name) }

// Runs reports whether cores of a kind run programs of an instruction set. Those of
// x86-64 have nothing that other instruction sets lack.
func (k Kind) Runs(i gen.ISA) bool {
	return i == gen.X86 || k == For(i)
}

// For is the kind of core for programs of an instruction set that only it runs.
func For(i gen.ISA) Kind {
	switch i {
	case gen.AArch64:
		return Arm
	case gen.RISCV64, gen.RISCV64A:
		return RISCV
	}
	return KindUnknown
}

// Ordered reports whether all stores of a core perform in program order.
func (k Kind) Ordered() bool { return k == InOrder || k == TSO || k == OOO }

// weak reports whether cores of a kind are those of an instruction set.
func (k Kind) weak() bool { return k == Arm || k == RISCV }
