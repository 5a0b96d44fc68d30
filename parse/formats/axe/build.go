package axe

import (
	"cmp"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
)

// finish makes a history of what was gathered. The line is the trace's first.
func (t *trace) finish(name string, line int) (*parse.History, error) {
	h, lines := t.concatenate()
	at := func(id parse.OpID) string { return fmt.Sprintf("line %d", lines[id]) }
	report := func(f parse.Fault) {
		t.fault(int(lines[f.Op]), fmt.Errorf("%s", f.Text(h, at)))
	}
	writers := parse.NewWriters(h, report)
	writers.Link(func(id parse.OpID) {
		if len(t.faults) == maxFaults {
			t.more++
			return
		}
		report(writers.Missing(id, h.Ops[id].Loc, h.Ops[id].Read))
	})
	t.finals(h, writers, at)
	t.dependencies(h)
	if err := t.err(name); err != nil {
		return nil, err
	}
	if err := h.Validate(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return h, nil
}

// concatenate puts the threads one after the other, and returns with the
// history the line of each operation.
func (t *trace) concatenate() (*parse.History, []int32) {
	total := 0
	for i := range t.threads {
		total += len(t.threads[i].ops)
	}
	h := &parse.History{
		Ops:       make([]parse.Op, 0, total),
		Start:     make([]parse.OpID, 1, len(t.threads)+1),
		Locations: t.locs.list,
	}
	lines := make([]int32, 0, total)
	for _, i := range t.order() {
		th := &t.threads[i]
		h.Ops = append(h.Ops, th.ops...)
		lines = append(lines, th.lines...)
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
		h.ThreadNames = append(h.ThreadNames, th.name)
		th.ops = nil // halves the memory while the history is built
	}
	return h, lines
}

func (t *trace) finals(h *parse.History, w *parse.Writers, at func(parse.OpID) string) {
	if len(t.final) == 0 {
		return
	}
	h.Final = make([]parse.OpID, len(h.Locations))
	for x := range h.Final {
		h.Final[x] = parse.NoOp
	}
	values := make(map[int32]gen.Value, len(t.final))
	for _, f := range t.final {
		if v, twice := values[f.loc]; twice && v != f.value {
			t.fault(f.line, fmt.Errorf("final M[%s] is %d and %d", h.Locations[f.loc], v, f.value))
			continue
		}
		values[f.loc] = f.value
		id := w.Of(f.loc, f.value)
		if id == parse.NoOp {
			missing := w.Missing(parse.NoOp, f.loc, f.value)
			t.fault(f.line, fmt.Errorf("final %s", missing.Text(h, at)))
		}
		h.Final[f.loc] = id
	}
}

// dependencies resolves the operations that "dep" lines name.
func (t *trace) dependencies(h *parse.History) {
	position := make([]int, len(t.threads)) // of each thread in h
	for k, i := range t.order() {
		position[i] = k
	}
	for _, d := range t.deps {
		start, end := h.Start[position[d.thread]], h.Start[position[d.thread]+1]
		n := gen.Value(end - start)
		switch {
		case d.from < 1 || d.from > n || d.to < 1 || d.to > n:
			t.fault(d.line, fmt.Errorf("dependency %d -> %d: thread %s has %d operations", d.from, d.to, t.names.list[d.thread], n))
		case d.to <= d.from:
			t.fault(d.line, fmt.Errorf("dependency %d -> %d: want a later operation after ->", d.from, d.to))
		case !h.Ops[start+parse.OpID(d.from)-1].Reads():
			t.fault(d.line, fmt.Errorf("dependency %d -> %d: operation %d is no read", d.from, d.to, d.from))
		default:
			h.Deps = append(h.Deps, parse.Dep{From: start + parse.OpID(d.from) - 1, To: start + parse.OpID(d.to) - 1})
		}
	}
	slices.SortFunc(h.Deps, func(a, b parse.Dep) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	h.Deps = slices.Compact(h.Deps)
}
