package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ordeal/parse/objects"
)

// Replay checks an order of operations: that every operation of the span among ids (nil: all)
// is in it once, a pending one at most once; that on each key none comes after one that was
// called after it returned; and that doing them in this order, each returns what it did. It
// shares no code with the search.
func Replay(h *objects.History, order []int32, span Span, ids []int32) error {
	key := make([]int32, len(h.Ops))
	for id := range h.Ops {
		key[id] = h.Ops[id].Key
	}
	return replay(h, order, span, ids, key, len(h.Keys))
}

// replay is Replay where operations of one group, of so many, keep their order.
func replay(h *objects.History, order []int32, span Span, ids, group []int32, groups int) error {
	placed := make([]bool, len(h.Ops))
	memory := make([]string, len(h.Keys))
	for i := range memory {
		memory[i] = h.Values[0]
	}
	called := make([]int64, groups) // the last call so far
	for i := range called {
		called[i] = math.MinInt64
	}
	for _, id := range order {
		o := &h.Ops[id]
		fault := func(err error) error { return fmt.Errorf("line %d: %s: %w", o.Line, h.Text(o), err) }
		if placed[id] || o.Times.Return < called[group[id]] {
			return fault(errors.New("placed after an operation called after it returned, or twice"))
		}
		placed[id] = true
		called[group[id]] = max(called[group[id]], o.Times.Call)
		for _, part := range parts(o) {
			if err := do(h, memory, &part); err != nil {
				return fault(err)
			}
		}
	}
	check := func(id int32) error {
		o := &h.Ops[id]
		done := o.Times.Return < span.End
		switch {
		case placed[id] && o.Times.Call >= span.End:
			return fmt.Errorf("line %d: %s: placed before its call", o.Line, h.Text(o))
		case !placed[id] && done:
			return fmt.Errorf("line %d: %s: not placed", o.Line, h.Text(o))
		}
		return nil
	}
	if ids == nil {
		for id := range h.Ops {
			ids = append(ids, int32(id))
		}
	}
	for _, id := range ids {
		if err := check(id); err != nil {
			return err
		}
	}
	return nil
}

// ErrLarge says that a window has more operations than Enumerate tries.
var ErrLarge = errors.New("a window of too many operations to try all their orders")

// enumerated is the size of a window up to which an enumeration confirms it.
const enumerated = 10

// Verify checks the evidence of a verdict about a history, without the search that found
// it: an order is replayed; of a forbidden history that of the prefix is, and all orders of
// the operations between From and the return of Last are tried, from every value. The
// error is ErrLarge where these are too many.
func (v *Verdict) Verify(h *objects.History) error {
	if v.Allowed {
		return Replay(h, v.Order, Span{End: math.MaxInt64}, nil)
	}
	var ids []int32
	for _, part := range partitions(h) {
		if slices.Contains(part, v.Last) {
			ids = part
		}
	}
	if !slices.Contains(ids, v.From) {
		return errors.New("the window begins at another object than it ends")
	}
	if v.Begins && v.From != ids[0] {
		return errors.New("the window does not begin with the first operation of its object")
	}
	if err := Replay(h, v.Order, Span{End: h.Ops[v.Last].Times.Return}, ids); err != nil {
		return err
	}
	window, optional := v.window(h, ids)
	if !slices.Equal(window, v.Window) || !slices.Equal(optional, v.Optional) {
		return errors.New("these are not the operations between the beginning and the end of the window")
	}
	if len(window) > enumerated {
		return ErrLarge
	}
	starts := []objects.Value{0}
	if !v.Begins {
		for _, id := range window {
			if k := h.Ops[id].Kind; k == objects.Append || k == objects.Txn {
				return errors.New("a window of appends or transactions begins with the first operation of its object")
			}
		}
		starts = values(h, window)
	}
	for _, s := range starts {
		if order := Enumerate(h, window, optional, s); order != nil {
			return fmt.Errorf("the window has an order: %v", order)
		}
	}
	return nil
}

// window lists the operations of a key in the time from the call of From to the return of
// Last, and those of them that may have taken effect outside of it.
func (v *Verdict) window(h *objects.History, ids []int32) (window, optional []int32) {
	span := Span{h.Ops[v.From].Times.Call, h.Ops[v.Last].Times.Return + 1}
	for _, id := range ids {
		part, may := span.within(&h.Ops[id])
		if part {
			window = append(window, id)
		}
		if part && may {
			optional = append(optional, id)
		}
	}
	return window, optional
}

// do does one operation in memory.
func do(h *objects.History, memory []string, o *objects.Op) error {
	held := memory[o.Key]
	switch o.Kind {
	case objects.Read:
		if held != h.Values[o.From] {
			return fmt.Errorf("the object holds %q", held)
		}
	case objects.Write:
		memory[o.Key] = h.Values[o.To]
	case objects.Append:
		memory[o.Key] += h.Values[o.To]
	case objects.CAS:
		if (held == h.Values[o.From]) == o.Failed {
			return fmt.Errorf("the object holds %q", held)
		}
		if !o.Failed {
			memory[o.Key] = h.Values[o.To]
		}
	}
	return nil
}

// Enumerate tries all orders of a few operations from a value, and returns one that fits:
// the plain definition, which the search is compared with. Optional operations may be left
// out. A value of no operation is one that none of them wrote or read.
func Enumerate(h *objects.History, ids, optional []int32, start objects.Value) []int32 {
	return enumerateAll(h, ids, optional, start, func(first, second int32) bool {
		return h.Ops[first].Times.Return < h.Ops[second].Times.Call
	})
}

// enumerateAll tries all orders that keep one of operations.
func enumerateAll(h *objects.History, ids, optional []int32, start objects.Value, before func(first, second int32) bool) []int32 {
	memory := make([]string, len(h.Keys))
	for i := range memory {
		memory[i] = "\x00"
		if int(start) < len(h.Values) {
			memory[i] = h.Values[start]
		}
	}
	may := map[int32]bool{}
	for _, id := range optional {
		may[id] = true
	}
	return enumerate(h, ids, may, memory, []int32{}, before)
}

func enumerate(h *objects.History, left []int32, optional map[int32]bool, memory []string, order []int32, before func(first, second int32) bool) []int32 {
	rest := 0
	for _, id := range left {
		if !optional[id] {
			rest++
		}
	}
	if rest == 0 {
		return order
	}
next:
	for i, id := range left {
		for _, other := range left {
			if !optional[other] && before(other, id) {
				continue next
			}
		}
		after := append([]string(nil), memory...)
		for _, part := range parts(&h.Ops[id]) {
			if do(h, after, &part) != nil {
				continue next
			}
		}
		others := append(append([]int32(nil), left[:i]...), left[i+1:]...)
		if found := enumerate(h, others, optional, after, append(order[:len(order):len(order)], id), before); found != nil {
			return found
		}
	}
	return nil
}
