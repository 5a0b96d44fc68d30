package search

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// greedy tries to order the nodes of a saturated graph. Forward checking is
// expensive and wrong decisions are rare, so it decides without. It learns from
// dead ends. Where that does not lead any further, it
// undoes the latest decision that led there and continues with forward checking
// for a window, which is longer if the next dead end is near. If forward checking
// without limit from the beginning meets a dead end, order is nil, which proves
// nothing, and stuck is the state. The graph is unchanged in any case. refusals
// counts decisions refused or undone.
func greedy(ctx context.Context, g *saturate.Graph) (order *witness.Order, stuck *placer, refusals int, err error) {
	p := newPlacer(g)
	return place(ctx, &window{p: p, checking: true, most: maxNogoods, size: firstWindow, retreat: firstWindow})
}

// place goes on until all nodes are placed or a dead end cannot be left.
func place(ctx context.Context, w *window) (order *witness.Order, stuck *placer, refusals int, err error) {
	p := w.p
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
		if w.advance() {
			continue
		}
		if p.choices.Len() == 0 {
			if !w.leaveDeadEnd() {
				p.endGuard()
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

// window is the part of the order for which forward checking is on. Positions
// are lengths of the order.
type window struct {
	p       *placer
	size    int // of windows
	end     int // of the latest
	chunk   int // end of the current part of it
	retreat int // how far to go back from a dead end under forward checking
	dead    int // the furthest dead end
	nogoods int // dead ends learned from since the last one that was further
	most    int // bound of these
	full    bool

	checking bool // whether windows may begin
}

// advance ends a window, or begins its next part. It reports whether it did.
func (w *window) advance() bool {
	p := w.p
	at := len(p.seq)
	if !p.guarding || w.full || at < w.chunk {
		return false
	}
	p.endGuard()
	if at < w.end && !w.begin() {
		return w.leaveDeadEnd()
	}
	return true
}

// ahead is how far forward checking looks: further if it had to go back further.
func (w *window) ahead() int { return 4 * (w.retreat + w.p.g.Chains()) }

func (w *window) begin() bool {
	p := w.p
	at := len(p.seq)
	if w.full {
		return p.beginGuard(0)
	}
	w.chunk = min(w.end, at+saturate.HeldNodes(p.g.Nodes()))
	return p.beginGuard(w.ahead())
}

// leaveDeadEnd undoes decisions, and learns from them or begins a window. It
// reports false if forward checking is not allowed, or was on from the beginning,
// without limit.
func (w *window) leaveDeadEnd() bool {
	p := w.p
	if w.full {
		return false
	}
	p.refusals++
	guarded := p.guarding
	at := len(p.seq)
	if at > w.dead {
		w.nogoods = 0
	}
	if p.exhausted() {
		return false
	}
	// Where nothing orders loads a wrong decision is seldom alone: what comes after it is
	// decided better the second time.
	sparing := w.nogoods < maxSpared && (p.g.Model().PPO&parse.LoadLoad != 0 || p.g.Model().Rules != nil)
	if w.nogoods++; !guarded && w.nogoods <= w.most && p.learn(sparing) {
		w.dead = max(w.dead, at)
		return true
	}
	if !w.checking {
		return false
	}
	to := 0
	if reasons := p.deadEnd(); len(reasons) > 0 {
		to = int(p.at[reasons[len(reasons)-1].write])
	}
	p.forget()
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
