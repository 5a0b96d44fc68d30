package histgen

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// Params describe a run of an operational machine. The zero value of a field
// asks for the default named with it.
type Params struct {
	Threads   int // default 4
	Ops       int // of all threads together; default 100
	Locations int // default 4
	// Writes, RMWs and Fences are shares of the operations; the rest are
	// loads. The default is half stores, no RMWs and no fences; give Writes
	// a negative value for none.
	Writes, RMWs, Fences float64
	// Mask is what fences order; default FullFence.
	Mask parse.FenceMask
	// Deps is the share of operations that depend on an earlier load among
	// the eight operations before; default none.
	Deps float64
	// Burst is the mean number of steps one thread runs before another is
	// chosen; default 1.
	Burst int
	// Stagger holds thread t back until t·Stagger operations have taken
	// effect, so that threads overlap little; default 0.
	Stagger int
	// Depth is the capacity of a store buffer (RMO: of the window of
	// operations in flight); default 8.
	Depth int
	_     struct{}
}

// Run is a machine's execution: a history together with the memory order
// that produced it, in the sense of witness.Order.
type Run struct {
	History *parse.History
	Order   []parse.OpID
}

func (p Params) withDefaults() Params {
	p.Threads = cmp.Or(p.Threads, 4)
	p.Ops = cmp.Or(p.Ops, 100)
	p.Locations = cmp.Or(p.Locations, 4)
	p.Burst = cmp.Or(p.Burst, 1)
	p.Depth = cmp.Or(p.Depth, 8)
	p.Writes = cmp.Or(p.Writes, 0.5)
	p.Mask = cmp.Or(p.Mask, parse.FullFence)
	return p
}

// Machine runs a random program on an operational machine of a Total model:
// an interleaver for SC, first-in-first-out store buffers for TSO, store
// buffers that keep order only per location and across store fences for PSO,
// and a window of operations in flight for RMO. Its histories are allowed by
// the model, but not every allowed history can come from it: the machine of
// RMO never reads a value before the operations it depends on are done.
func Machine(rng *rand.Rand, m model.Model, p Params) Run {
	p = p.withDefaults()
	h := program(rng, p)
	mc := &machine{
		rng: rng, p: p, h: h,
		mem:   slices.Repeat([]parse.OpID{parse.Init}, p.Locations),
		order: make([]parse.OpID, 0, p.Ops),
	}
	first := slices.Clone(h.Start[:p.Threads])
	switch m.Name {
	case model.SC.Name, model.TSO.Name, model.PSO.Name:
		mc.run(&buffers{machine: mc, model: m.Name, pc: first, buf: make([][]parse.OpID, p.Threads)})
	case model.RMO.Name:
		mc.run(&windows{machine: mc, head: first, done: make([]bool, p.Ops)})
	default:
		panic("histgen: no machine for model " + m.Name)
	}
	fillValues(h)
	return Run{History: h, Order: mc.order}
}

// program draws the operations; their reads-from is left to the machine.
func program(rng *rand.Rand, p Params) *parse.History {
	h := &parse.History{
		Ops:         make([]parse.Op, p.Ops),
		Start:       make([]parse.OpID, p.Threads+1),
		ThreadNames: names(p.Threads),
		Locations:   names(p.Locations),
	}
	for t := range h.Start {
		h.Start[t] = parse.OpID(t * p.Ops / p.Threads)
	}
	// One random word decides an operation: 24 bits its kind, 32 its place.
	const unit = 1 << 24
	fence := uint64(p.Fences * unit)
	rmw := fence + uint64(p.RMWs*unit)
	write := rmw + uint64(max(p.Writes, 0)*unit)
	for i := range h.Ops {
		r := rng.Uint64()
		op := &h.Ops[i]
		op.RF = parse.NoOp
		op.Loc = int32((r >> 32) * uint64(p.Locations) >> 32)
		switch k := r & (unit - 1); {
		case k < fence:
			op.Kind, op.Loc, op.Mask = parse.Fence, -1, p.Mask
		case k < rmw:
			op.Kind = parse.RMW
		case k < write:
			op.Kind = parse.Write
		default:
			op.Kind = parse.Read
		}
	}
	if p.Deps > 0 {
		AddDeps(rng, h, p.Deps)
	}
	return h
}

// machine is what the operational machines share: memory, the order so far,
// and the scheduler.
type machine struct {
	rng   *rand.Rand
	p     Params
	h     *parse.History
	mem   []parse.OpID
	order []parse.OpID
}

// stepper advances one thread by one step; it reports false when the thread
// has nothing left to do.
type stepper interface{ step(t int) bool }

func (mc *machine) run(s stepper) {
	// live[:started] are the threads that may run, live[started:] wait for
	// their stagger.
	live := make([]int, mc.p.Threads)
	for t := range live {
		live[t] = t
	}
	started, next := len(live), len(live)
	if mc.p.Stagger > 0 {
		started, next = 1, 1
	}
	for {
		for next < mc.p.Threads && (len(mc.order) >= next*mc.p.Stagger || started == 0) {
			live[started] = next
			started, next = started+1, next+1
		}
		if started == 0 {
			return
		}
		i := mc.rng.IntN(started)
		steps := 1
		if mc.p.Burst > 1 {
			steps += mc.rng.IntN(2*mc.p.Burst - 1)
		}
		for ; steps > 0; steps-- {
			if !s.step(live[i]) {
				started--
				live[i] = live[started]
				break
			}
		}
	}
}

// perform lets operation id take effect in memory, a read returning what
// memory holds.
func (mc *machine) perform(id parse.OpID) {
	op := &mc.h.Ops[id]
	if op.Reads() {
		op.RF = mc.mem[op.Loc]
	}
	if op.Writes() {
		mc.mem[op.Loc] = id
	}
	mc.order = append(mc.order, id)
}

// forward lets read id take effect with the value of own store from.
func (mc *machine) forward(id, from parse.OpID) {
	mc.h.Ops[id].RF = from
	mc.order = append(mc.order, id)
}
