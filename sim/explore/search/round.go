package search

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/visited"
)

const (
	roundStates = 1 << 16 // states of a round, of a set of up to roundShare times as many
	roundMax    = 1 << 19
	roundShare  = 1 << 8
	roundSteps  = 8                // steps of a state, for the memory of a round
	roundMemory = 16               // the inverse of the share of the memory that a round may have
	blockStates = 1 << 8           // states that a worker takes at a time
	groups      = visited.Segments // for the look-up of successors
)

type worker struct {
	machine   machine.Machine
	expansion machine.Expansion
}

// block is a part of a round with its results: the successors in the order of
// their parents and steps.
type block struct {
	first, states int // in the round
	prints        []machine.Fingerprint
	rows          []uint32
	parents       []uint16 // in the block
	ordinals      []uint16
	classes       []uint16
	fresh         []bool
	order         []uint32 // of the successors by group
	starts        [groups + 1]uint32

	waiting  []uint64 // by parent; with a graph
	faults   []blockFault
	outcomes []blockOutcome
	orbits   uint64
	steps    uint64
	digest   uint64
	// with a graph: the number of each successor, once it is known
	targets []uint64
}

type blockFault struct {
	machine.Fault
	parent int
}

type blockOutcome struct {
	bytes  []byte
	parent int
}

// bytes is the memory of a block, faults and outcomes left out.
func (b *block) bytes() int64 {
	return int64(16*cap(b.prints) + 4*cap(b.rows) + 2*(cap(b.parents)+cap(b.ordinals)+cap(b.classes)) + cap(b.fresh) +
		4*cap(b.order) + 8*(cap(b.waiting)+cap(b.targets)))
}

// group is a part of the successors of a round: those in a segment.
type group struct {
	successors []successor
	fresh      []machine.Fingerprint
	numbers    []uint64
	sources    []successor // of fresh
}

type successor struct {
	print machine.Fingerprint
	block uint32
	index uint32
}

func (a successor) compare(b successor) int {
	if c := a.print.Compare(b.print); c != 0 {
		return c
	}
	if a.block != b.block {
		return int(a.block) - int(b.block)
	}
	return int(a.index) - int(b.index)
}

// round expands the next states of the level. It reports false if the context
// ended before: the search is then as it was.
func (s *Search) round(ctx context.Context) (bool, error) {
	width := s.machine.Width()
	n := min(s.roundSize(), int(s.levelEnd-s.expanded))
	s.rows = slices.Grow(s.rows[:0], n*width)[:n*width]
	if err := s.queue.peek(s.rows); err != nil {
		return false, err
	}
	blocks := (n + blockStates - 1) / blockStates
	for len(s.blocks) < blocks {
		s.blocks = append(s.blocks, new(block))
	}
	round := s.blocks[:blocks]
	s.parallel(blocks, func(w *worker, i int) {
		if ctx.Err() == nil {
			round[i].first, round[i].states = i*blockStates, min(blockStates, n-i*blockStates)
			s.expand(ctx, w, round[i])
		}
	})
	if ctx.Err() != nil {
		return false, nil
	}
	s.parallel(groups, func(_ *worker, g int) { s.lookUp(round, g) })
	if err := s.number(round); err != nil {
		return false, err
	}
	s.parallel(groups, func(_ *worker, g int) { s.insert(round, g) })
	if s.graph != nil {
		s.graph.add(round)
	}
	s.queue.drop(n)
	s.expanded += uint64(n)
	if s.expanded == s.levelEnd {
		s.levels = append(s.levels, s.levelEnd-s.levelStart())
		s.levelEnd = s.visited()
	}
	return true, nil
}

// roundSize is how many states a round has. An insertion into the set moves most of it, which
// many states of a round share.
func (s *Search) roundSize() int {
	if s.options.round > 0 {
		return s.options.round
	}
	n := min(max(s.visited()/roundShare, roundStates), roundMax)
	if o := &s.options; o.Memory > 0 {
		each := roundSteps * int64(unsafe.Sizeof(successor{})+2*unsafe.Sizeof(machine.Fingerprint{})+4*uintptr(s.machine.Width()))
		n = min(n, max(uint64(o.Memory/roundMemory/each), blockStates))
	}
	return int(n)
}

// parallel has the workers do tasks 0 to n-1. One worker does them in the caller's
// goroutine, which can recover from a panic.
func (s *Search) parallel(n int, do func(w *worker, task int)) {
	if len(s.workers) == 1 {
		for i := range n {
			do(s.workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	var panicked atomic.Pointer[string]
	for _, w := range s.workers[:min(n, len(s.workers))] {
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() {
				if p := recover(); p != nil {
					text := fmt.Sprintf("%v\n%s", p, debug.Stack())
					panicked.CompareAndSwap(nil, &text)
				}
			}()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(w, i)
			}
		}()
	}
	wait.Wait()
	if text := panicked.Load(); text != nil {
		panic(*text) // where the caller can recover it
	}
}

// expand computes the successors of a block, which are incomplete once the context has ended.
func (s *Search) expand(ctx context.Context, w *worker, b *block) {
	b.prints, b.rows, b.parents = b.prints[:0], b.rows[:0], b.parents[:0]
	b.ordinals, b.classes, b.waiting = b.ordinals[:0], b.classes[:0], b.waiting[:0]
	b.faults, b.outcomes, b.orbits, b.steps = b.faults[:0], b.outcomes[:0], 0, 0
	b.digest = 0
	width, e := w.machine.Width(), &w.expansion
	for i := 0; i < b.states && ctx.Err() == nil; i++ {
		state := machine.State(s.rows[(b.first+i)*width:][:width])
		w.machine.Expand(state, e)
		for _, f := range e.Prints {
			b.digest += digestOf(e.Print, f)
			b.prints = append(b.prints, s.set.Truncate(f))
			b.parents = append(b.parents, uint16(i))
		}
		b.rows = append(b.rows, e.States...)
		b.ordinals = append(b.ordinals, e.Ordinals...)
		if s.graph != nil {
			b.classes = append(b.classes, e.Classes...)
			b.waiting = append(b.waiting, e.Waiting)
		}
		for _, f := range e.Faults {
			b.faults = append(b.faults, blockFault{f, i})
		}
		if e.Done {
			b.outcomes = append(b.outcomes, blockOutcome{w.machine.Outcome(state), i})
		}
		b.orbits += uint64(e.Orbit)
		b.steps += uint64(e.Steps)
	}
	b.fresh = slices.Grow(b.fresh[:0], len(b.prints))[:len(b.prints)]
	clear(b.fresh)
	if s.graph != nil {
		b.targets = slices.Grow(b.targets[:0], len(b.prints))[:len(b.prints)]
	}
	b.sort()
}

// digestOf hashes a step from one orbit to another (the finalizer of splitmix64).
func digestOf(from, to machine.Fingerprint) uint64 {
	h := from.Hi ^ to.Lo*0x9e3779b97f4a7c15
	h = (h ^ h>>30 ^ from.Lo) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27 ^ to.Hi) * 0x94d049bb133111eb
	return h ^ h>>31
}

// sort puts the successors in order by group, otherwise as they are.
func (b *block) sort() {
	clear(b.starts[:])
	for _, f := range b.prints {
		b.starts[visited.Segment(f)+1]++
	}
	for g := range groups {
		b.starts[g+1] += b.starts[g]
	}
	at := b.starts
	b.order = slices.Grow(b.order[:0], len(b.prints))[:len(b.prints)]
	for i, f := range b.prints {
		g := visited.Segment(f)
		b.order[at[g]] = uint32(i)
		at[g]++
	}
}

// lookUp finds out which successors of a group are new: of those that are the
// same the first.
func (s *Search) lookUp(round []*block, number int) {
	g := &s.groups[number]
	g.successors, g.fresh, g.sources = g.successors[:0], g.fresh[:0], g.sources[:0]
	for i, b := range round {
		for _, k := range b.order[b.starts[number]:b.starts[number+1]] {
			g.successors = append(g.successors, successor{b.prints[k], uint32(i), k})
		}
	}
	slices.SortFunc(g.successors, successor.compare)
	for i, next := range g.successors {
		if i > 0 && next.print == g.successors[i-1].print {
			continue
		}
		n, ok := s.set.Find(next.print)
		b := round[next.block]
		if !ok {
			b.fresh[next.index] = true
			g.fresh = append(g.fresh, next.print)
			g.sources = append(g.sources, next)
		} else if s.graph != nil {
			b.targets[next.index] = n
		}
	}
}

// number gives the new states their numbers, and takes in the results of the
// blocks in order.
func (s *Search) number(round []*block) error {
	width := s.machine.Width()
	next := s.visited()
	for _, b := range round {
		for i, fresh := range b.fresh {
			if !fresh {
				continue
			}
			if s.graph != nil {
				b.targets[i] = next
			}
			next++
			s.paths.add(s.expanded+uint64(b.first)+uint64(b.parents[i]), b.ordinals[i])
			if err := s.queue.push(b.rows[i*width : (i+1)*width]); err != nil {
				return err
			}
		}
		for _, f := range b.faults {
			s.find(f.Fault, s.expanded+uint64(b.first+f.parent))
		}
		for _, o := range b.outcomes {
			outcome := Outcome{o.bytes, s.expanded + uint64(b.first+o.parent)}
			if !s.known[outcome.key()] {
				s.known[outcome.key()] = true
				s.outcomes = append(s.outcomes, outcome)
			}
		}
		s.states += b.orbits
		s.steps += b.steps
		s.digest += b.digest
	}
	return nil
}

// find takes in a fault: the first of each title.
func (s *Search) find(f machine.Fault, state uint64) {
	finding := Finding{f, state, s.depth()}
	if slices.Contains(s.options.Ignore, f.Property) || s.known[finding.key()] || len(s.findings) > 0 && !s.options.KeepGoing {
		return
	}
	s.known[finding.key()] = true
	if f.Step >= 0 {
		finding.Depth++
	}
	s.findings = append(s.findings, finding)
}

// insert puts the new states of a group into the set.
func (s *Search) insert(round []*block, number int) {
	g := &s.groups[number]
	if s.graph != nil {
		g.numbers = g.numbers[:0]
		for _, source := range g.sources {
			g.numbers = append(g.numbers, round[source.block].targets[source.index])
		}
		for i := 1; i < len(g.successors); i++ {
			if before, same := g.successors[i-1], g.successors[i]; before.print == same.print {
				round[same.block].targets[same.index] = round[before.block].targets[before.index]
			}
		}
	}
	s.set.Insert(g.fresh, g.numbers)
}
