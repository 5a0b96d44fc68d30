package core

import (
	"fmt"
	"slices"
	"strings"
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
)

var kindNames = []string{"unknown", "inorder", "tso", "ooo", "pso", "rmo"}

// Kinds lists the kinds of core.
func Kinds() []Kind { return []Kind{InOrder, TSO, OOO, PSO, RMO} }

// String is the kind's name on the command line.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// ParseKind reads the name of a kind of core.
func ParseKind(name string) (Kind, error) {
	if i := slices.Index(kindNames[1:], name); i >= 0 {
		return Kind(i + 1), nil
	}
	return KindUnknown, fmt.Errorf("unknown core %q: want %s", name, strings.Join(kindNames[1:], ", "))
}
