package saturate

import "ordeal/check/model"

// junctionKind is a kind of junctions: what they order before what.
type junctionKind struct {
	sources, targets model.Class
	// covers lists the other kinds of which each junction is an order that one of
	// this kind in its place would be. Such a junction needs no source from before
	// the latest one of this kind, and no target behind the next one.
	covers []int
}

// The kinds of junctions are those of Rules.Keeps, the parts of fences as
// fencePart.index numbers them, and the two of Rules.Pipeline and Rules.ISync.
func fenceKind(r *model.Rules) int  { return len(r.Keeps) }
func storesKind(r *model.Rules) int { return len(r.Keeps) + partKinds }
func syncsKind(r *model.Rules) int  { return len(r.Keeps) + partKinds + 1 }

func junctionKinds(r *model.Rules) []junctionKind {
	var kinds []junctionKind
	for _, keep := range r.Keeps {
		kinds = append(kinds, junctionKind{sources: keep.Before, targets: keep.After})
	}
	for sources := model.Loads; sources <= model.Accesses; sources++ {
		for targets := model.Loads; targets <= model.Accesses; targets++ {
			kinds = append(kinds, junctionKind{sources: sources, targets: targets})
		}
	}
	kinds = append(kinds,
		junctionKind{sources: model.Accesses, targets: model.Stores},
		junctionKind{sources: model.Accesses, targets: model.Accesses})
	within := func(a, b model.Class) bool { return a&^b == 0 || b == model.Accesses }
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
