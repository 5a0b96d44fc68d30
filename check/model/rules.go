package model

import (
	"slices"

	"ordeal/parse"
)

// Class is a set of kinds of accesses, as the rules of models speak of them.
type Class uint8

// The kinds of accesses.
const (
	Loads      Class = 1 << iota // reads, and RMWs that are not Conditional
	Stores                       // whatever writes
	Acquires                     // whatever has attribute Acquire or AcquirePC
	AcquiresSC                   // whatever has attribute Acquire
	Releases                     // whatever has attribute Release
	Atomics                      // RMWs, Conditional or not
	Accesses   = Loads | Stores
)

// ClassOf lists the kinds that an operation is of; none for fences.
func ClassOf(o *parse.Op) (c Class) {
	if o.Kind == parse.Fence {
		return 0
	}
	if o.Loads() {
		c |= Loads
	}
	if o.Writes() {
		c |= Stores
	}
	if o.Attr&(parse.Acquire|parse.AcquirePC) != 0 {
		c |= Acquires
	}
	if o.Attr&parse.Acquire != 0 {
		c |= AcquiresSC
	}
	if o.Attr&parse.Release != 0 {
		c |= Releases
	}
	if o.Kind == parse.RMW {
		c |= Atomics
	}
	return c
}

// Order says that accesses of some kinds precede later ones of some kinds in
// the global memory order.
type Order struct{ Before, After Class }

// Rules are the part of a model that speaks of what the instruction sets of Arm
// and RISC-V have: annotations of accesses and kinds of dependencies. Besides
// them such a model keeps what fences order, an access before a later write to
// its location, and reads-from, coherence and from-read as all models do.
type Rules struct {
	// Keeps lists orders of program order that need no dependency.
	Keeps []Order
	// Known are the kinds of dependencies that the model speaks of. A known
	// address or data dependency, and a pair, is an order of its ends.
	Known parse.DepKind
	// Untyped says that dependencies of unknown kind are such orders, too.
	Untyped bool
	// Pipeline says that what a dependency leads to orders more:
	//
	//   - a control dependency orders its source before all stores behind the
	//     branch, and one of the address before all stores that follow;
	//   - an address or data dependency of a store orders its source before
	//     each load of the thread that reads from the store.
	Pipeline bool
	// ISync says that an instruction barrier orders the sources of control
	// and address dependencies before it with all accesses behind it.
	ISync bool
	// Forwarded are the kinds of loads that follow the atomic write of their
	// own thread that they read from, or, where FromPair is set, the load
	// that is a pair with it.
	Forwarded Class
	FromPair  bool
	// Split says that the model is not multi-copy atomic: an access is performed by
	// its thread first, and reaches all threads later, each event in its turn
	// (see split).
	Split bool
	_     struct{}
}

// The models of instruction sets. Their global memory order is of all accesses;
// they are multi-copy atomic but for a thread's own stores.
var (
	// Armv8 is other-multi-copy atomic Armv8 (Pulte et al., POPL 2018; Arm ARM,
	// B2.3), after herd7's aarch64.cat and aarch64hwreqs.cat: Keeps are lines of
	// bob, Pipeline is dob and its lmrs, ISync is IFB-ob, a pair and Forwarded
	// are aob, stores behind an access to their location are lmws. That the
	// external parts of coherence and from-read alone are observed is the same
	// as that all are: an access before a store to its location is in lmws, and
	// loads of a location that return different writes are ordered by
	// from-read and reads-from.
	//
	// The atomic read-modify-writes are pairs (parse.DepPair); one whose load
	// acquires and whose store releases has a store that acquires, too.
	Armv8 = ofInstructionSet("armv8", Rules{
		Keeps: []Order{
			{Acquires, Accesses}, {Accesses, Releases}, {Releases, AcquiresSC},
		},
		Known:    parse.DepAddress | parse.DepData | parse.DepControl | parse.DepPair,
		Pipeline: true, ISync: true, Forwarded: Acquires, FromPair: true,
	})

	// RVWMO is the memory model of RISC-V (The RISC-V Instruction Set Manual,
	// Volume I, Sect. 14.1.2, and App. A.3): preserved program order rules 1
	// (stores to a location), 2 (loads of a location that return different
	// writes), 3 (Forwarded), 4 (fences), 5 to 7 (Keeps), 8 (pairs), 9 to 11
	// and 12 to 13 (Pipeline). An AMO is one memory operation.
	RVWMO = ofInstructionSet("rvwmo", Rules{
		Keeps: []Order{
			{Acquires, Accesses}, {Accesses, Releases}, {Releases, AcquiresSC},
		},
		Known:    parse.DepAddress | parse.DepData | parse.DepControl | parse.DepPair,
		Pipeline: true, Forwarded: Loads,
	})

	// WMO is the model of that name of Axe (Naylor, Moore and Mujumdar, FMCAD
	// 2016; localWMOEdges and localDepEdges in Edges.cpp): fences, accesses to
	// one location but a load behind a store, and dependencies by timestamps.
	WMO = ofInstructionSet("wmo", Rules{
		Known: parse.DepAddress | parse.DepData, Untyped: true,
	})

	// POW is Axe's model of that name, after Power (Axe Manual 1.4, Sect. 5; ValOrder.cpp): the
	// local order of WMO, without multi-copy atomicity.
	POW = ofInstructionSet("pow", Rules{
		Known: parse.DepAddress | parse.DepData, Untyped: true, Split: true,
	})
)

func ofInstructionSet(name string, r Rules) Model {
	return Model{Name: name, Family: Total, ForwardOwn: true, LoadLoadSameLoc: name == "wmo" || name == "pow", Rules: &r}
}

// OfInstructionSets lists the models with Rules that machines promise.
func OfInstructionSets() []Model { return []Model{Armv8, RVWMO, WMO} }

// Orders reports whether the rules order a before a later b of its thread,
// whatever the dependencies.
func (r *Rules) Orders(a, b *parse.Op) bool {
	before, after := ClassOf(a), ClassOf(b)
	return slices.ContainsFunc(r.Keeps, func(o Order) bool { return before&o.Before != 0 && after&o.After != 0 })
}

// Direct reports whether a dependency is by itself an order of its ends under
// the model.
func (m Model) Direct(d parse.Dep) bool {
	if m.Rules == nil {
		return m.Deps
	}
	return d.Kind == 0 && m.Rules.Untyped || d.Kind&m.Rules.Known&^parse.DepControl != 0
}

// View is the history as the model sees it, whose operations evidence names: what
// Known returns or, under a model that splits accesses, the events of that. The view
// of a view is itself.
func (m Model) View(h *parse.History) *parse.History {
	if m.Rules == nil || !m.Rules.Split {
		return m.Known(h)
	}
	if slices.ContainsFunc(h.Ops, func(o parse.Op) bool { return o.Attr&(parse.Performed|parse.Reached) != 0 }) {
		return h
	}
	return split(m.Known(h))
}

// Events lead from the operations that evidence names, those of a view, back to those of
// the history.
type Events struct {
	first []parse.OpID // by operation, its first event; nil if both are the same
	op    []parse.OpID // by event
}

// Events are those of h under the model. Histories with the same operations have as many
// events of each, in the same order.
func (m Model) Events(h *parse.History) Events {
	view := m.View(h)
	if len(view.Ops) == len(h.Ops) {
		return Events{}
	}
	e := Events{first: []parse.OpID{0}, op: make([]parse.OpID, len(view.Ops))}
	for id := range view.Ops {
		e.op[id] = parse.OpID(len(e.first) - 1)
		if view.Ops[id].Attr&parse.Performed == 0 {
			e.first = append(e.first, parse.OpID(id)+1)
		}
	}
	return e
}

// Op is the operation that an event is of.
func (e Events) Op(id parse.OpID) parse.OpID {
	if e.op == nil || id < 0 {
		return id
	}
	return e.op[id]
}

// Ops are the operations of events that are in order, each once.
func (e Events) Ops(events []parse.OpID) []parse.OpID {
	ops := make([]parse.OpID, len(events))
	for i, id := range events {
		ops[i] = e.Op(id)
	}
	return slices.Compact(ops)
}

// Lift is the event of another history that an event of this one is, if an operation of
// this one is operation ops of the other.
func (e Events) Lift(id parse.OpID, whole Events, ops []parse.OpID) parse.OpID {
	switch {
	case id < 0:
		return id
	case e.op == nil:
		return ops[id]
	}
	return whole.first[ops[e.op[id]]] + id - e.first[e.op[id]]
}

// Known is h itself, or a copy without the attributes and dependencies that the
// model does not know, and of fences those parts. An RMW that is Conditional is an atomic one to
// such a model, and its load one of its own.
func (m Model) Known(h *parse.History) *parse.History {
	attr, kinds := ^parse.Attr(0), ^parse.DepKind(0)
	untyped := true
	if m.Rules == nil {
		attr, kinds = parse.ISync, parse.DepAddress|parse.DepData
	} else {
		kinds, untyped = m.Rules.Known, m.Rules.Untyped
		if m.Rules.Keeps == nil {
			attr = parse.ISync
		}
	}
	unknownDep := func(d parse.Dep) bool { return d.Kind&kinds == 0 && !(d.Kind == 0 && untyped) }
	unknownAttr := func(o parse.Op) bool { return o.Attr&^attr != 0 }
	wholeFences := m.Rules != nil && m.Rules.Split
	unknownFence := func(o parse.Op) bool { return wholeFences && o.Mask != 0 && o.Mask != parse.FullFence }
	deps, attrs := slices.ContainsFunc(h.Deps, unknownDep), slices.ContainsFunc(h.Ops, unknownAttr)
	fences := slices.ContainsFunc(h.Ops, unknownFence)
	if !deps && !attrs && !fences {
		return h
	}
	known := *h
	if deps {
		known.Deps = slices.DeleteFunc(slices.Clone(h.Deps), unknownDep)
	}
	if attrs || fences {
		known.Ops = slices.Clone(h.Ops)
		for i := range known.Ops {
			known.Ops[i].Attr &= attr
			if unknownFence(known.Ops[i]) {
				known.Ops[i].Mask = 0
			}
		}
	}
	return &known
}
