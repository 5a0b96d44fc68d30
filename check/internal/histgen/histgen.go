// Package histgen makes histories for tests and benchmarks: consistent ones
// by running an operational machine, arbitrary ones at random or by mutation,
// all small ones by enumeration, and hard ones by construction. Everything is
// a function of its parameters and of the random numbers passed in, so that a
// benchmark is committed as a line of parameters and never as a file.
package histgen

import (
	"slices"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// value is what write id stores: unique and not zero.
func value(id parse.OpID) gen.Value { return gen.Value(id) + 1 }

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// fillValues gives every write its value and every read the value of the
// write that its RF names.
func fillValues(h *parse.History) {
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			op.Write = value(parse.OpID(i))
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case !op.Reads():
			op.RF = parse.NoOp
		case op.RF == parse.Init:
			op.Read = 0
		default:
			op.Read = h.Ops[op.RF].Write
		}
	}
}

// Final is the History.Final of a memory order of h's operations.
func Final(h *parse.History, order []parse.OpID) []parse.OpID {
	out := slices.Repeat([]parse.OpID{parse.Init}, len(h.Locations))
	for _, id := range order {
		if op := &h.Ops[id]; op.Writes() {
			out[op.Loc] = id
		}
	}
	return out
}
