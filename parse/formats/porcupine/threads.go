package porcupine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// threads gives the operations to the trace: those of a client in order of their
// calls, an operation that overlaps the ones before on a further thread.
func (r *reader) threads() {
	number := r.numbers()
	slices.SortStableFunc(r.ops, func(a, b operation) int { return cmp.Compare(a.time.Call, b.time.Call) })
	type lane struct {
		thread  int32
		returns int64
	}
	lanes := map[string][]lane{}
	for i := range r.ops {
		o := &r.ops[i]
		op := parse.Op{Kind: parse.RMW, RF: parse.NoOp, Loc: r.trace.Locations.Index([]byte(o.key)), Read: number(o.from), Write: number(o.to)}
		switch o.kind {
		case read:
			op.Kind = parse.Read
		case write:
			op.Kind = parse.Write
		}
		free := slices.IndexFunc(lanes[o.client], func(l lane) bool { return l.returns < o.time.Call })
		if free < 0 {
			free = len(lanes[o.client])
			name := o.client
			if free > 0 {
				name = fmt.Sprintf("%s_%d", o.client, free+1)
			}
			lanes[o.client] = append(lanes[o.client], lane{thread: r.trace.Thread([]byte(name))})
		}
		l := &lanes[o.client][free]
		l.returns = o.time.Return
		r.trace.AddTimed(l.thread, op, o.time, o.line)
	}
}

// numbers maps values to those of a history, where 0 is nothing: numbers to
// themselves, unless some value written is none or 0; then values are numbered in
// order of their lines.
func (r *reader) numbers() func(string) gen.Value {
	plain := func(value string) (gen.Value, bool) {
		v, err := strconv.ParseUint(value, 10, 64)
		return gen.Value(v), err == nil && v > 0 && v <= math.MaxInt64 && value[0] != '0' && value[0] != '+'
	}
	if !slices.ContainsFunc(r.ops, func(op operation) bool {
		_, is := plain(op.to)
		return op.kind != read && !is
	}) {
		return func(value string) gen.Value {
			v, _ := plain(value)
			return v
		}
	}
	numbers := map[string]gen.Value{nothing: 0}
	for i := range r.ops {
		if op := &r.ops[i]; op.kind != read && numbers[op.to] == 0 {
			numbers[op.to] = gen.Value(len(numbers))
		}
	}
	return func(value string) gen.Value { return numbers[value] } // "0" where it is not written
}
