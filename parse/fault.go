package parse

import (
	"fmt"

	"ordeal/gen"
)

// FaultKind says what is wrong with a value.
type FaultKind uint8

// The kinds of faults in values.
const (
	FaultUnknown FaultKind = iota
	// ZeroWrite: Op writes 0, which every location holds at the start.
	ZeroWrite
	// DuplicateWrite: Op writes a value that Other writes to the location.
	DuplicateWrite
	// LostUpdate: Op and Other, both RMWs, write one value to a location, having read one value
	// or, with additions, different ones: an update is lost. It breaks the atomicity that
	// every model with RMWs asks for, so it is a violation in itself.
	LostUpdate
	// UnwrittenValue: Op reads a value that no operation writes.
	UnwrittenValue
	// ForeignValue: Op reads a value that Other writes, to another location.
	ForeignValue
)

// Fault is a value that keeps operations from being a history.
type Fault struct {
	Kind  FaultKind
	Op    OpID // NoOp when it is a final value, or one in a store order
	Other OpID // the operation that the kind mentions, else NoOp
	Loc   int32
	Value gen.Value
	_     struct{}
}

// Text says what is wrong, without the place; other names operations as the
// input does.
func (f *Fault) Text(h *History, other func(OpID) string) string {
	x := h.Locations[f.Loc]
	switch f.Kind {
	case ZeroWrite:
		return fmt.Sprintf("writes 0, the initial value, to %s", x)
	case DuplicateWrite:
		return fmt.Sprintf("writes %d to %s, as does %s", f.Value, x, other(f.Other))
	case LostUpdate:
		if one, two := &h.Ops[f.Op], &h.Ops[f.Other]; one.Read != two.Read {
			return fmt.Sprintf("changes %s from %d to %d, as does %s from %d: sums only grow, one update is lost", x, one.Read, f.Value, other(f.Other), two.Read)
		}
		return fmt.Sprintf("changes %s from %d to %d, as does %s: one update is lost",
			x, h.Ops[f.Op].Read, f.Value, other(f.Other))
	case ForeignValue:
		return fmt.Sprintf("value %d of %s is written only to %s, by %s",
			f.Value, x, h.Locations[h.Ops[f.Other].Loc], other(f.Other))
	default:
		return fmt.Sprintf("value %d of %s is never written", f.Value, x)
	}
}
