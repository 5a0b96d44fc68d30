package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// chainPlan says which chain each operation belongs to.
type chainPlan struct {
	chain  []int32 // operation → chain, -1 for no node
	thread []int32 // chain → thread
	// entries says which chains have a component in every clock row; nil means
	// that all have. The others are compared by location (see gates.go).
	entries map[int32]bool
	second  []secondPart
	// fenceNodes are, under a model with Rules, what second stands for.
	fenceNodes *fenceNodePlan
	time       *timeLine // nil for models without real time
}

// secondPart is a second node for a fence, or a fence node, in a chain of its own.
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
//   - PSO and RMO: see planRelaxed; models with Rules: see planRuled.
//   - Linearizability: those of SC and a time line, see planTime.
func planChains(h *parse.History, m model.Model) chainPlan {
	p := chainPlan{chain: make([]int32, len(h.Ops))}
	for id := range p.chain {
		p.chain[id] = -1
	}
	switch {
	case m.Rules != nil:
		p.planRuled(h, m)
	case m.PPO == parse.FullFence:
		p.planThreads(h)
	case m.PPO&parse.StoreStore != 0:
		p.planStoreBuffers(h, m)
	default:
		p.planRelaxed(h, m, touchedReads(h, m))
	}
	if m.RealTime && h.Times != nil {
		p.planTime(h)
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
