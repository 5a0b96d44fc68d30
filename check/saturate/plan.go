package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// planChains divides the operations into chains, each totally ordered by the
// model's program order, and drops the fences that order nothing the model
// does not order by itself. Chains are numbered by thread.
//
//   - SC: a chain a thread.
//   - TSO: the loads of a thread (with the fences that order stores before
//     loads), and its stores and RMWs.
func planChains(h *parse.History, m model.Model) chainPlan {
	p := chainPlan{chain: make([]int32, len(h.Ops))}
	for id := range p.chain {
		p.chain[id] = -1
	}
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		switch {
		case m.PPO == parse.FullFence:
			c := p.lazy(t)
			for id := lo; id < hi; id++ {
				if h.Ops[id].Kind != parse.Fence {
					p.chain[id] = c()
				}
			}
		default:
			loads, stores := p.lazy(t), p.lazy(t)
			for id := lo; id < hi; id++ {
				switch o := &h.Ops[id]; {
				case o.Writes():
					p.chain[id] = stores()
				case o.Kind == parse.Read || o.Mask&^m.PPO != 0:
					p.chain[id] = loads()
				}
			}
		}
	}
	return p
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
