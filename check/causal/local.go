package causal

import (
	"context"
	"slices"

	"ordeal/check/witness"
	"ordeal/parse"
)

// local adds, for every thread t, the edges U → rf(R) of hb_o (CAV 2019,
// Sect. 3.1) with o the last operation of t: those that follow from U before
// a read R of t. hb_o grows along a thread, so that its last operation stands
// for all. (Under TSO's ppo it is the last load: what hb_o infers ends in a
// load, and all loads of a thread precede its last one.) The rows must be
// those of the frame's own edges, and are the same again afterwards.
//
// It returns the refutation of hb_o's acyclicity or nil, and then, if wanted,
// a serialization of the thread's causal past.
func (g *graph) local(ctx context.Context, t int, serialize bool) ([]parse.OpID, *witness.Refutation, error) {
	l := &localRun{graph: g, t: int32(t), base: int32(len(g.edges))}
	last := parse.NoOp
	for id := g.h.Start[t]; id < g.h.Start[t+1]; id++ {
		if g.h.Ops[id].Reads() {
			l.push(id)
			last = id
		}
	}
	if last != parse.NoOp {
		l.past = append(l.past, g.row(last)...)
	}
	defer l.restore()
	for i := 0; i < len(l.reads); i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		r := l.reads[i]
		delete(l.queued, r)
		if ref := l.infer(r); ref != nil {
			return nil, ref, nil
		}
	}
	if serialize {
		return l.serialize(ctx, last)
	}
	return nil, nil, nil
}

// serialize orders the thread's accesses, and all that is hb_o-before them, so
// that each of its reads returns the last write: before each access it lists
// what is hb_o-before that and not listed yet, in a topological order. The list
// is always closed under hb_o, so that a write U before a read R, having
// U hb_o rf(R), never comes after rf(R).
func (l *localRun) serialize(ctx context.Context, lastRead parse.OpID) ([]parse.OpID, *witness.Refutation, error) {
	order, ref, err := l.sort(ctx, false, kindCausal)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	rank := make([]int32, len(l.h.Ops))
	for i, v := range order {
		rank[v] = int32(i)
	}
	next := append([]parse.OpID(nil), l.h.Start[:l.h.Threads()]...)
	var out []parse.OpID
	for id := l.h.Start[l.t]; id < l.h.Start[l.t+1]; id++ {
		if l.chain[id] < 0 {
			continue
		}
		first := len(out)
		for c := range next {
			for end := l.h.Start[c+1]; next[c] < end; next[c]++ {
				v := next[c]
				if l.chain[v] < 0 {
					continue
				}
				// What follows the last read is before nothing but itself.
				if id <= lastRead && !l.before(v, id) || id > lastRead && v != id {
					break
				}
				out = append(out, v)
			}
		}
		fresh := out[first:]
		slices.SortFunc(fresh, func(a, b parse.OpID) int { return int(rank[a] - rank[b]) })
	}
	return out, nil, nil
}

// localRun is the fixpoint for one thread.
type localRun struct {
	*graph
	t      int32
	base   int32   // its first edge
	past   []int32 // row of the thread's last read
	reads  []parse.OpID
	queued map[parse.OpID]bool
	work   []parse.OpID // operations whose row has grown
	saved  []parse.OpID // operations whose row differs from the frame's
	old    []int32      // and their rows
	isOld  map[parse.OpID]bool
}

func (l *localRun) push(r parse.OpID) {
	if l.queued == nil {
		l.queued, l.isOld = map[parse.OpID]bool{}, map[parse.OpID]bool{}
	}
	if !l.queued[r] {
		l.queued[r] = true
		l.reads = append(l.reads, r)
	}
}

func (l *localRun) infer(r parse.OpID) *witness.Refutation {
	op := &l.h.Ops[r]
	w := op.RF
	grown := false
	lanes := l.lanes[op.Loc]
	for i := range lanes {
		u := l.lastBefore(&lanes[i], r, l.row(r))
		if u == parse.NoOp || u == w {
			continue
		}
		e := derived{from: u, to: w, via: r, thread: l.t, rule: witness.DerivedA}
		if w == parse.Init {
			return l.proof(kindLocal).initial(e)
		}
		if l.before(u, w) {
			continue
		}
		l.add(e)
		if l.before(w, u) {
			limit := int32(len(l.edges)) - 1
			p := l.proof(kindLocal)
			back := p.path(w, u, func(i int32) bool { return i < limit && l.edges[i].thread == l.t })
			return p.refute(append(back, hop{u, w, witness.DerivedA, limit}))
		}
		grown = l.grow(w, l.row(u)) || grown
	}
	if grown {
		l.spread(w)
	}
	return nil
}

// lastBefore is the last write of a lane that precedes r according to row,
// r itself left out.
func (f *frame) lastBefore(l *lane, r parse.OpID, row []int32) parse.OpID {
	p := row[l.chain]
	if f.chain[r] == l.chain {
		p = min(p, f.pos[r]-1)
	}
	return f.last(l, p)
}

// grow joins row b to v's, saving v's first.
func (l *localRun) grow(v parse.OpID, b []int32) bool {
	row := l.row(v)
	for c, p := range b {
		if p > row[c] {
			if !l.isOld[v] {
				l.isOld[v] = true
				l.saved = append(l.saved, v)
				l.old = append(l.old, row...)
			}
			join(row, b)
			return true
		}
	}
	return false
}

// spread propagates the row of w, which has grown, through the thread's past.
func (l *localRun) spread(w parse.OpID) {
	l.work = append(l.work[:0], w)
	l.again(w)
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.hops(v, func(e hop) bool {
			if l.pos[e.to] > l.past[l.chain[e.to]] || !l.grow(e.to, l.row(v)) {
				return true
			}
			l.work = append(l.work, e.to)
			l.again(e.to)
			return true
		})
	}
}

// again puts v, whose row has grown, back into the queue if it is a read of the
// thread.
func (l *localRun) again(v parse.OpID) {
	if l.thread[v] == l.t && l.h.Ops[v].Reads() {
		l.push(v)
	}
}

func (l *localRun) restore() {
	for i, v := range l.saved {
		copy(l.row(v), l.old[i*l.chains:])
	}
	for i := len(l.edges) - 1; i >= int(l.base); i-- {
		l.head[l.edges[i].from] = l.edges[i].next
	}
}
