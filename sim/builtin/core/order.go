package core

import (
	"slices"

	"ordeal/gen"
)

// events is a set of reads and writes of the operations in a window: bit 2·i is
// the read, bit 2·i+1 the write of the operation in slot i.
type events uint64

// maxWeakWindow is the number of operations whose events a set holds.
const maxWeakWindow = 32

// events are those of an operation in slot i. The write of a store-conditional is
// its try.
func (in *instruction) events(i uint64) (reads, writes events) {
	if in.kind.Reads() && in.kind != gen.StoreConditional || in.whole != gen.OpUnknown {
		reads = 1 << (2 * i)
	}
	if in.kind.Writes() {
		writes = 2 << (2 * i)
	}
	return reads, writes
}

// done are the events of an operation that have performed.
func (s *slot) done(reads, writes events) events {
	switch {
	case s.state == performed:
		return reads | writes
	case s.split && s.in.pair:
		return reads
	}
	return 0
}

// precedence is what an operation has to follow.
type precedence struct {
	read, write events // that its read, that its write follows
	// same are earlier reads of its location, without a write of the core in
	// between, that its read may overtake if both return one write.
	same events
	// sources are reads that its address or what it writes is computed from.
	sources events
}

// order knows what the operations in a window have to follow. All its sets are of
// operations in the window.
type order struct {
	of [maxWeakWindow]precedence // by slot

	reads, writes             events // all
	beforeReads, beforeWrites events // that all later reads, all later writes follow
	releases                  events // that later acquires follow
	links                     events // linked loads and conditional stores
	branches, addresses       events // that a branch, that an address is computed from

	acquires, releasing, dependencies, atomics, fences bool // not ignored
	weakFences                                         bool
}

func newOrder(bugs []Bug) order {
	has := func(b Bug) bool { return slices.Contains(bugs, b) }
	return order{
		acquires: !has(AcquireIgnored), releasing: !has(ReleaseIgnored), dependencies: !has(DependencyIgnored),
		atomics: !has(AtomicOrderIgnored), fences: !has(FenceNoDrain), weakFences: has(FenceTooWeak),
	}
}

// The pairs that a fence orders, as in gen.PartialFence.
const (
	loadLoad gen.Value = 1 << iota
	loadStore
	storeLoad
	storeStore
	allPairs = loadLoad | loadStore | storeLoad | storeStore
)

// attr is what an operation is annotated with, as far as bugs do not ignore it.
func (o *order) attr(in *instruction) gen.Attr {
	a := in.attr
	if !o.acquires {
		a &^= gen.Acquire | gen.AcquirePC
	}
	if !o.releasing {
		a &^= gen.Release
	}
	if !o.atomics && in.isRMW() {
		a = 0
	}
	return a
}

// add takes in the operation at a position, the last of the window.
func (o *order) add(w *window, position uint64) {
	s, i := w.at(position), position&w.mask
	in := &s.in
	x := &o.of[i]
	*x = precedence{}
	source := o.source(w, position)
	if in.dep&gen.DepControl != 0 {
		o.branches |= source
	}
	if in.isFence() {
		o.fence(in)
		return
	}
	x.read, x.write = o.beforeReads, o.beforeWrites|o.branches|o.addresses
	if in.dep&gen.DepAddress != 0 {
		x.read, x.write, x.sources = x.read|source, x.write|source, source
		o.addresses |= source
	}
	if in.dep&gen.DepData != 0 {
		x.write, x.sources = x.write|source, x.sources|source
	}
	o.location(w, position)
	o.annotated(in, x, i)
	reads, writes := in.events(i)
	if in.kind == gen.LoadLinked || in.kind == gen.StoreConditional {
		x.read |= o.links
		x.write |= o.links
		o.links |= reads | writes
	}
	o.reads |= reads
	o.writes |= writes
}

// source is the read that an operation depends on, if it is in the window.
func (o *order) source(w *window, position uint64) events {
	in := &w.at(position).in
	if in.dep == 0 || !o.dependencies {
		return 0
	}
	for p := position; p != w.head; {
		p--
		if from := &w.at(p).in; from.number == in.number-uint32(in.back) {
			reads, _ := from.events(p & w.mask)
			return reads
		}
	}
	return 0
}

// fence has what follows wait as a fence says.
func (o *order) fence(in *instruction) {
	pairs := allPairs
	if in.kind == gen.PartialFence {
		pairs = gen.Value(in.value)
	}
	if o.weakFences {
		pairs &^= loadLoad | storeLoad
	}
	if !o.fences {
		return
	}
	if pairs&loadLoad != 0 {
		o.beforeReads |= o.reads
	}
	if pairs&loadStore != 0 {
		o.beforeWrites |= o.reads
	}
	if pairs&storeLoad != 0 {
		o.beforeReads |= o.writes
	}
	if pairs&storeStore != 0 {
		o.beforeWrites |= o.writes
	}
	if pairs == gen.InstructionBarrier {
		o.beforeReads |= o.branches | o.addresses
		o.beforeWrites |= o.branches | o.addresses
	}
}

// location orders an operation with earlier ones of its location. A write follows
// them all. A load follows atomic writes (RVWMO's rule 3), but of a pair only the
// read.
func (o *order) location(w *window, position uint64) {
	in, x := &w.at(position).in, &o.of[position&w.mask]
	written := false
	for p := position; p != w.head; {
		p--
		from := &w.at(p).in
		if from.loc != in.loc || from.isFence() {
			continue
		}
		reads, writes := from.events(p & w.mask)
		x.write |= reads | writes
		switch {
		case in.kind == gen.LoadLinked || from.kind == gen.StoreConditional:
			x.read |= writes
		case writes != 0 && from.pair:
			x.read |= reads
		case writes != 0 && reads != 0:
			x.read |= writes
		}
		if writes != 0 {
			written = true
		} else if !written {
			x.same |= reads
		}
	}
}

// annotated orders an operation that acquires or releases. Of a pair the read
// acquires and the write releases; the write of one that does both acquires, too
// (Arm ARM, B2.3).
func (o *order) annotated(in *instruction, x *precedence, i uint64) {
	attr := o.attr(in)
	acquiring, releasing := in.events(i)
	if !in.pair {
		acquiring |= releasing
		releasing = acquiring
	} else if attr&gen.Release != 0 {
		acquiring |= releasing
	}
	if attr&gen.Acquire != 0 {
		x.read |= o.releases
		if !in.pair {
			x.write |= o.releases
		}
	}
	if attr&gen.Release != 0 {
		x.write |= o.reads | o.writes
		if !in.pair {
			x.read |= o.reads | o.writes
		}
		o.releases |= releasing
	}
	if attr&(gen.Acquire|gen.AcquirePC) != 0 {
		o.beforeReads |= acquiring
		o.beforeWrites |= acquiring
	}
}

// remove forgets the operation in slot i, which leaves the window.
func (o *order) remove(i uint64) {
	gone := events(3) << (2 * i)
	for _, set := range []*events{&o.reads, &o.writes, &o.beforeReads, &o.beforeWrites, &o.releases, &o.links, &o.branches, &o.addresses} {
		*set &^= gone
	}
	for k := range o.of {
		x := &o.of[k]
		x.read, x.write, x.same, x.sources = x.read&^gone, x.write&^gone, x.same&^gone, x.sources&^gone
	}
}
