package litmus

import (
	"fmt"
	"io"
	"math"
	"slices"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
	"ordeal/parse"
)

// Write writes a history as a test that asks whether it can be: a
// program of its operations, and the condition that every read returns what
// it did and memory ends as far as is known. It refuses fences that are not
// full and attributes. Values are renumbered where they are not unique in the history, or
// too large; locations, where a name is no identifier; a read-modify-write is
// an exchange. The order of writes, dependencies and transactions are left
// out.
func Write(w io.Writer, name string, h *parse.History) error {
	p, value, err := Program(h)
	if err != nil {
		return fmt.Errorf("write litmus test %s: %w", name, err)
	}
	c := &emit.Condition{Reads: map[emit.Read]gen.Value{}, Final: map[gen.LocID]gen.Value{}}
	for t := range h.Threads() {
		index := 0
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if op := &h.Ops[id]; op.Reads() {
				c.Reads[emit.Read{Thread: gen.ThreadID(t), Index: index}] = value(op.RF)
				index++
			}
		}
	}
	for x, id := range h.Final {
		if id != parse.NoOp {
			c.Final[gen.LocID(x)] = value(id)
		}
	}
	return emit.Emit(w, name, p, c)
}

// Program is a program that the history may be an execution of, and the value
// that a write of the history, or Init, has there: see Write. It need not be
// valid.
func Program(h *parse.History) (*gen.Program, func(parse.OpID) gen.Value, error) {
	number := Renumbers(h)
	value := func(id parse.OpID) gen.Value {
		switch {
		case id == parse.Init:
			return 0
		case number:
			return gen.Value(id) + 1
		}
		return h.Ops[id].Write
	}
	kinds := map[parse.Kind]gen.OpKind{parse.Fence: gen.FullFence, parse.Read: gen.Load, parse.Write: gen.Store, parse.RMW: gen.Exchange}
	p := &gen.Program{Layout: gen.Spread, Locations: identifiers(h.Locations), Threads: make([][]gen.Op, h.Threads())}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			from := &h.Ops[id]
			op := gen.Op{Kind: kinds[from.Kind]}
			switch {
			case from.Attr != 0:
				return nil, nil, fmt.Errorf("thread %d operation %d has attributes of Arm or RISC-V", t, id-h.Start[t]+1)
			case from.Kind == parse.Fence && from.Mask != parse.FullFence:
				return nil, nil, fmt.Errorf("thread %d operation %d is a fence that is not full", t, id-h.Start[t]+1)
			case from.Kind != parse.Fence:
				op.Loc = gen.LocID(from.Loc)
			}
			if from.Writes() {
				op.Value = value(id)
			}
			p.Threads[t] = append(p.Threads[t], op)
		}
	}
	return p, value, nil
}

// Renumbers reports whether Write renumbers the values of a history: every
// store of a program has a value of its own, of 31 bits.
func Renumbers(h *parse.History) bool {
	seen := map[gen.Value]bool{}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			if seen[op.Write] || op.Write > math.MaxInt32 {
				return true
			}
			seen[op.Write] = true
		}
	}
	return false
}

// Keeps reports whether Write keeps these names of locations.
func Keeps(locations []string) bool {
	return !slices.ContainsFunc(locations, func(name string) bool { return !gen.IsName(name) })
}

// identifiers are the names if all are such, and x0, x1, … otherwise.
func identifiers(names []string) []string {
	if Keeps(names) {
		return names
	}
	list := make([]string, len(names))
	for i := range list {
		list[i] = fmt.Sprintf("x%d", i)
	}
	return list
}
