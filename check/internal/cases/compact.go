package cases

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
)

// Compact reads a small history: threads are separated by "|", "x=1"
// writes 1 to x, "y?0" reads 0 from y, "x?1=2" is an RMW, "f" a full fence.
// Values are unique for each location, and 0 is the initial one.
func Compact(text string) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	type value struct {
		loc int32
		gen.Value
	}
	writer := map[value]parse.OpID{}
	for t, thread := range strings.Split(text, "|") {
		for _, word := range strings.Fields(thread) {
			op := parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
			if word != "f" {
				end := strings.IndexAny(word, "?=")
				op = parse.Op{Loc: int32(slices.Index(h.Locations, word[:end])), RF: parse.NoOp}
				if op.Loc < 0 {
					op.Loc = int32(len(h.Locations))
					h.Locations = append(h.Locations, word[:end])
				}
				switch n, _ := fmt.Sscanf(word[end:], "?%d=%d", &op.Read, &op.Write); n {
				case 2:
					op.Kind = parse.RMW
				case 1:
					op.Kind = parse.Read
				default:
					op.Kind = parse.Write
					_, _ = fmt.Sscanf(word[end:], "=%d", &op.Write) // 0 without a value
				}
				if op.Writes() {
					writer[value{op.Loc, op.Write}] = parse.OpID(len(h.Ops))
				}
			}
			h.Ops = append(h.Ops, op)
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
		h.ThreadNames = append(h.ThreadNames, fmt.Sprint(t))
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() {
			op.RF = parse.Init
			if op.Read != 0 {
				w, ok := writer[value{op.Loc, op.Read}]
				if !ok {
					panic("cases: no thread writes " + fmt.Sprint(op.Read))
				}
				op.RF = w
			}
		}
	}
	return h
}
