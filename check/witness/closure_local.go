package witness

// local checks, thread by thread, that the base edges and the thread's local
// arcs are closed under rule A for its reads.
func (c *convergent) local(base []Arc) error {
	c.link(base)
	c.r.forward()
	back := make([]Arc, len(base))
	for i, a := range base {
		back[i] = Arc{a.To, a.From}
	}
	l := &localReach{
		convergent: c, out: collect(len(c.at), back, c.place),
		past: make([]int32, len(c.at)), dirty: make([]bool, len(c.at)),
	}
	for t := range c.h.Threads() {
		var arcs []Arc
		if t < len(c.closure.Local) {
			arcs = c.closure.Local[t]
		}
		if len(arcs) > 0 {
			l.spread(t, arcs)
		}
		for id := c.h.Start[t]; id < c.h.Start[t+1]; id++ {
			if v := c.place[id]; c.at[v].rf != noRead {
				if err := c.r.carries(v, c.at[v].rf, v, c.at[v].rf); err != nil {
					return err
				}
			}
		}
		l.restore()
	}
	return nil
}

// localReach changes reach by the local arcs of one thread, and back.
type localReach struct {
	*convergent
	out     incoming // edges turned around
	past    []int32  // the latest thread plus 1 to whose reads a vertex leads
	dirty   []bool
	changed []int32 // vertices
	old     []int32 // and what reach had for them
}

// spread adds the arcs of thread t, as far as its reads and what they returned
// depend on them.
func (l *localReach) spread(t int, arcs []Arc) {
	into := map[int32][]int32{}
	first, last := int32(len(l.at)), int32(-1)
	for _, a := range arcs {
		to := l.place[a.To]
		into[to] = append(into[to], l.place[a.From])
		l.dirty[to] = true
		first = min(first, to)
	}
	mark := int32(t) + 1
	for id := l.h.Start[t]; id < l.h.Start[t+1]; id++ {
		v := l.place[id]
		if w := l.at[v].rf; w != noRead {
			l.past[v] = mark
			last = max(last, v, w)
			if w >= 0 {
				l.past[w] = mark
			}
		}
	}
	for v := last; v >= first; v-- {
		if l.past[v] != mark {
			continue
		}
		for _, u := range l.preds.into(v) {
			l.past[u] = mark
		}
		for _, u := range into[v] {
			l.past[u] = mark
		}
	}
	for v := first; v <= last; v++ {
		if l.dirty[v] {
			l.dirty[v] = false
			l.raise(v, into[v], mark)
		}
	}
	for to := range into {
		l.dirty[to] = false
	}
}

// raise brings vertex v up to date, and passes on what changed.
func (l *localReach) raise(v int32, more []int32, mark int32) {
	of := l.r.of(v)
	kept := len(l.old)
	l.old = append(l.old, of...)
	for _, u := range l.preds.into(v) {
		raise(of, l.r.of(u))
	}
	for _, u := range more {
		raise(of, l.r.of(u))
	}
	for i, x := range l.old[kept:] {
		if of[i] != x {
			l.changed = append(l.changed, v)
			for _, next := range l.out.into(v) {
				if l.past[next] == mark {
					l.dirty[next] = true
				}
			}
			return
		}
	}
	l.old = l.old[:kept]
}

func (l *localReach) restore() {
	for i, v := range l.changed {
		copy(l.r.of(v), l.old[i*l.rows:])
	}
	l.changed, l.old = l.changed[:0], l.old[:0]
}
