package checktest

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Write writes histories as the alternatives of a test with the given
// outcome: their microops, po, rf, and as far as they are known co, fr and
// final values. It refuses fences that x86 does not have. Transactions are
// left out. Names of threads and locations that are no numbers, or pairs such
// as "0_8", are replaced by indices.
func Write(w io.Writer, histories []*parse.History, outcome Outcome) error {
	if outcome == OutcomeUnknown || len(histories) == 0 {
		return fmt.Errorf("write Check test: want an outcome and at least one history")
	}
	return trace.Write(w, "Check test", func(out *bufio.Writer) error {
		for _, h := range histories {
			p := &writer{h: h, out: out, threads: pairs(trace.Threads(h)), locations: pairs(h.Locations)}
			if err := p.alternative(); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "%s\n", outcome)
		return nil
	})
}

// pair is a number of two parts: core and thread, or tag and index.
type pair struct{ major, minor gen.Value }

// Pairs reports whether all names are those that Parse gives threads or
// locations, so that they survive being written.
func Pairs(names []string) bool {
	for _, name := range names {
		if _, ok := parsePair(name); !ok {
			return false
		}
	}
	return true
}

// pairs are the pairs that names denote, or their indices where some name
// denotes none.
func pairs(names []string) []pair {
	list := make([]pair, len(names))
	usable := Pairs(names)
	for i, name := range names {
		if list[i] = (pair{major: gen.Value(i)}); usable {
			list[i], _ = parsePair(name)
		}
	}
	return list
}

func parsePair(name string) (pair, bool) {
	major, minor, two := strings.Cut(name, "_")
	var p pair
	var ok bool
	if p.major, ok = canonical(major); !ok {
		return p, false
	}
	if two {
		if p.minor, ok = canonical(minor); !ok || p.minor == 0 {
			return p, false
		}
	}
	return p, true
}

// canonical is the value of a number without leading zeros.
func canonical(word string) (gen.Value, bool) {
	v, ok := trace.Number([]byte(word))
	return v, ok && fmt.Sprint(v) == word
}

type writer struct {
	h                  *parse.History
	out                *bufio.Writer
	threads, locations []pair
	first              []int // microop of each operation; an RMW's write is the next
}

// write is the microop of an operation that writes.
func (w *writer) write(id parse.OpID) int {
	if w.h.Ops[id].Kind == parse.RMW {
		return w.first[id] + 1
	}
	return w.first[id]
}

func (w *writer) alternative() error {
	fmt.Fprintln(w.out, "Alternative")
	w.first = make([]int, len(w.h.Ops))
	n := 0
	for t := range w.h.Threads() {
		for id := w.h.Start[t]; id < w.h.Start[t+1]; id++ {
			w.first[id] = n
			k, err := w.microops(t, id, n)
			if err != nil {
				return err
			}
			n += k
		}
	}
	for t := range w.h.Threads() {
		for id := w.h.Start[t]; id < w.h.Start[t+1]; id++ {
			if w.h.Ops[id].Kind == parse.RMW {
				w.relate("po", w.first[id], w.first[id]+1)
			}
			if id+1 < w.h.Start[t+1] {
				last := w.first[id+1] - 1
				w.relate("po", last, last+1)
			}
		}
	}
	w.communication()
	for _, d := range w.h.Deps {
		kind := "addr"
		if w.h.Ops[d.To].Kind == parse.Fence {
			kind = "ctrl"
		}
		w.relate(kind, w.first[d.From], w.first[d.To])
	}
	for x, id := range w.h.Final {
		if id == parse.NoOp {
			continue
		}
		var v gen.Value
		if id != parse.Init {
			v = w.h.Ops[id].Write
		}
		fmt.Fprintf(w.out, "(PA %d %d) = %d\n", w.locations[x].major, w.locations[x].minor, v)
	}
	return nil
}

func (w *writer) relate(kind string, from, to int) {
	fmt.Fprintf(w.out, "Relationship %s %d 0 -> %d 0\n", kind, from, to)
}

// microops writes those of an operation, and returns how many they are.
func (w *writer) microops(t int, id parse.OpID, n int) (int, error) {
	op := &w.h.Ops[id]
	at := fmt.Sprintf("%d %d 0", w.threads[t].major, w.threads[t].minor)
	if op.Kind == parse.Fence {
		for _, name := range []string{"MFENCE", "SFENCE", "LFENCE"} {
			if fenceMasks[name] == op.Mask {
				fmt.Fprintf(w.out, "%d %s (Fence %s)\n", n, at, name)
				return 1, nil
			}
		}
		return 0, fmt.Errorf("%s is a fence that is neither MFENCE nor SFENCE nor LFENCE", trace.Place(w.h, id))
	}
	x := w.locations[op.Loc]
	access := func(kind, sort string, v gen.Value) {
		fmt.Fprintf(w.out, "%d %s (%s %s (VA %d %d) (PA %[5]d %d) (Data %d))\n", n, at, kind, sort, x.major, x.minor, v)
		n++
	}
	switch op.Kind {
	case parse.Read:
		access("Read", "normal", op.Read)
	case parse.Write:
		access("Write", "normal", op.Write)
	default:
		access("Read", "RMW", op.Read)
		access("Write", "RMW", op.Write)
		return 2, nil
	}
	return 1, nil
}

func (w *writer) communication() {
	h := w.h
	// The first write of each thread to a location: coherence orders others
	// after it.
	writes := make([][]parse.OpID, len(h.Locations))
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if !op.Writes() {
				continue
			}
			if n := len(writes[op.Loc]); n == 0 || writes[op.Loc][n-1] < h.Start[t] {
				writes[op.Loc] = append(writes[op.Loc], id)
			}
		}
	}
	after := make(map[parse.OpID]parse.OpID) // the next write of the order
	if h.StoreOrder != nil {
		writes = h.StoreOrder
		for _, order := range writes {
			for k := 1; k < len(order); k++ {
				w.relate("co", w.write(order[k-1]), w.write(order[k]))
				after[order[k-1]] = order[k]
			}
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Reads() {
			continue
		}
		if op.RF != parse.Init {
			w.relate("rf", w.write(op.RF), w.first[i])
			if next, ok := after[op.RF]; ok {
				w.relate("fr", w.first[i], w.write(next))
			}
			continue
		}
		for k, write := range writes[op.Loc] {
			if h.StoreOrder == nil || k == 0 {
				w.relate("fr", w.first[i], w.write(write))
			}
		}
	}
}
