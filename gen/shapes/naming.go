package shapes

import (
	"cmp"
	"slices"
	"strings"
)

// NameOf is the name that Named has for threads of operations, as diy7 names the critical
// cycle that they are, and for bare shapes that of the literature: MP, MP+dmb.sy+addr-rfi-pos,
// LB+data+po-rmw. It is empty where there is none: then the threads are no cycle that
// Named makes, up to the order of threads and the names of locations. Only Kind, Loc and
// Words of the operations count.
func NameOf(threads [][]Op, arch Arch) string {
	walks := make([][]walk, len(threads))
	for t, ops := range threads {
		if walks[t] = walksOf(ops, arch); len(walks[t]) == 0 {
			return ""
		}
	}
	rows := append(slices.Clone(further), table...) // CoRW2 is the cycle that diy7 makes, CoRW another of its program
	for i := range rows {
		row := &rows[i]
		if len(row.threads) != len(threads) {
			continue
		}
		var names [][]string
		for order := range orders(len(threads)) {
			if parts := row.partsOf(threads, walks, order, arch); parts != nil {
				names = append(names, parts)
			}
		}
		if len(names) > 0 {
			return strings.Join(slices.MinFunc(names, compareNames), "+")
		}
	}
	return ""
}

// partsOf is the name of threads, in the parts between + of it, if those in the given order have the ends of the row.
func (row *row) partsOf(threads [][]Op, walks [][]walk, order []int, arch Arch) []string {
	var parts []string
	plain := true
	for t, ops := range row.threads {
		at := slices.IndexFunc(walks[order[t]], func(w walk) bool { return w.ends(ops) })
		if at < 0 {
			return nil
		}
		if w := &walks[order[t]][at]; len(ops) > 1 {
			parts = append(parts, w.name(arch))
			plain = plain && len(w.events) == 2 && (parts[len(parts)-1] == "po" || parts[len(parts)-1] == "pos")
		}
	}
	ordered := make([][]Op, len(order))
	for t, from := range order {
		ordered[t] = threads[from]
	}
	if plain {
		if !sameThreads(row.threads, ordered) {
			return nil
		}
		return []string{row.name}
	}
	if len(slices.Compact(slices.Clone(parts))) == 1 && len(parts) > 1 {
		parts = []string{parts[0] + "s"}
	}
	parts = append([]string{row.name}, parts...)
	if s, err := Named(strings.Join(parts, "+"), arch); err != nil || !sameThreads(s.Threads, ordered) {
		return nil
	}
	return parts
}

// compareNames has the order in which diy7 names the threads of a cycle that can be
// turned: those of fewer edges first, then by their first edge.
func compareNames(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Or(cmp.Compare(strings.Count(a[i], "-"), strings.Count(b[i], "-")), cmp.Compare(rank(a[i]), rank(b[i])), cmp.Compare(a[i], b[i])); c != 0 {
			return c
		}
	}
	return 0
}

// rank is where an edge stands among those of other threads.
func rank(edge string) int {
	return slices.IndexFunc([]string{"fence", "mfence", "dmb", "dsb", "addr", "data", "ctrl", ""}, func(p string) bool { return strings.HasPrefix(edge, p) })
}

// event is a load or a store of a walk, with the letters of what is said of it.
type event struct {
	kind    Kind
	loc     int
	letters string
}

// walk is a thread as loads and stores, with the edges between them by their names
// without letters.
type walk struct {
	events []event
	edges  []string
}

// walksOf are the ways to see a thread as a walk: exclusive pairs are stores, or on Arm
// also a load and a store. There is none if edges of Named do not lead from each operation
// to the next.
func walksOf(ops []Op, arch Arch) []walk {
	walks := []walk{{}}
	fence := ""
	for i, op := range ops {
		if op.Kind == Fence {
			if fence != "" || i == 0 || i == len(ops)-1 {
				return nil
			}
			if fence = fenceName(op.Words, arch); fence == "" {
				return nil
			}
			continue
		}
		annotations, depends := cutDependency(op.Words)
		paired := op.Kind == LoadLinked && i+1 < len(ops) && ops[i+1].Kind == StoreConditional
		if _, data := cutDependency(ops[min(i+1, len(ops)-1)].Words); paired && strings.HasPrefix(data, "data") {
			depends = data
		}
		if fence != "" && depends != "" {
			return nil
		}
		name := fence
		if name == "" {
			if name, _, _ = strings.Cut(depends, " "); name == "" {
				name = "po"
			}
		}
		if op.Kind == StoreConditional {
			name = "rmw"
			if i == 0 || ops[i-1].Kind != LoadLinked {
				return nil
			}
		}
		fence = ""
		var next []walk
		for _, w := range walks {
			next = append(next, w.with(name, op, annotations, arch, i == 1 || i == len(ops)-1)...)
		}
		if walks = next; len(walks) == 0 || len(walks) > maxWalks {
			return nil
		}
	}
	if len(walks[0].events) == 0 {
		return nil
	}
	return walks
}

// maxWalks bounds the ways to see a thread, which doubles with each pair.
const maxWalks = 64

// with is the walk with one more operation, behind an edge. A pair at an end of the thread
// is a store first, another a load and a store.
func (w walk) with(edge string, op Op, annotations string, arch Arch, atEnd bool) []walk {
	reach := func(w walk, edge string, e event) walk {
		if len(w.events) > 0 {
			w.edges = append(slices.Clone(w.edges), edge)
		}
		w.events = append(slices.Clone(w.events), e)
		return w
	}
	letters := letters(annotations, arch)
	switch op.Kind {
	case Load, LoadLinked:
		return []walk{reach(w, edge, event{Load, op.Loc, letters})}
	case Store:
		return []walk{reach(w, edge, event{Store, op.Loc, letters})}
	case StoreConditional:
		last := len(w.events) - 1
		load := w.events[last]
		pair := walk{events: slices.Clone(w.events), edges: w.edges}
		pair.events[last] = event{Store, op.Loc, "x" + load.letters + letters}
		if both := load.letters + letters; arch == RISCV && both != "" {
			pair.events[last].letters = "x" + cmp.Or(load.letters, "p") + cmp.Or(letters, "p")
		}
		if strings.Contains(op.Words, "data") || arch != Arm {
			return []walk{pair}
		}
		both := reach(w, edge, event{Store, op.Loc, letters})
		if atEnd {
			return []walk{pair, both}
		}
		return []walk{both, pair}
	}
	atomic, load, store := "rmw", letters, letters // on RISC-V they are those of one instruction
	switch {
	case arch == Arm:
		atomic = map[Kind]string{Exchange: "amo.swp", Add: "amo.ldadd"}[op.Kind]
		load, store = lettersOf(annotations, "acquire", arch), lettersOf(annotations, "release", arch)
	case op.Kind == Add: // diy7 has no name for it
		return nil
	}
	return []walk{reach(reach(w, edge, event{Load, op.Loc, load}), atomic, event{Store, op.Loc, store})}
}

// ends reports whether the walk begins and ends as a thread of a row.
func (w *walk) ends(ops []Op) bool {
	last := len(w.events) - 1
	return (last == 0) == (len(ops) == 1) && len(ops) < 3 && w.events[0].kind == ops[0].Kind && w.events[last].kind == ops[len(ops)-1].Kind
}

// name is the part of a name for the walk: its edges with - between them.
func (w *walk) name(arch Arch) string {
	names, kinds := make([]string, len(w.edges)), make([]edge, len(w.edges))
	for i, name := range w.edges {
		if from, to := &w.events[i], &w.events[i+1]; from.loc == to.loc && !edges[name].same {
			name = sameLocation(name, from.kind, to.kind, len(w.edges) == 1)
		}
		names[i] = name
		kinds[i], _ = plainEdge(name)
	}
	for i := range names {
		from, to := &w.events[i], &w.events[i+1]
		if i+1 < len(names) && kinds[i].end == KindUnknown && kinds[i+1].begin == KindUnknown {
			names[i] += map[Kind]string{Load: "R", Store: "W"}[to.kind]
		}
		if from.letters != "" || to.letters != "" {
			names[i] += cmp.Or(from.letters, "p") + cmp.Or(to.letters, "p")
		}
	}
	return strings.Join(names, "-")
}

// sameLocation is the name of an edge that leads to the same location.
func sameLocation(name string, from, to Kind, alone bool) string {
	if name == "po" && !alone {
		switch {
		case from == Store && to == Load:
			return "rfi"
		case from == Load && to == Store:
			return "fri"
		case from == Store:
			return "coi"
		}
	}
	return name + "s"
}

// fenceName is the edge of a fence by its words; empty if there is none.
func fenceName(words string, arch Arch) string {
	words, depends := cutDependency(words)
	switch {
	case arch == Arm && words == "isync" && depends != "":
		return "ctrlisb"
	case depends != "":
		return ""
	case arch == RISCV && words == "":
		return "fence.rw.rw"
	case arch == RISCV:
		return "fence." + words
	case arch == X86 && words == "":
		return "mfence"
	}
	return map[string]string{"": "dmb.sy", "r.rw": "dmb.ld", "w.w": "dmb.st", "isync": "isb"}[words]
}

// cutDependency parts words into annotations, or the name of a fence, and a dependency.
func cutDependency(words string) (annotations, depends string) {
	list := strings.Fields(words)
	for i, w := range list {
		if w == "addr" || w == "data" || w == "ctrl" {
			return strings.Join(list[:i], " "), strings.Join(list[i:], " ")
		}
	}
	return words, ""
}

// letters are those of annotations.
func letters(annotations string, arch Arch) string {
	if annotations == "" {
		return ""
	}
	for _, e := range ends { // those of RISC-V, which are longer, come first
		if e.words == annotations && (len(e.letters) > 1) == (arch == RISCV) {
			return e.letters
		}
	}
	return "?"
}

// lettersOf are those of one annotation, if it is there.
func lettersOf(annotations, one string, arch Arch) string {
	if !slices.Contains(strings.Fields(annotations), one) {
		return ""
	}
	return letters(one, arch)
}

// orders yields the permutations of 0 to n-1, the ascending one first.
func orders(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var extend func(order []int) bool
		extend = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !extend(append(order[:len(order):len(order)], i)) {
					return false
				}
			}
			return true
		}
		extend(nil)
	}
}

// sameThreads compares operations up to values and the names of locations.
func sameThreads(a, b [][]Op) bool {
	to, back := map[int]int{}, map[int]int{}
	return slices.EqualFunc(a, b, func(a, b []Op) bool {
		return slices.EqualFunc(a, b, func(a, b Op) bool {
			if a.Kind != b.Kind || a.Words != b.Words || a.Kind == Fence {
				return a.Kind == b.Kind && a.Words == b.Words
			}
			l, known := to[a.Loc]
			k, taken := back[b.Loc]
			to[a.Loc], back[b.Loc] = b.Loc, a.Loc
			return known == taken && (!known || l == b.Loc && k == a.Loc)
		})
	})
}
