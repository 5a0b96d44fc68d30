package parse

import "ordeal/gen"

// half says which part of an operation of a program an operation of a history
// is.
type half uint8

const (
	whole half = iota
	loadHalf
	storeHalf
)

// halves are the operations of a history that one of a program becomes in each
// round: none for a delay; a load and a Conditional store for an atomic
// instruction of AArch64, whose parts other operations may be ordered with one by
// one.
func halves(p *gen.Program, op gen.Op) []half {
	switch {
	case op.Kind == gen.Delay:
		return nil
	case p.ISA == gen.AArch64 && (op.Kind == gen.Exchange || op.Kind == gen.FetchAdd):
		return []half{loadHalf, storeHalf}
	}
	return []half{whole}
}

// decodeInstruction completes what decodeOp made of an operation of another
// instruction set than x86-64: the k-th of a round, part h of from. It reports the
// result of a store-conditional that is neither 0 nor 1.
//
// A further attempt that was not needed is two fences that order nothing.
func (d *decoder) decodeInstruction(from *gen.Op, round []Op, k int, h half, base gen.Value) {
	to := &round[k]
	to.Attr = Attr(from.Attr &^ gen.Retry)
	switch {
	case h == loadHalf:
		to.Kind, to.Write = Read, 0
		to.Attr &= Acquire | AcquirePC
	case h == storeHalf:
		// An atomic instruction that acquires and releases orders what follows
		// behind its store, too (Arm ARM, B2.3; bob of aarch64hwreqs.cat).
		if to.Attr&Release == 0 {
			to.Attr = 0
		}
		to.Attr |= Conditional
	case from.Kind == gen.LoadLinked && from.Attr&gen.Retry != 0 && k+1 == len(round):
		*to = Op{Kind: Fence, Loc: -1, RF: NoOp} // the log does not say whether it was needed
	case from.Kind == gen.LoadLinked:
		to.Kind = Read
	case from.Kind == gen.StoreConditional && to.Read != 0: // it failed, or was not needed
		skipped := from.Attr&gen.Retry != 0 && to.Read == gen.Skipped
		if to.Read != 1 && !skipped {
			d.faults.Addf("result %d of %s: want 0 or 1", to.Read, d.p.OpText(*from))
		}
		nothing := Op{Kind: Fence, Loc: -1, RF: NoOp}
		if skipped {
			if read := round[k-1].Read; read != 0 {
				d.faults.Addf("%s was not needed, and its load-linked read %d: want 0", d.p.OpText(*from), read)
			}
			round[k-1] = nothing
		}
		*to = nothing
	case from.Kind == gen.StoreConditional:
		linked := k - 1
		for round[linked].Kind != Read { // what is between orders memory only
			linked--
		}
		to.Kind, to.Write, to.Read = RMW, base+from.Value, round[linked].Read
		to.Attr |= Conditional
	case from.Kind == gen.PartialFence:
		to.Kind, to.Loc, to.Mask = Fence, -1, FenceMask(from.Value)&FullFence
		if from.Value == gen.InstructionBarrier {
			to.Attr = ISync
		}
	}
}

// dependencies lists those of the program among the operations that there are.
func (d *decoder) dependencies() {
	if d.p.ISA == gen.X86 {
		return
	}
	for t, index := range d.origins.index {
		round := d.roundDependencies(t)
		if len(round) == 0 {
			continue
		}
		for base := d.h.Start[t]; base < d.h.Start[t+1]; base += OpID(len(index)) {
			for _, dep := range round {
				to := base + dep.To
				if to >= d.h.Start[t+1] {
					continue // of a round that was not finished
				}
				kind := dep.Kind
				if d.h.Ops[to].Kind == Fence { // also a store-conditional that failed
					kind &= DepControl
				}
				if kind != 0 {
					d.h.Deps = append(d.h.Deps, Dep{From: base + dep.From, To: to, Kind: kind})
				}
			}
		}
	}
}

// roundDependencies lists the dependencies of a thread in a round, where all its
// operations succeed, by their places there.
func (d *decoder) roundDependencies(t int) (list []Dep) {
	index, ops := d.origins.index[t], d.p.Threads[t]
	first := make([]int, len(ops)) // operation → its place in a round
	for place := len(index) - 1; place >= 0; place-- {
		first[index[place]] = place
	}
	for place := range index {
		i := int(index[place])
		add := func(source int, kind DepKind) {
			if kind != 0 {
				list = append(list, Dep{From: OpID(first[source]), To: OpID(place), Kind: kind})
			}
		}
		part, kind := d.origins.half(t, place), DepKind(ops[i].Dep)
		if part == loadHalf {
			kind &^= DepData
		}
		add(i-int(ops[i].Back), kind)
		switch {
		case part == storeHalf:
			add(i, DepPair)
		case ops[i].Kind == gen.StoreConditional:
			add(gen.Linked(ops, i), DepPair)
		}
	}
	return MergeDeps(list)
}
