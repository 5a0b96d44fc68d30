package saturate

import (
	"math/bits"

	"ordeal/check/model"
)

// fenceNodeKind is a kind of fence nodes: what they order before what.
type fenceNodeKind struct {
	sources, targets model.Class
	// covers lists the other kinds of which each fence node is an order that one of
	// this kind in its place would be. Such a fence node needs no source from before
	// the latest one of this kind, and no target behind the next one.
	covers []int
}

// The kinds of fence nodes are those of Rules.Keeps, the parts of fences as
// fencePart.index numbers them, and the two of Rules.Pipeline and Rules.ISync.
func fenceKind(r *model.Rules) int  { return len(r.Keeps) }
func storesKind(r *model.Rules) int { return len(r.Keeps) + partKinds }
func syncsKind(r *model.Rules) int  { return len(r.Keeps) + partKinds + 1 }

// within reports whether b has all accesses that a has.
func within(a, b model.Class) bool { return a&^b == 0 || b == model.Accesses }

func fenceNodeKinds(r *model.Rules) []fenceNodeKind {
	var kinds []fenceNodeKind
	for _, keep := range r.Keeps {
		kinds = append(kinds, fenceNodeKind{sources: keep.Before, targets: keep.After})
	}
	for sources := model.Loads; sources <= model.Accesses; sources++ {
		for targets := model.Loads; targets <= model.Accesses; targets++ {
			kinds = append(kinds, fenceNodeKind{sources: sources, targets: targets})
		}
	}
	kinds = append(kinds,
		fenceNodeKind{sources: model.Accesses, targets: model.Stores},
		fenceNodeKind{sources: model.Accesses, targets: model.Accesses})
	for i := range storesKind(r) { // the last two do not order all their sources
		k := &kinds[i]
		for j, other := range kinds {
			if j != i && within(other.sources, k.sources) && within(other.targets, k.targets) {
				k.covers = append(k.covers, j)
			}
		}
	}
	return kinds
}

// kindSet is a set of kinds of fence nodes.
type kindSet uint32

// kindTable answers what is asked of each access or fence node: sets of kinds.
type kindTable struct {
	// sources and targets give by class the kinds that such an access is a source or a
	// target of.
	sources, targets [2 * model.Atomics]kindSet // all classes are below
	// wider gives for a kind the others of whose sources it has all.
	wider []kindSet
}

func newKindTable(r *model.Rules, kinds []fenceNodeKind) *kindTable {
	t := &kindTable{wider: make([]kindSet, len(kinds))}
	for k, kind := range kinds {
		one := kindSet(1) << k
		for class := range t.sources {
			if k < storesKind(r) && kind.sources&model.Class(class) != 0 {
				t.sources[class] |= one
			}
			if kind.targets&model.Class(class) != 0 {
				t.targets[class] |= one
			}
		}
		for other, o := range kinds {
			if other != k && max(other, k) < storesKind(r) && within(o.sources, kind.sources) {
				t.wider[k] |= 1 << other
			}
		}
	}
	return t
}

// each calls f for the kinds of a set.
func (s kindSet) each(f func(kind int)) {
	for ; s != 0; s &= s - 1 {
		f(bits.TrailingZeros32(uint32(s)))
	}
}
