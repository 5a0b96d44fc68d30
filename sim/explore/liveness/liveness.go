// Package liveness finds requests that need never be answered: cycles of states
// in which a request stays under way although every step that must happen some
// time does (Emerson and Lei, Science of Computer Programming 8, 1987, section 4:
// fair components).
package liveness

import (
	"context"
	"slices"

	"ordeal/gen/option"
	"ordeal/sim/explore/search"
)

// Fairness says which steps must happen some time. Steps of class 0 never need
// to.
type Fairness uint8

// The kinds of fairness.
const (
	UnknownFairness Fairness = iota
	Weak                     // a class that is possible for ever
	Strong                   // a class that is possible again and again
)

var fairnessNames = option.Names[Fairness]{"unknown", "weak", "strong"}

// String is the name of the kind.
func (f Fairness) String() string { return fairnessNames.Of(f) }

// ParseFairness reads the name of a kind.
func ParseFairness(name string) (Fairness, error) { return fairnessNames.Parse("fairness", name) }

// Lasso is a path that never answers a request.
type Lasso struct {
	Request int      // the bit of Graph.Waiting
	Start   uint64   // a state with the request
	Cycle   []uint64 // the states behind it, up to Start again; none: nothing need happen in Start
	States  int      // of the component that the cycle lies in
}

// Find finds for each request that may wait for ever the component with the
// earliest state, in the order of the requests. Its error is that of the context.
func Find(ctx context.Context, g *search.Graph, fairness Fairness) ([]Lasso, error) {
	var all uint64
	for _, w := range g.Waiting {
		all |= w
	}
	var lassos []Lasso
	a := analysis{graph: g, fairness: fairness, alive: make([]bool, len(g.Waiting))}
	for request := range 64 {
		if all>>request&1 == 0 {
			continue
		}
		a.best = nil
		var states []uint32
		for n, w := range g.Waiting {
			if w>>request&1 != 0 {
				states = append(states, uint32(n))
			}
		}
		if err := a.search(ctx, states); err != nil {
			return nil, err
		}
		if a.best != nil {
			lassos = append(lassos, Lasso{request, uint64(a.best[0]), a.cycle(a.best), len(a.best)})
		}
	}
	return lassos, nil
}

type analysis struct {
	graph    *search.Graph
	fairness Fairness
	alive    []bool   // the states of the subgraph that is searched
	best     []uint32 // the fair component with the earliest state, ascending

	index, low []uint32 // of Tarjan's algorithm, from 1; 0: not yet
	done       []bool
}

// search finds the fair components among some states.
func (a *analysis) search(ctx context.Context, states []uint32) error {
	for work := [][]uint32{states}; len(work) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		states := work[len(work)-1]
		work = work[:len(work)-1]
		if a.best != nil && slices.Min(states) > a.best[0] {
			continue
		}
		a.components(states, func(component []uint32) {
			slices.Sort(component)
			if a.best != nil && component[0] > a.best[0] {
				return
			}
			rest, fair := a.fair(component)
			switch {
			case fair:
				a.best = slices.Clone(component)
			case len(rest) > 0:
				work = append(work, rest)
			}
		})
	}
	return nil
}

// fair reports whether a path may stay in a component for ever. If not, rest
// has the states that such a path may be within.
func (a *analysis) fair(component []uint32) (rest []uint32, fair bool) {
	taken, everywhere, somewhere := map[uint16]bool{}, map[uint16]int{}, map[uint16]bool{}
	var own []uint16
	for _, s := range component {
		own = own[:0]
		for e := a.graph.Starts[s]; e < a.graph.Starts[s+1]; e++ {
			class := a.graph.Classes[e]
			if _, in := slices.BinarySearch(component, a.graph.Targets[e]); in {
				taken[class] = true
			}
			if class != 0 && !slices.Contains(own, class) {
				own = append(own, class)
				everywhere[class]++
				somewhere[class] = true
			}
		}
	}
	if len(taken) == 0 { // a single state: nothing happens there for ever
		return nil, len(somewhere) == 0
	}
	owed := func(class uint16) bool {
		return !taken[class] && (a.fairness == Strong || everywhere[class] == len(component))
	}
	fair = true
	for class := range somewhere {
		fair = fair && !owed(class)
	}
	if fair || a.fairness == Weak {
		return nil, fair
	}
	for _, s := range component {
		possible := false
		for e := a.graph.Starts[s]; e < a.graph.Starts[s+1]; e++ {
			class := a.graph.Classes[e]
			possible = possible || class != 0 && owed(class)
		}
		if !possible {
			rest = append(rest, s)
		}
	}
	return rest, false
}

// components finds the strongly connected components of the graph of some
// states (Tarjan, SIAM J. Comput. 1(2), 1972), without recursion.
func (a *analysis) components(states []uint32, found func([]uint32)) {
	n := len(a.graph.Waiting)
	if a.index == nil {
		a.index, a.low, a.done = make([]uint32, n), make([]uint32, n), make([]bool, n)
	}
	for _, s := range states {
		a.alive[s], a.index[s], a.done[s] = true, 0, false
	}
	type frame struct {
		state uint32
		edge  uint64
	}
	var stack []uint32
	var calls []frame
	next := uint32(0)
	enter := func(s uint32) {
		next++
		a.index[s], a.low[s] = next, next
		stack = append(stack, s)
		calls = append(calls, frame{s, a.graph.Starts[s]})
	}
	for _, root := range states {
		if a.index[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			top := &calls[len(calls)-1]
			s := top.state
			if top.edge < a.graph.Starts[s+1] {
				t := a.graph.Targets[top.edge]
				top.edge++
				switch {
				case !a.alive[t] || a.done[t]:
				case a.index[t] == 0:
					enter(t)
				default:
					a.low[s] = min(a.low[s], a.index[t])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				above := calls[len(calls)-1].state
				a.low[above] = min(a.low[above], a.low[s])
			}
			if a.low[s] == a.index[s] {
				at := len(stack) - 1
				for stack[at] != s {
					at--
				}
				for _, t := range stack[at:] {
					a.done[t] = true
				}
				found(stack[at:])
				stack = stack[:at]
			}
		}
	}
	for _, s := range states {
		a.alive[s] = false
	}
}

// cycle is a walk in a fair component, from its first state back to it, on
// which every class of fairness is taken, or not possible in some state.
func (a *analysis) cycle(component []uint32) []uint64 {
	g := a.graph
	in := func(s uint32) bool { _, ok := slices.BinarySearch(component, s); return ok }
	open := map[uint16]bool{}
	for _, s := range component {
		for e := g.Starts[s]; e < g.Starts[s+1]; e++ {
			open[g.Classes[e]] = true
		}
	}
	delete(open, 0)
	possible := func(s uint32, class uint16) bool {
		return slices.Contains(g.Classes[g.Starts[s]:g.Starts[s+1]], class)
	}
	// visit closes the classes that a state does not have; those are what makes
	// weak fairness weak.
	visit := func(s uint32) {
		for class := range open {
			if a.fairness == Weak && !possible(s, class) {
				delete(open, class)
			}
		}
	}
	start := component[0]
	at := start
	visit(at)
	var walk []uint64
	for {
		// The nearest edge that closes a class, or at last one to the start.
		type origin struct {
			state uint32
			class uint16
		}
		from := map[uint32]origin{at: {}}
		var end, last uint32
		var class uint16
		found := false
		for queue := []uint32{at}; len(queue) > 0 && !found; queue = queue[1:] {
			s := queue[0]
			for e := g.Starts[s]; e < g.Starts[s+1] && !found; e++ {
				t := g.Targets[e]
				if !in(t) {
					continue
				}
				useful := open[g.Classes[e]] || len(open) == 0 && t == start
				if a.fairness == Weak {
					for c := range open {
						useful = useful || !possible(t, c)
					}
				}
				if useful {
					last, end, class, found = s, t, g.Classes[e], true
				} else if _, seen := from[t]; !seen {
					from[t] = origin{s, g.Classes[e]}
					queue = append(queue, t)
				}
			}
		}
		if !found {
			return walk // a component without steps
		}
		part := []uint64{uint64(end)}
		delete(open, class)
		for s := last; s != at; s = from[s].state {
			part = append(part, uint64(s))
			delete(open, from[s].class)
		}
		slices.Reverse(part)
		for _, s := range part {
			visit(uint32(s))
		}
		walk = append(walk, part...)
		closed := len(open) == 0
		at = end
		if closed && at == start {
			return walk
		}
	}
}
