package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// chainPlan says which chain each operation belongs to.
type chainPlan struct {
	chain  []int32 // operation → chain, -1 for no node
	thread []int32 // chain → thread
	second []secondPart
}

// secondPart is a second node for a fence, in a chain of its own.
type secondPart struct {
	op    parse.OpID
	chain int32
}

// planChains divides the operations into chains, each totally ordered by the
// model's program order, and drops the fences that order nothing the model
// does not order by itself. Chains are numbered by thread.
//
//   - SC: a chain a thread.
//   - TSO: the loads of a thread (with the fences that order stores before
//     loads), and its stores and RMWs.
//   - PSO and RMO: see planRelaxed.
func planChains(h *parse.History, m model.Model) chainPlan {
	p := chainPlan{chain: make([]int32, len(h.Ops))}
	for id := range p.chain {
		p.chain[id] = -1
	}
	switch {
	case m.PPO == parse.FullFence:
		p.planThreads(h)
	case m.PPO&parse.StoreStore != 0:
		p.planStoreBuffers(h, m)
	default:
		p.planRelaxed(h, m)
	}
	return p
}

func (p *chainPlan) planThreads(h *parse.History) {
	for t := range h.Threads() {
		all := p.lazy(t)
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if h.Ops[id].Kind != parse.Fence {
				p.chain[id] = all()
			}
		}
	}
}

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

// lazy returns a function that yields one new chain of thread t, made when it
// is first asked for, so that no chain is empty.
func (p *chainPlan) lazy(t int) func() int32 {
	c := int32(-1)
	return func() int32 {
		if c < 0 {
			c = int32(len(p.thread))
			p.thread = append(p.thread, int32(t))
		}
		return c
	}
}
