package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// planStoreBuffers plans the chains of TSO: see planChains.
func (p *chainPlan) planStoreBuffers(h *parse.History, m model.Model) {
	for t := range h.Threads() {
		loads, stores := p.lazy(t), p.lazy(t)
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			switch o := &h.Ops[id]; {
			case o.Writes():
				p.chain[id] = stores()
			case o.Kind == parse.Read || o.Mask&^m.PPO != 0:
				p.chain[id] = loads()
			}
		}
	}
}

// storeBuffer emits the program order of TSO between a thread's loads and
// stores: from the last load to each store, from an RMW to the next load, and
// from the last store to each fence.
func (e *emitter) storeBuffer(lo, hi parse.OpID) {
	g := e.g
	load, store, rmw := NoNode, NoNode, NoNode // not yet connected
	for id := lo; id < hi; id++ {
		v := g.node[id]
		switch {
		case v == NoNode:
		case g.IsWrite(v):
			if load != NoNode {
				e.emit(load, v, tagProgram)
				load = NoNode
			}
			store = v
			if g.IsRead(v) {
				rmw = v
			}
		case g.IsFence(v):
			if store != NoNode {
				e.emit(store, v, tagProgram)
				store, rmw = NoNode, NoNode
			}
			load = v
		default:
			if rmw != NoNode {
				e.emit(rmw, v, tagProgram)
				rmw = NoNode
			}
			load = v
		}
	}
}
