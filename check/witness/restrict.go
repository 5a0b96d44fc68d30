package witness

import (
	"cmp"
	"iter"
	"slices"

	"ordeal/parse"
)

// Restrict keeps the operations of h that matter to a refutation which Verify
// accepts: the ends of its edges, the reads and fences its rules name, and
// whatever the kept reads read from. It returns them as a history of its own,
// the refutation with its operations renumbered and unused lemmas dropped, and
// for each operation of the new history the one of h that it was. Threads
// that lose all their operations stay, empty. Verify accepts the result for
// the same model.
func Restrict(h *parse.History, refutation *Refutation) (*parse.History, *Refutation, []parse.OpID) {
	u := closedUses(h, refutation)
	kept := u.list
	sub, to := h.Select(kept)
	for x, id := range h.Final {
		if id == parse.Init && !u.locations[int32(x)] {
			sub.Final[x] = parse.NoOp
		}
	}
	return sub, u.renumber(refutation, to), kept
}

// Uses are the operations of h that Restrict keeps, in order: those that a refutation
// looks at, what they read from, and what that reads from, where it is an RMW. It is
// what a refutation rests on, for all who make it or the history smaller.
func Uses(h *parse.History, refutation *Refutation) []parse.OpID {
	return closedUses(h, refutation).list
}

func closedUses(h *parse.History, refutation *Refutation) *uses {
	u := usesOf(h, refutation)
	for n := -1; n != len(u.list); {
		n = len(u.list)
		u.withSources()
	}
	return u
}

// Shown are the operations of h that an explanation or a picture of a refutation
// shows, in the order of their letters: the i-th is named Letters(i).
func Shown(h *parse.History, refutation *Refutation) []parse.OpID {
	return usesOf(h, refutation).withSources().list
}

// UsedLemmas are the numbers, ascending, of the lemmas that the part of a refutation below
// a node uses.
func UsedLemmas(h *parse.History, refutation *Refutation, below *Node) []int32 {
	return usesOf(h, &Refutation{Lemmas: refutation.Lemmas, Root: below}).lemmas
}

// EdgeLocation is the location of an edge that has an initial value at one end.
func EdgeLocation(h *parse.History, e Edge) int32 {
	r := rules{h: h}
	return r.edgeLoc(e)
}

// Rename is a refutation of h with its operations renamed, and unused lemmas
// dropped.
func Rename(h *parse.History, refutation *Refutation, to func(parse.OpID) parse.OpID) *Refutation {
	return usesOf(h, refutation).renumber(refutation, to)
}

// uses is what a refutation looks at.
type uses struct {
	h         *parse.History
	ref       *Refutation
	seen      map[parse.OpID]bool
	list      []parse.OpID
	locations map[int32]bool // of the operations
	finals    map[int32]bool // whose final value an edge rests on
	lemmas    []int32        // used by some leaf, ascending
}

func usesOf(h *parse.History, refutation *Refutation) *uses {
	u := &uses{h: h, ref: refutation, seen: map[parse.OpID]bool{}, locations: map[int32]bool{}, finals: map[int32]bool{}}
	used := make([]bool, len(refutation.Lemmas))
	u.node(refutation.Root, used)
	// A lemma uses only lemmas before it.
	for i := len(used) - 1; i >= 0; i-- {
		if used[i] {
			u.lemmas = append(u.lemmas, int32(i))
			u.edges(refutation.Lemmas[i].Premise, used)
		}
	}
	slices.Reverse(u.lemmas)
	return u
}

// withSources adds what the operations read from, and sorts them.
func (u *uses) withSources() *uses {
	for _, id := range slices.Clone(u.list) {
		if op := &u.h.Ops[id]; op.Reads() && op.RF != parse.Init {
			u.add(op.RF)
		}
	}
	slices.Sort(u.list)
	return u
}

func (u *uses) node(n *Node, used []bool) {
	if n.leaf() {
		u.edges(n.Cycle, used)
		return
	}
	u.add(n.From)
	u.add(n.To)
	u.node(n.First, used)
	u.node(n.Second, used)
}

func (u *uses) edges(edges []Edge, used []bool) {
	for _, e := range edges {
		u.add(e.From)
		u.add(e.To)
		u.add(e.Via)
		for _, id := range Names(u.h, e) {
			u.add(id)
		}
		switch e.Rule {
		case DerivedA, DerivedB:
			used[e.Lemma] = true
		case FenceOrder:
			if e.Via == parse.NoOp {
				u.add(u.fence(e))
			}
		case FinalWrite:
			u.finals[u.h.Ops[e.From].Loc] = true
		case Dependency:
			for _, id := range u.chain(e) {
				u.add(id)
			}
		}
	}
}

func (u *uses) add(id parse.OpID) {
	if id >= 0 && !u.seen[id] {
		u.seen[id] = true
		u.locations[u.h.Ops[id].Loc] = true
		u.list = append(u.list, id)
	}
}

func (u *uses) fence(e Edge) parse.OpID {
	r := rules{h: u.h}
	return r.fence(e.From+1, e.To, parse.Components(&u.h.Ops[e.From], &u.h.Ops[e.To]))
}

// chain finds operations on a chain of dependencies between the ends of e.
func (u *uses) chain(e Edge) []parse.OpID {
	from := map[parse.OpID]parse.OpID{e.From: parse.NoOp}
	for _, d := range u.h.Deps {
		if _, ok := from[d.From]; ok && d.From < e.To && d.Kind != parse.DepControl {
			if _, ok := from[d.To]; !ok {
				from[d.To] = d.From
			}
		}
	}
	var out []parse.OpID
	for id := e.To; id != parse.NoOp && from[id] != parse.NoOp; id = from[id] {
		out = append(out, id)
	}
	return out
}

// renumber copies a refutation without unused lemmas, its operations renamed.
func (u *uses) renumber(r *Refutation, to func(parse.OpID) parse.OpID) *Refutation {
	number := make(map[int32]int32, len(u.lemmas))
	for i, l := range u.lemmas {
		number[l] = int32(i)
	}
	edges := func(old []Edge) []Edge {
		out := make([]Edge, len(old))
		for i, e := range old {
			e.From, e.To, e.Via = to(e.From), to(e.To), to(e.Via)
			if e.Lemma >= 0 {
				e.Lemma = number[e.Lemma]
			}
			out[i] = e
		}
		return out
	}
	out := &Refutation{Lemmas: make([]Lemma, len(u.lemmas))}
	for i, l := range u.lemmas {
		out.Lemmas[i] = Lemma{Edge: edges([]Edge{r.Lemmas[l].Edge})[0], Premise: edges(r.Lemmas[l].Premise)}
	}
	var node func(n *Node) *Node
	node = func(n *Node) *Node {
		if n.leaf() {
			return &Node{Cycle: edges(n.Cycle)}
		}
		return &Node{From: to(n.From), To: to(n.To), First: node(n.First), Second: node(n.Second)}
	}
	out.Root = node(r.Root)
	return out
}

// Direct replaces an edge by a path of edges that need no search to be checked: a
// FenceOrder names its fence, a Dependency is a dependency of the history.
func Direct(h *parse.History, e Edge) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		u := uses{h: h}
		switch {
		case e.Rule == FenceOrder && e.Via == parse.NoOp:
			e.Via = u.fence(e)
			yield(e)
		case e.Rule == Dependency:
			from := e.From
			for _, id := range slices.Backward(u.chain(e)) {
				e.From, e.To, from = from, id, id
				if !yield(e) {
					return
				}
			}
		default:
			yield(e)
		}
	}
}

// IsDirect reports whether an edge is of the form that Direct makes.
func IsDirect(h *parse.History, e Edge) bool {
	switch e.Rule {
	case FenceOrder:
		return e.Via != parse.NoOp
	case Dependency:
		_, ok := slices.BinarySearchFunc(h.Deps, parse.Dep{From: e.From, To: e.To}, func(a, b parse.Dep) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		return ok
	default:
		return true
	}
}
