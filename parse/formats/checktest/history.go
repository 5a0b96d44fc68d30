package checktest

import (
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

func (a *alternative) history(name string) (*parse.History, error) {
	b := &assembly{alternative: a, source: make([]int, len(a.microops)), place: make([]place, len(a.microops)), last: map[int32]int{}}
	b.readsFrom()
	b.distinguish()
	members := map[string][]int{}
	for i := range a.microops {
		b.trace.Thread([]byte(a.microops[i].thread))
		members[a.microops[i].thread] = append(members[a.microops[i].thread], i)
	}
	for t, thread := range b.trace.Threads.List {
		order, err := a.total("po", members[thread])
		if err != nil {
			b.trace.Faultf(a.microops[members[thread][0]].line, "%w", err)
			continue
		}
		b.thread(int32(t), order)
	}
	if err := b.trace.Err(name); err != nil {
		return nil, err
	}
	b.coherence()
	b.deps()
	for _, f := range a.finals {
		b.final(f)
	}
	return b.trace.Finish(name, a.first)
}

type assembly struct {
	*alternative
	trace  trace.Builder
	source []int         // of each read the write it reads from, -1 for the initial one
	place  []place       // of each microop in the history
	last   map[int32]int // the last write of each location, where it is known
}

// place is an operation of a thread, from 1.
type place struct {
	thread int32
	number gen.Value
}

func (b *assembly) readsFrom() {
	for i := range b.source {
		b.source[i] = -1
	}
	for _, r := range b.relations["rf"] {
		if old := b.source[r.to]; old >= 0 && old != r.from {
			b.trace.Faultf(r.line, "microop %s reads from %s already", b.microops[r.to].id, b.microops[old].id)
		}
		b.source[r.to] = r.from
	}
	for i := range b.microops {
		if m := &b.microops[i]; m.op.Kind == parse.Read && b.source[i] < 0 && m.op.Read != 0 {
			b.trace.Faultf(m.line, "reads %d from %s, and no rf says from which write", m.op.Read, m.loc)
		}
	}
}

// distinguish gives the writes of a location values of their own where they
// have none, and the reads with them.
func (b *assembly) distinguish() {
	type written struct {
		loc   string
		value gen.Value
	}
	seen := map[written]bool{}
	largest := gen.Value(0)
	for i := range b.microops {
		largest = max(largest, b.microops[i].op.Write)
	}
	for i := range b.microops {
		m := &b.microops[i]
		if m.op.Kind != parse.Write {
			continue
		}
		m.original = m.op.Write
		if old := m.op.Write; old == 0 || seen[written{m.loc, old}] {
			largest++
			m.op.Write = largest
			b.notes = append(b.notes, fmt.Sprintf("line %d: the value %d of microop %s, which is now %d", m.line, old, m.id, largest))
		}
		seen[written{m.loc, m.op.Write}] = true
	}
	for i, w := range b.source {
		if w >= 0 {
			b.microops[i].op.Read = b.microops[w].op.Write
		}
	}
}

// thread appends the microops of a thread in program order. The halves of a
// read-modify-write become one operation.
func (b *assembly) thread(t int32, order []int) {
	for k := 0; k < len(order); k++ {
		m := &b.microops[order[k]]
		op := m.op
		if m.loc != "" {
			op.Loc = b.trace.Locations.Index([]byte(m.loc))
		}
		last := k
		if m.atomic {
			if last = k + 1; op.Kind != parse.Read || last == len(order) || !b.pair(m, &b.microops[order[last]]) {
				b.trace.Faultf(m.line, "microop %s is half of a read-modify-write without the other", m.id)
				return
			}
			write := &b.microops[order[last]]
			if b.source[order[k]] == order[last] {
				b.trace.Faultf(m.line, "microop %s reads from its own write", m.id)
				return
			}
			op.Kind, op.Write = parse.RMW, write.op.Write
		}
		b.trace.Add(t, op, m.line)
		for ; k < last; k++ {
			b.place[order[k]] = place{t, gen.Value(b.trace.Len(t))}
		}
		b.place[order[last]] = place{t, gen.Value(b.trace.Len(t))}
	}
}

func (b *assembly) pair(read, write *microop) bool {
	return write.atomic && write.op.Kind == parse.Write && write.loc == read.loc
}

// coherence adds the order of writes, if co orders those of every location.
func (b *assembly) coherence() {
	if len(b.relations["co"]) == 0 {
		return
	}
	writes := make([][]int, len(b.trace.Locations.List))
	for i := range b.microops {
		if m := &b.microops[i]; m.op.Kind == parse.Write {
			x := b.trace.Locations.Index([]byte(m.loc))
			writes[x] = append(writes[x], i)
		}
	}
	orders := make([][]int, len(writes))
	for x, members := range writes {
		var err error
		if orders[x], err = b.total("co", members); err != nil {
			b.notes = append(b.notes, fmt.Sprintf("the order of writes: %v", err))
			return
		}
	}
	for x, order := range orders {
		if len(order) == 0 {
			continue
		}
		values := make([]gen.Value, len(order))
		for i, m := range order {
			values[i] = b.microops[m].op.Write
		}
		b.trace.Order(int32(x), values, b.relations["co"][0].line)
		b.last[int32(x)] = order[len(order)-1]
	}
}

func (b *assembly) deps() {
	for _, kind := range []string{"addr", "ctrl", "data"} {
		for _, r := range b.relations[kind] {
			from, to := b.place[r.from], b.place[r.to]
			if from == to { // within a read-modify-write
				continue
			}
			b.trace.Dependency(from.thread, from.number, to.number, 0, r.line)
		}
	}
}

// final adds a final value. Where several writes have it, the last one of
// the order of writes is meant.
func (b *assembly) final(f final) {
	var candidates []int
	for i := range b.microops {
		if m := &b.microops[i]; m.op.Kind == parse.Write && m.loc == f.loc && m.original == f.value {
			candidates = append(candidates, i)
		}
	}
	loc := b.trace.Locations.Index([]byte(f.loc))
	last, ordered := b.last[loc]
	switch {
	case len(candidates) == 0 && f.value != 0:
		b.trace.Faultf(f.line, "final value %d of %s is never written", f.value, f.loc)
	case len(candidates) == 0:
		b.trace.Final(loc, 0, f.line)
	case len(candidates) == 1:
		b.trace.Final(loc, b.microops[candidates[0]].op.Write, f.line)
	case ordered && slices.Contains(candidates, last):
		b.trace.Final(loc, b.microops[last].op.Write, f.line)
	default:
		b.notes = append(b.notes, fmt.Sprintf("line %d: the final value %d of %s, which several microops write", f.line, f.value, f.loc))
	}
}
