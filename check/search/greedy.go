package search

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// greedy tries to order the nodes of a saturated graph, and learns from dead ends.
// Where that does not lead any further, order is nil, which proves nothing, and stuck
// is the state. The graph is unchanged in any case. refusals counts decisions undone.
func greedy(ctx context.Context, g *saturate.Graph) (order *witness.Order, stuck *placer, refusals int, err error) {
	return newPlacer(g).order(ctx, maxNogoods)
}

// order places nodes until all are or a dead end cannot be left: of those learned from
// without getting further there may be so many.
func (p *placer) order(ctx context.Context, most int) (order *witness.Order, stuck *placer, refusals int, err error) {
	for steps, dead, learned := 0, 0, 0; ; steps++ {
		if steps%64 == 0 && ctx.Err() != nil {
			return nil, p, p.refusals, context.Cause(ctx)
		}
		p.settle()
		if p.done() {
			return p.finished(), nil, p.refusals, nil
		}
		if p.choices.Len() == 0 {
			at := len(p.seq)
			if p.refusals++; at > dead {
				learned, dead = 0, at
			}
			// Where nothing orders loads a wrong decision is seldom alone: what comes after
			// it is decided better the second time.
			sparing := learned < maxSpared && (p.g.Model().PPO&parse.LoadLoad != 0 || p.g.Model().Rules != nil)
			if learned++; learned > most || p.exhausted() || !p.learn(sparing) {
				return nil, p, p.refusals, nil
			}
			continue
		}
		switch v := p.choices.Pop(); {
		case p.wait[v] > 0 || p.placed[v]:
		case !p.writable(v):
			x := p.g.Loc(v)
			p.blocked[x] = append(p.blocked[x], v)
		default:
			p.commit(v)
		}
	}
}
