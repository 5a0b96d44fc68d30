package certificate

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"ordeal/parse"
)

// Digest identifies a history up to the names of threads and locations: the
// SHA-256, in hexadecimal, of a text with these lines. Locations are numbered from
// 0 as they first occur below; those that do not occur have no lines.
//
//	thread                    begins a thread; its operations follow
//	r LOCATION VALUE          a read
//	w LOCATION VALUE          a write
//	u LOCATION READ WRITTEN   a read-modify-write
//	f MASK                    a fence: the sum of 1 for LL, 2 LS, 4 SL, 8 SS
//	final LOCATION VALUE      known final values, by location, after the threads
//	order LOCATION VALUE…     known orders of stores, by location
//	attr ATTRIBUTES           of the operation before it, if it has any: the sum
//	                          of 1 for acquire, 2 acquirepc, 4 release,
//	                          8 conditional, 16 isync
//	dep THREAD FROM TO [KIND] dependencies, by place in their thread, in order;
//	                          the sum of 1 for addr, 2 data, 4 ctrl, 8 pair
func Digest(h *parse.History) string {
	sum := sha256.New()
	out := bufio.NewWriterSize(sum, 1<<16)
	var scratch []byte
	line := func(word string, numbers ...uint64) {
		scratch = append(scratch[:0], word...)
		for _, n := range numbers {
			scratch = strconv.AppendUint(append(scratch, ' '), n, 10)
		}
		out.Write(append(scratch, '\n')) // a hash never fails
	}
	attributes := func(op *parse.Op) {
		if op.Attr != 0 {
			line("attr", uint64(op.Attr))
		}
	}
	numbers := make([]int32, len(h.Locations)) // location → number + 1
	var locations []int32
	for t := range h.Threads() {
		line("thread")
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if op.Kind == parse.Fence {
				line("f", uint64(op.Mask))
				attributes(op)
				continue
			}
			if numbers[op.Loc] == 0 {
				locations = append(locations, op.Loc)
				numbers[op.Loc] = int32(len(locations))
			}
			x := uint64(numbers[op.Loc] - 1)
			switch op.Kind {
			case parse.Read:
				line("r", x, uint64(op.Read))
			case parse.Write:
				line("w", x, uint64(op.Write))
			default:
				line("u", x, uint64(op.Read), uint64(op.Write))
			}
			attributes(op)
		}
	}
	for x, loc := range locations {
		if h.Final == nil || h.Final[loc] == parse.NoOp {
			continue
		}
		value := uint64(0)
		if id := h.Final[loc]; id != parse.Init {
			value = uint64(h.Ops[id].Write)
		}
		line("final", uint64(x), value)
	}
	for x, loc := range locations {
		if h.StoreOrder == nil || len(h.StoreOrder[loc]) == 0 {
			continue
		}
		values := []uint64{uint64(x)}
		for _, id := range h.StoreOrder[loc] {
			values = append(values, uint64(h.Ops[id].Write))
		}
		line("order", values...)
	}
	for _, d := range h.Deps {
		t := h.Thread(d.From)
		ends := []uint64{uint64(t), uint64(d.From - h.Start[t]), uint64(d.To - h.Start[t])}
		if d.Kind != 0 {
			ends = append(ends, uint64(d.Kind))
		}
		line("dep", ends...)
	}
	_ = out.Flush() // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}
