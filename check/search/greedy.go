package search

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// firstWindow is the size in placements of a window after a dead end.
const firstWindow = 64

// greedy tries to order the nodes of a saturated graph. Where wrong decisions
// are rare it is dear to guard against them, so it decides without until it
// comes to a dead end, takes back the latest decision that led there, and goes
// on with guarding for a while; the longer, the sooner the next dead end
// comes. If a dead end comes although guarding was on from the beginning and
// looked ahead without limit, order is nil and stuck shows the state; that
// proves nothing. The graph is as before in any case. refusals counts
// decisions refused or taken back.
func greedy(ctx context.Context, g *saturate.Graph) (order *witness.Order, stuck *placer, refusals int, err error) {
	p := newPlacer(g)
	w := window{p: p, size: firstWindow, retreat: firstWindow}
	for steps := 0; ; steps++ {
		if steps%64 == 0 && ctx.Err() != nil {
			p.endGuard()
			return nil, p, p.refusals, context.Cause(ctx)
		}
		p.settle()
		if p.done() {
			p.endGuard()
			return p.order(), nil, p.refusals, nil
		}
		if w.move() {
			continue
		}
		if p.choices.Len() == 0 {
			if !w.back() {
				p.endGuard()
				return nil, p, p.refusals, nil
			}
			continue
		}
		switch v := p.choices.Pop(); {
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
	p       *placer
	size    int // of windows
	end     int // of the latest
	chunk   int // end of the present part of it
	retreat int // how far to go back from a dead end in spite of guarding
	dead    int // the furthest dead end
	full    bool
}

// move ends a window, or begins its next part. It reports whether it did.
func (w *window) move() bool {
	p := w.p
	at := len(p.seq)
	if !p.guarding || w.full || at < w.chunk {
		return false
	}
	p.endGuard()
	if at < w.end && !w.begin() {
		return w.back()
	}
	return true
}

// ahead is how far guarding looks: the further, the further back it had to go.
func (w *window) ahead() int { return 4 * (w.retreat + w.p.g.Chains()) }

// begin begins a part of a window where the order ends now.
func (w *window) begin() bool {
	p := w.p
	at := len(p.seq)
	if w.full {
		return p.beginGuard(0)
	}
	w.chunk = min(w.end, at+saturate.HeldNodes(p.g.Nodes()))
	return p.beginGuard(w.ahead())
}

// back leaves a dead end. It reports false if guarding was on from the
// beginning, without limit.
func (w *window) back() bool {
	p := w.p
	if w.full {
		return false
	}
	p.refusals++
	guarded := p.guarding
	at := len(p.seq)
	to := p.culprit()
	if at > w.dead+8*w.size {
		w.size = firstWindow
	} else {
		w.size *= 2
	}
	if at > w.dead {
		w.retreat = firstWindow
	}
	w.dead = max(w.dead, at)
	w.end = at + w.size
	for {
		if guarded {
			w.retreat *= 2
			to = min(to, at-w.retreat)
		}
		w.full = guarded && to <= 0 && w.ahead() >= p.g.Nodes()
		p.endGuard()
		p.backTo(max(to, 0))
		if w.begin() {
			return true
		}
		if w.full {
			return false
		}
		guarded = true
	}
}
