package saturate

import "ordeal/parse"

// Accesses by direction, as sources or targets of a fence.
const (
	dirLoad uint8 = 1 << iota
	dirStore
)

// fencePart is a part of a fence that orders all earlier accesses of some
// directions before all later ones of some: it becomes one node.
type fencePart struct{ sources, targets uint8 }

// parts says what a fence orders beyond the model's program order. Any mask
// comes down to two parts, one for each source.
func parts(mask, ppo parse.FenceMask) []fencePart { return partsOf[mask&parse.FullFence&^ppo] }

var partsOf = func() (all [parse.FullFence + 1][]fencePart) {
	for mask := range all {
		all[mask] = partsOfMask(parse.FenceMask(mask))
	}
	return all
}()

func partsOfMask(mask parse.FenceMask) []fencePart {
	targets := func(load, store parse.FenceMask) (t uint8) {
		if mask&load != 0 {
			t |= dirLoad
		}
		if mask&store != 0 {
			t |= dirStore
		}
		return t
	}
	l := targets(parse.LoadLoad, parse.LoadStore)
	s := targets(parse.StoreLoad, parse.StoreStore)
	switch {
	case l == 0 && s == 0:
		return nil
	case l == s:
		return []fencePart{{dirLoad | dirStore, l}}
	case l == 0:
		return []fencePart{{dirStore, s}}
	case s == 0:
		return []fencePart{{dirLoad, l}}
	default:
		return []fencePart{{dirLoad, l}, {dirStore, s}}
	}
}

// partKinds is the number of different fence parts, as numbered by index.
const partKinds = 9

func (p fencePart) index() int32 { return int32(p.sources-1)*3 + int32(p.targets-1) }

func directions(o *parse.Op) uint8 {
	switch o.Kind {
	case parse.Read:
		return dirLoad
	case parse.Write:
		return dirStore
	case parse.RMW:
		return dirLoad | dirStore
	default:
		return 0
	}
}
