package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"ordeal/gen/shapes"
)

// part is one thread of a planted shape.
type part struct {
	depth float64 // where in the thread's code, 0 to 1
	ops   []Op
}

// plant chooses shapes and maps each onto distinct random threads and distinct
// random locations, its parts at the same depth in all threads so that they
// race; half the parts start with a delay when the options ask for delays. It
// returns the parts of each thread in order of depth.
func plant(rng *rand.Rand, o Options) [][]part {
	parts := make([][]part, o.Threads)
	room := make([]int, o.Threads)
	for t := range room {
		room[t] = o.Ops
	}
	fitting := fittingShapes(o)
	budget := int(o.ShapeShare * float64(o.Threads) * float64(o.Ops))
	// When the threads are nearly full most shapes find no place: after so
	// many failures in a row the rest is left to random code.
	const patience = 32
	for failures := 0; budget > 0 && failures < patience && len(fitting) > 0; {
		s := fitting[rng.IntN(len(fitting))]
		threads := distinct(rng, o.Threads, len(s.Threads))
		locations := distinct(rng, o.Locations, s.Locations)
		depth := rng.Float64()
		instance := make([]part, len(s.Threads))
		size, fits := 0, true
		for i, ops := range s.Threads {
			instance[i] = part{depth, plantOps(rng, o, ops, locations)}
			size += len(instance[i].ops)
			fits = fits && len(instance[i].ops) <= room[threads[i]]
		}
		if !fits || size > budget {
			failures++
			continue
		}
		failures = 0
		budget -= size
		for i, t := range threads {
			parts[t] = append(parts[t], instance[i])
			room[t] -= len(instance[i].ops)
		}
	}
	for _, list := range parts {
		slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(a.depth, b.depth) })
	}
	return parts
}

// allShapes is made when it is first asked for, and read only.
var allShapes = sync.OnceValue(shapes.All)

func fittingShapes(o Options) []*shapes.Shape {
	all := allShapes()
	list := make([]*shapes.Shape, 0, len(all))
	for i := range all {
		s := &all[i]
		named := len(o.Shapes) == 0 || slices.Contains(o.Shapes, s.Name)
		if named && len(s.Threads) <= o.Threads && s.Locations <= o.Locations && s.Longest() <= o.Ops {
			list = append(list, s)
		}
	}
	for _, name := range o.Shapes {
		if _, ok := shapes.ByName(name); ok {
			continue
		}
		if s, err := shapes.Named(name); err == nil {
			list = append(list, &s)
		}
	}
	return list
}

// shape is a critical cycle by its name, with or without edges of an instruction
// set.
func shape(name string, isa ISA) (shapes.Shape, error) {
	if s, ok := shapes.ByName(name); ok {
		return s, nil
	}
	s, err := shapes.Named(name)
	if err != nil {
		return s, err
	}
	p := &Program{ISA: isa, Locations: make([]string, s.Locations)}
	for _, thread := range s.Threads {
		ops := shapeOps(thread)
		p.Threads = append(p.Threads, ops)
		for i := range ops {
			if err := p.checkInstruction(ops, i); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

var plantedKinds = map[shapes.Kind]OpKind{
	shapes.Load: Load, shapes.Store: Store, shapes.Exchange: Exchange, shapes.Fence: FullFence,
}

// plantOps turns one thread of a shape into operations; NumberValues fills in
// their values later.
func plantOps(rng *rand.Rand, o Options, thread []shapes.Op, locations []int) []Op {
	var ops []Op
	if o.Delays > 0 && rng.IntN(2) == 0 {
		ops = append(ops, randomDelay(rng, o))
	}
	from := len(ops)
	ops = append(ops, shapeOps(thread)...)
	for i, op := range thread {
		if op.Kind != shapes.Fence {
			ops[from+i].Loc = LocID(locations[op.Loc])
		}
	}
	return ops
}

// shapeOps are the operations of a thread of a shape, on its symbolic locations and
// without values.
func shapeOps(thread []shapes.Op) []Op {
	ops := make([]Op, len(thread))
	for i, from := range thread {
		op := Op{Kind: plantedKinds[from.Kind]}
		words := bytes.Fields([]byte(from.Words))
		if op.Kind != FullFence {
			op.Loc = LocID(from.Loc)
		} else if len(words) > 0 {
			if fence := FenceByName(string(words[0])); fence != 0 {
				op.Kind, op.Value, words = PartialFence, fence, words[1:]
			}
		}
		if err := op.parseBehind(words); err != nil {
			panic(fmt.Sprintf("gen: words of a shape: %v", err)) // they are constants of package shapes
		}
		ops[i] = op
	}
	return ops
}

// distinct returns k different numbers below n in random order; k is small.
func distinct(rng *rand.Rand, n, k int) []int {
	chosen := make([]int, 0, k)
	for len(chosen) < k {
		if c := rng.IntN(n); !slices.Contains(chosen, c) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}
