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
	var threads, locations []int
	var instance [][]Op // in memory that the next one reuses
	for failures := 0; budget > 0 && failures < patience && len(fitting) > 0; {
		s := fitting[rng.IntN(len(fitting))]
		threads = distinct(rng, threads[:0], o.Threads, len(s.threads))
		locations = distinct(rng, locations[:0], o.Locations, s.locations)
		depth := rng.Float64()
		instance = append(instance, make([][]Op, max(len(s.threads)-len(instance), 0))...)
		size, fits := 0, true
		for i, ops := range s.threads {
			instance[i] = plantOps(rng, o, instance[i][:0], ops, locations)
			size += len(instance[i])
			fits = fits && len(instance[i]) <= room[threads[i]]
		}
		if !fits || size > budget {
			failures++
			continue
		}
		failures = 0
		budget -= size
		for i, t := range threads {
			parts[t] = append(parts[t], part{depth, slices.Clone(instance[i])})
			room[t] -= len(instance[i])
		}
	}
	for _, list := range parts {
		slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(a.depth, b.depth) })
	}
	return parts
}

// template is a shape as shapeOps has its threads.
type template struct {
	name               string
	threads            [][]Op
	locations, longest int // longest thread
}

func templateOf(s *shapes.Shape) template {
	t := template{name: s.Name, locations: s.Locations, longest: s.Longest()}
	for _, thread := range s.Threads {
		t.threads = append(t.threads, shapeOps(thread))
	}
	return t
}

// allShapes are made when they are first asked for, and read only.
var allShapes = sync.OnceValue(func() []template {
	var list []template
	for _, s := range shapes.All() {
		list = append(list, templateOf(&s))
	}
	return list
})

func fittingShapes(o Options) []*template {
	all := allShapes()
	list := make([]*template, 0, len(all))
	for i := range all {
		s := &all[i]
		named := len(o.Shapes) == 0 || slices.Contains(o.Shapes, s.name)
		if named && len(s.threads) <= o.Threads && s.locations <= o.Locations && s.longest <= o.Ops {
			list = append(list, s)
		}
	}
	for _, name := range o.Shapes {
		if _, ok := shapes.ByName(name); ok {
			continue
		}
		if s, err := shapes.Named(name, o.ISA.arch()); err == nil {
			t := templateOf(&s)
			list = append(list, &t)
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
	s, err := shapes.Named(name, isa.arch())
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
	shapes.Add: FetchAdd, shapes.LoadLinked: LoadLinked, shapes.StoreConditional: StoreConditional,
}

// plantOps appends one thread of a shape, on given locations; NumberValues fills in
// the values later.
func plantOps(rng *rand.Rand, o Options, ops []Op, thread []Op, locations []int) []Op {
	if o.Delays > 0 && rng.IntN(2) == 0 {
		ops = append(ops, randomDelay(rng, o))
	}
	for _, op := range thread {
		if op.Kind.Reads() || op.Kind.Writes() {
			op.Loc = LocID(locations[op.Loc])
		}
		ops = append(ops, op)
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

// distinct appends k different numbers below n in random order to none; k is small.
func distinct(rng *rand.Rand, chosen []int, n, k int) []int {
	for len(chosen) < k {
		if c := rng.IntN(n); !slices.Contains(chosen, c) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}
