package axe

import (
	"bufio"
	"io"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Write writes h as one trace, thread after thread, with its "check", and all
// that h says but times. Only locations that no operation accesses and whose
// final value is not known are lost, and threads without operations. A name that is no
// word, or that another thread or location has, is written as a word like it.
func Write(w io.Writer, h *parse.History) error {
	named := *h
	named.Locations = trace.Words(h.Locations)
	if h.ThreadNames != nil {
		named.ThreadNames = trace.Words(h.ThreadNames)
	}
	h = &named
	return trace.Write(w, "axe trace", func(out *bufio.Writer) error {
		var line []byte
		put := func(text []byte) {
			line = append(text, '\n')
			out.Write(line)
			line = line[:0]
		}
		for t := range h.Threads() {
			for id := h.Start[t]; id < h.Start[t+1]; id++ {
				line = append(append(line, h.ThreadName(t)...), ": "...)
				put(AppendOp(line, h, id))
			}
		}
		for _, d := range h.Deps {
			put(appendNames(appendArrow(line, "dep ", h, d.From, d.To), uint(d.Kind), parse.DepNames[:]))
		}
		for _, tx := range h.Transactions {
			put(appendArrow(line, "tx ", h, tx.First, tx.End-1))
		}
		for x, order := range h.StoreOrder {
			if len(order) == 0 {
				continue
			}
			line = append(append(append(line, "order M["...), h.Locations[x]...), "]:"...)
			for _, id := range order {
				line = strconv.AppendUint(append(line, ' '), uint64(h.Ops[id].Write), 10)
			}
			put(line)
		}
		for x, id := range h.Final {
			if id == parse.NoOp {
				continue
			}
			var v gen.Value
			if id != parse.Init {
				v = h.Ops[id].Write
			}
			put(appendAccess(append(line, "final "...), h, int32(x), " == ", v))
		}
		put(append(line, "check"...))
		return nil
	})
}

func appendArrow(line []byte, word string, h *parse.History, from, to parse.OpID) []byte {
	t := h.Thread(from)
	line = append(append(append(line, word...), h.ThreadName(t)...), ": "...)
	line = strconv.AppendInt(line, int64(from-h.Start[t])+1, 10)
	line = append(line, " -> "...)
	return strconv.AppendInt(line, int64(to-h.Start[t])+1, 10)
}

// appendNames appends the names of a set, each with a space before it.
func appendNames(line []byte, set uint, names []string) []byte {
	for i, name := range names {
		if set>>i&1 != 0 {
			line = append(line, ' ')
			line = append(line, name...)
		}
	}
	return line
}

// AppendOp appends operation id in the notation, without its thread.
func AppendOp(line []byte, h *parse.History, id parse.OpID) []byte {
	return appendNames(appendPlain(line, h, &h.Ops[id]), uint(h.Ops[id].Attr&^(parse.ISync|parse.Reached)), parse.AttrNames[:])
}

func appendPlain(line []byte, h *parse.History, op *parse.Op) []byte {
	switch op.Kind {
	case parse.Read:
		return appendAccess(line, h, op.Loc, " == ", op.Read)
	case parse.Write:
		return appendAccess(line, h, op.Loc, " := ", op.Write)
	case parse.RMW:
		line = append(line, "{ "...)
		line = appendAccess(line, h, op.Loc, " == ", op.Read)
		line = append(line, "; "...)
		line = appendAccess(line, h, op.Loc, " := ", op.Write)
		return append(line, " }"...)
	}
	switch {
	case op.Attr&parse.ISync != 0:
		return append(line, "isync"...)
	case op.Mask == 0:
		return append(line, "nop"...)
	case op.Mask == parse.FullFence:
		return append(line, "sync"...)
	case op.Mask == parse.StoreStore:
		return append(line, "stbar"...)
	}
	return appendNames(append(line, "membar"...), uint(op.Mask), fenceNames[:])
}

func appendAccess(line []byte, h *parse.History, loc int32, sign string, v gen.Value) []byte {
	line = append(line, "M["...)
	line = append(line, h.Locations[loc]...)
	line = append(line, ']')
	line = append(line, sign...)
	return strconv.AppendUint(line, uint64(v), 10)
}
