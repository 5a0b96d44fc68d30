package formats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats"
)

// outline is a random execution, of which a history has all or a part.
type outline struct {
	threads   [][]step
	locations int
	final     []int   // of each location: a write, -1 for the initial one, -2 for unknown
	order     [][]int // of each location, its writes
	deps      [][2]int
	named     [2]bool // threads, locations: they have names that are no numbers
}

// step is an operation of an outline.
type step struct {
	id    int
	kind  parse.Kind
	mask  parse.FenceMask
	loc   int
	from  int // step read from, -1 for the initial write
	value gen.Value
	tx    int // 0: none
}

// randomOutline makes anything up that is well formed, allowed or not.
func randomOutline(rng *rand.Rand) *outline {
	o := &outline{locations: 1 + rng.IntN(4), named: [2]bool{rng.IntN(2) == 0, rng.IntN(2) == 0}}
	writes := make([][]int, o.locations)
	var reads []*step
	n, tx := 0, 0
	o.threads = make([][]step, 1+rng.IntN(4))
	for t := range o.threads {
		left := 0 // of the open transaction
		for range rng.IntN(9) {
			s := step{id: n, loc: rng.IntN(o.locations), value: gen.Value(n + 1)}
			n++
			switch k := rng.IntN(10); {
			case k < 4:
				s.kind = parse.Read
			case k < 7:
				s.kind = parse.Write
			case k < 9:
				s.kind = parse.RMW
			default:
				s.kind = parse.Fence
				s.mask = []parse.FenceMask{parse.FullFence, parse.FullFence, parse.StoreStore, parse.LoadLoad | parse.LoadStore, parse.StoreLoad}[rng.IntN(5)]
			}
			if left == 0 && rng.IntN(4) == 0 {
				left = 1 + rng.IntN(4)
				tx++
			}
			if left > 0 {
				s.tx = tx
				left--
			}
			if s.kind == parse.Write || s.kind == parse.RMW {
				writes[s.loc] = append(writes[s.loc], s.id)
			}
			o.threads[t] = append(o.threads[t], s)
		}
		for i := range o.threads[t] {
			s := &o.threads[t][i]
			if s.kind == parse.Read || s.kind == parse.RMW {
				reads = append(reads, s)
				if later := len(o.threads[t]) - i - 1; later > 0 && rng.IntN(3) == 0 {
					o.deps = append(o.deps, [2]int{s.id, o.threads[t][i+1+rng.IntN(later)].id})
				}
			}
		}
	}
	for _, s := range reads {
		s.from = -1
		if w := writes[s.loc]; len(w) > 0 {
			if from := w[rng.IntN(len(w))]; from != s.id && rng.IntN(4) > 0 {
				s.from = from
			}
		}
	}
	for _, w := range writes {
		last := rng.IntN(len(w)+2) - 2
		if last >= 0 {
			last = w[last]
		}
		o.final = append(o.final, last)
		order := make([]int, len(w))
		for i, k := range rng.Perm(len(w)) {
			order[i] = w[k]
		}
		o.order = append(o.order, order)
	}
	return o
}

// history has of the outline what e can express: the reference implementation
// of what formats do.
func (o *outline) history(e formats.Express) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	read, write := map[int]parse.OpID{}, map[int]parse.OpID{} // of each step
	values := map[int]gen.Value{-1: 0}
	var sources []int
	add := func(op parse.Op, from int) parse.OpID {
		h.Ops = append(h.Ops, op)
		sources = append(sources, from)
		return parse.OpID(len(h.Ops) - 1)
	}
	blocks := map[int][]parse.OpID{}
	for t, steps := range o.threads {
		for _, s := range steps {
			values[s.id] = s.value
			before := len(h.Ops)
			switch {
			case s.kind == parse.Fence:
				if expresses(e.Fences, s.mask) {
					id := add(parse.Op{Kind: parse.Fence, Mask: s.mask, Loc: -1}, -2)
					read[s.id], write[s.id] = id, id
				}
			case s.kind == parse.RMW && !e.RMW:
				read[s.id] = add(parse.Op{Kind: parse.Read, Loc: int32(s.loc)}, s.from)
				write[s.id] = add(parse.Op{Kind: parse.Write, Loc: int32(s.loc), Write: s.value}, -2)
			case s.kind == parse.Read:
				read[s.id] = add(parse.Op{Kind: parse.Read, Loc: int32(s.loc)}, s.from)
			case s.kind == parse.Write:
				write[s.id] = add(parse.Op{Kind: parse.Write, Loc: int32(s.loc), Write: s.value}, -2)
				read[s.id] = write[s.id]
			default:
				read[s.id] = add(parse.Op{Kind: parse.RMW, Loc: int32(s.loc), Write: s.value}, s.from)
				write[s.id] = read[s.id]
			}
			block := s.tx
			if block == 0 && len(h.Ops) == before+2 {
				block = -1 - s.id // a split read-modify-write is one
			}
			for id := before; id < len(h.Ops); id++ {
				blocks[block] = append(blocks[block], parse.OpID(id))
			}
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
		name := fmt.Sprint(t)
		if o.named[0] && e.Threads == formats.Words {
			name = "P" + name
		}
		h.ThreadNames = append(h.ThreadNames, name)
	}
	for i := range h.Ops {
		h.Ops[i].RF = parse.NoOp
		if from := sources[i]; from == -1 {
			h.Ops[i].RF = parse.Init
		} else if from >= 0 {
			h.Ops[i].RF, h.Ops[i].Read = write[from], values[from]
		}
	}
	for x := range o.locations {
		name := fmt.Sprint(x)
		if o.named[1] && (e.Locations == formats.Words || e.Locations == formats.Variables || e.Locations == formats.Identifiers) {
			name = "loc_" + name
		}
		h.Locations = append(h.Locations, name)
	}
	o.relations(h, e, read, write)
	if e.Transactions {
		for id := 0; id < len(h.Ops); id++ {
			for _, block := range blocks {
				if len(block) > 1 && block[0] == parse.OpID(id) && !o.outside(blocks, block) {
					h.Transactions = append(h.Transactions, parse.Transaction{First: block[0], End: block[len(block)-1] + 1})
				}
			}
		}
	}
	return h
}

// outside reports whether a block is of the steps in no transaction.
func (o *outline) outside(blocks map[int][]parse.OpID, block []parse.OpID) bool {
	none := blocks[0]
	return len(none) > 0 && &none[0] == &block[0]
}

// relations adds what the history has besides operations.
func (o *outline) relations(h *parse.History, e formats.Express, read, write map[int]parse.OpID) {
	write[-1], write[-2] = parse.Init, parse.NoOp
	whole := !slices.Contains(o.final, -2)
	for x := range o.locations {
		if e.Final && (whole || !e.Whole) {
			h.Final = append(h.Final, write[o.final[x]])
		}
		if e.StoreOrder {
			order := make([]parse.OpID, len(o.order[x]))
			for i, w := range o.order[x] {
				order[i] = write[w]
			}
			h.StoreOrder = append(h.StoreOrder, order)
		}
	}
	for _, d := range o.deps {
		from, ok := read[d[0]]
		to, both := read[d[1]]
		if e.Dependencies && ok && both {
			h.Deps = append(h.Deps, parse.Dep{From: from, To: to})
		}
	}
}

func expresses(f formats.Fences, mask parse.FenceMask) bool {
	switch f {
	case formats.AllFences:
		return true
	}
	return f == formats.FullOnly && mask == parse.FullFence
}
