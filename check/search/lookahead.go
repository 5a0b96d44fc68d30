package search

import (
	"cmp"
	"slices"

	"ordeal/check/saturate"
)

// A dead end is met long after the decision that led there, when nothing else is
// left to place. Looking ahead finds most of them at the decision: if w becomes the
// value of its location, the other writes to it wait for the readers of w. If one
// of these readers waits, over any number of nodes not placed, for one of these
// writes, that write must come first. A node waits for its predecessors, a write
// also for the pending readers of its location's current value and for what
// nogoods defer it behind; so a write that is refused is one more reason
// for the next decisions, which closes the graph like rules A and B do, without
// clock rows.

// lookahead is the scratch of searches, which go backwards and visit of each chain
// a range from its head.
type lookahead struct {
	credit  int             // what searches may cost, in placements
	search  int32           // the number of the latest search
	visited []int32         // chain → the search that visited it last
	end     []saturate.Node // chain → the last node that it visited
	// idle holds, for a place, how many before it in its chain wait for no other
	// chain and do not write, like itself, and the epoch in which that held. A
	// placement that is taken back ends an epoch.
	idle     []uint32
	epoch    uint32
	expanded []int32 // location → the search that followed the readers of its value last
	found    []step  // ranges, in the order in which they were found
}

// step says that the nodes of a chain from its head to last come before those
// of an earlier step.
type step struct {
	last   saturate.Node
	before int32         // index of that step, -1 for none
	write  saturate.Node // it is in that step and waits for readers of a current value; or NoNode
	nogood int32         // which says that; or -1
}

const (
	// runBits are those of a number in lookahead.idle.
	runBits    = 12
	longestRun = 1<<runBits - 1
)

// foresee reports whether the decision v would lead to a dead end, and defers it
// then.
func (p *placer) foresee(v saturate.Node) bool {
	if p.look.credit <= 0 {
		return false
	}
	u, because := p.precedes(v)
	if u == saturate.NoNode {
		return false
	}
	p.add(nogood{decision: v, until: u, reasons: because})
	return p.deferred(v)
}

// precedes is a write that must be placed before w, a decision, because otherwise it
// never could, and what that rests on. It is NoNode if it finds none.
func (p *placer) precedes(w saturate.Node) (u saturate.Node, because []reason) {
	g, l := p.g, &p.look
	if l.visited == nil {
		l.visited, l.end = make([]int32, len(p.heads)), make([]saturate.Node, len(p.heads))
		l.expanded = make([]int32, len(p.current))
		l.idle = make([]uint32, g.Nodes())
		l.newEpoch()
	}
	l.search++
	l.expanded[g.Loc(w)] = l.search
	l.found = l.found[:0]
	p.followReaders(int32(w), step{before: -1, write: saturate.NoNode, nogood: -1})
	visited := 0
	defer func() { l.credit -= visited / visitsOfPlacement }()
	for i := int32(0); int(i) < len(l.found) && visited < maxLookahead; i++ {
		v := l.found[i].last
		if p.found(v) {
			continue
		}
		c := g.Chain(v)
		head, low := p.heads[c], p.heads[c]-1
		if l.visited[c] == l.search {
			low = max(low, l.end[c])
		}
		l.visited[c], l.end[c] = l.search, v
		for at, first, run := int32(-1), int32(0), int32(0); ; v = g.Nth(at) {
			if v <= low {
				break
			}
			visited++
			open, idle := p.wait[v], false
			if v != head {
				open-- // the one before it in its chain
			}
			switch {
			case g.IsWrite(v):
				if g.Loc(v) == g.Loc(w) && v != w && g.Writer(v) != int32(w) {
					return v, p.because(i)
				}
				p.followWrite(v, i)
			case open == 0:
				idle = true
			}
			if open > 0 {
				p.followSources(v, i, open)
			}
			if v == head {
				break
			}
			if at < 0 {
				at, first = g.Place(v), g.Place(head)
				run = at
			}
			if idle {
				at = l.skip(at, run)
			} else {
				run = at - 1
			}
			if at--; at < first {
				break
			}
		}
	}
	return saturate.NoNode, nil
}

// skip notes that the nodes from a place of a chain to run are idle, and returns the
// first place of those before them that are known to be.
func (l *lookahead) skip(at, run int32) int32 {
	if known := l.idle[at]; known>>runBits == l.epoch {
		at -= int32(known & longestRun)
	}
	l.idle[run] = l.epoch<<runBits | uint32(min(run-at, longestRun))
	return at
}

// newEpoch forgets which nodes are idle.
func (l *lookahead) newEpoch() {
	if l.epoch++; l.epoch == 1<<(32-runBits) {
		clear(l.idle)
		l.epoch = 1
	}
}

// followSources finds the open predecessors of a node of step i in other chains. They are
// moved to the front of its list, which the next search then reads no further:
// a fence has dozens, most of them placed.
func (p *placer) followSources(v saturate.Node, i, open int32) {
	sources, front := p.g.Sources(v), 0
	for k := 0; open > 0; k++ {
		u := sources[k]
		if p.placed[u] {
			continue
		}
		sources[k], sources[front] = sources[front], u
		front++
		open--
		if !p.found(u) {
			p.look.found = append(p.look.found, step{u, i, saturate.NoNode, -1})
		}
	}
}

// found reports whether the present search has visited a node.
func (p *placer) found(v saturate.Node) bool {
	c := p.g.Chain(v)
	return p.look.visited[c] == p.look.search && v <= p.look.end[c]
}

// followWrite finds what a write in step i waits for besides its predecessors.
func (p *placer) followWrite(v saturate.Node, i int32) {
	l := &p.look
	for j := p.about[v]; j >= 0; j = p.all[j].next {
		if q := &p.all[j]; !p.placed[q.until] {
			l.found = append(l.found, step{q.until, i, saturate.NoNode, j})
		}
	}
	if x := p.g.Loc(v); l.expanded[x] != l.search {
		l.expanded[x] = l.search
		p.followReaders(p.current[x], step{before: i, write: v, nogood: -1})
	}
}

// followReaders finds the pending readers of a writer.
func (p *placer) followReaders(writer int32, s step) {
	if p.pending[writer] == 0 {
		return
	}
	for _, r := range p.g.LastReaders(writer) {
		if !p.placed[r] && r != s.write {
			s.last = r
			p.look.found = append(p.look.found, s)
		}
	}
}

// because lists the decisions due to which what step i found comes first.
func (p *placer) because(i int32) (reasons []reason) {
	for i >= 0 {
		s := &p.look.found[i]
		if s.nogood >= 0 {
			reasons = append(reasons, p.all[s.nogood].reasons...)
		}
		if s.write != saturate.NoNode {
			reasons = p.appendReason(reasons, s.write)
		}
		i = s.before
	}
	return p.inOrder(reasons)
}

// appendReason appends why v comes after the readers of its location's current
// value: those of the initial value come before every write.
func (p *placer) appendReason(reasons []reason, v saturate.Node) []reason {
	if w := p.current[p.g.Loc(v)]; int(w) < p.g.Nodes() {
		reasons = append(reasons, reason{saturate.Node(w), v})
	}
	return reasons
}

// inOrder sorts reasons by the places of their writes, each once.
func (p *placer) inOrder(reasons []reason) []reason {
	slices.SortFunc(reasons, func(a, b reason) int {
		return cmp.Or(int(p.at[a.write]-p.at[b.write]), int(a.before-b.before))
	})
	return slices.Compact(reasons)
}
