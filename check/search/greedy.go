package search

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// firstWindow is for how many placements guarding stays on after a dead end.
const firstWindow = 64

// greedy tries to order the nodes of a saturated graph. Wrong decisions are
// rare and guarding is dear, so it decides without until it comes to a dead
// end, takes back the latest decision that led there, and goes on from there
// with guarding for a while; the longer, the sooner the next dead end comes.
// When a dead end comes although guarding was on from the beginning, order is
// nil and stuck shows the state; that proves nothing. The graph is as before
// in any case. refusals counts decisions refused or taken back.
func greedy(ctx context.Context, g *saturate.Graph) (order *witness.Order, stuck *placer, refusals int, err error) {
	p := newPlacer(g)
	w := window{size: firstWindow}
	for steps := 0; ; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			p.endGuard()
			return nil, p, p.refusals, context.Cause(ctx)
		}
		p.settle()
		if p.done() {
			p.endGuard()
			return p.order(), nil, p.refusals, nil
		}
		if p.guarding && len(p.seq) >= w.end {
			p.endGuard()
			continue
		}
		v, ok := p.choices.pop()
		switch {
		case !ok:
			if !w.back(p) {
				p.endGuard()
				return nil, p, p.refusals, nil
			}
		case p.wait[v] > 0 || p.placed[v]:
		case !p.mayWrite(v):
			x := g.Loc(v)
			p.blocked[x] = append(p.blocked[x], v)
		default:
			p.commit(v)
		}
	}
}

// window says for how long guarding stays on. Positions are lengths of the
// order.
type window struct {
	size       int
	start, end int // of the latest window
	dead       int // the furthest dead end so far
}

// back leaves a dead end. It reports false if guarding was on from the
// beginning.
func (w *window) back(p *placer) bool {
	p.refusals++
	guarded := p.guarding
	at := len(p.seq)
	to := p.culprit()
	if at > w.dead+8*w.size {
		w.size = firstWindow
	} else {
		w.size *= 2
	}
	w.dead = max(w.dead, at)
	for {
		if guarded {
			if w.start == 0 {
				return false
			}
			to = min(to, w.start-w.size)
			w.size *= 2
		}
		w.start = max(to, 0)
		w.end = w.start + w.size
		p.endGuard()
		p.backTo(w.start)
		if p.beginGuard() {
			return true
		}
		guarded = true
	}
}
