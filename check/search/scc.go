package search

import "ordeal/check/saturate"

// components finds the strongly connected components that consequences lead
// to. The sweep met the nodes in an order that nearly all edges of the graph
// respect: nothing beyond the last source of a consequence is looked at, so
// that where the pairs are close together, the search stays there.
func (f *cycleFinder) components() {
	clear(f.index)
	clear(f.comp)
	f.visited = 0
	last := int32(0)
	for i := range f.force {
		last = max(last, f.g.SweepOrder(f.force[i].from))
	}
	count := int32(0)
	for i := range f.force {
		if r := f.force[i].to; f.index[r] == 0 {
			f.enter(r)
			for len(f.frames) > 0 {
				if t, ok := f.successor(); !ok {
					f.leave(&count)
				} else if f.index[t] == 0 && f.g.SweepOrder(t) <= last {
					f.enter(t)
				} else if f.comp[t] < 0 {
					v := f.frames[len(f.frames)-1].v
					f.low[v] = min(f.low[v], f.index[t])
				}
			}
		}
	}
}

// enter begins with a node.
func (f *cycleFinder) enter(v saturate.Node) {
	f.visited++
	f.index[v], f.low[v], f.comp[v] = int32(f.visited), int32(f.visited), -1
	f.open = append(f.open, v)
	f.frames = append(f.frames, frame{v, f.start[v], f.head[v]})
}

// successor is the next successor of the latest node, if there is one left.
func (f *cycleFinder) successor() (saturate.Node, bool) {
	at := &f.frames[len(f.frames)-1]
	if at.edge < f.start[at.v+1] {
		at.edge++
		return f.to[at.edge-1], true
	}
	if at.force >= 0 {
		t := f.force[at.force].to
		at.force = f.next[at.force]
		return t, true
	}
	return saturate.NoNode, false
}

// leave ends with the latest node. If no node entered before it can be reached
// from it, it makes a component with those that are open since.
func (f *cycleFinder) leave(count *int32) {
	v := f.frames[len(f.frames)-1].v
	f.frames = f.frames[:len(f.frames)-1]
	if len(f.frames) > 0 {
		up := f.frames[len(f.frames)-1].v
		f.low[up] = min(f.low[up], f.low[v])
	}
	if f.low[v] < f.index[v] {
		return
	}
	name := int32(0)
	if f.open[len(f.open)-1] != v {
		*count++
		name = *count
	}
	for {
		u := f.open[len(f.open)-1]
		f.open = f.open[:len(f.open)-1]
		f.comp[u] = name
		if u == v {
			return
		}
	}
}
