package core

import "ordeal/gen/option"

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
)

var kindNames = option.Names[Kind]{"unknown", "inorder", "tso", "ooo", "pso", "rmo"}

// Kinds lists the kinds of core.
func Kinds() []Kind { return []Kind{InOrder, TSO, OOO, PSO, RMO} }

// String is the kind's name on the command line.
func (k Kind) String() string { return kindNames.Of(k) }

// ParseKind reads the name of a kind of core.
func ParseKind(name string) (Kind, error) { return kindNames.Parse("core", name) }
