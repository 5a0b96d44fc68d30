package witness

import (
	"errors"
	"fmt"
	"sort"

	"ordeal/check/model"
	"ordeal/parse"
)

// ReplayCausal checks the evidence that a causal model allows a history. A nil
// error means that it does. What order is depends on the model:
//
//   - CC: all accesses to memory in an order that respects program order and
//     reads-from, which shows that causal order is acyclic. That no read
//     returns a write which another, causally before the read, overwrote
//     (Bouajjani et al., POPL 2017, WriteCORead and WriteCOInitRead), is
//     computed here, in O(nk) for n operations of k threads.
//   - CCv: an order like that in which, moreover, each read returns the last
//     of the writes that causally precede it: an arbitration order.
//   - CM: one serialization for each thread, in turn, each ending with the
//     thread's last access: accesses in an order that respects program order
//     and reads-from, in which each read of the thread returns the last write;
//     or one serialization of all accesses that serves every thread.
//
// Causal models defined by a fixpoint (CCM, wCCM, wSC, wTSO, wPSO) have other
// evidence (CheckClosure): ReplayCausal returns an error.
func ReplayCausal(h *parse.History, m model.Model, order *Order) error {
	if order == nil {
		return errors.New("replay causal order: there is none")
	}
	c := &causalReplay{h: h, thread: make([]int32, len(h.Ops))}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			c.thread[id] = int32(t)
		}
	}
	var err error
	switch m.Name {
	case model.CC.Name:
		err = c.visible(order.Ops, false)
	case model.CCv.Name:
		err = c.visible(order.Ops, true)
	case model.CM.Name:
		if err = c.serializations(order.Ops); err != nil && c.common(order.Ops) == nil {
			err = nil
		}
	default:
		err = fmt.Errorf("model %s is not defined by orders", m.Name)
	}
	if err != nil {
		return fmt.Errorf("replay causal order: %w", err)
	}
	return nil
}

type causalReplay struct {
	h      *parse.History
	thread []int32
	next   []parse.OpID // thread → its first access not yet visited
	memory []parse.OpID // location → the last write visited
}

func (c *causalReplay) reset() {
	c.next = append(c.next[:0], c.h.Start[:c.h.Threads()]...)
	for t := range c.next {
		c.skip(t)
	}
	c.memory = make([]parse.OpID, len(c.h.Locations))
	for x := range c.memory {
		c.memory[x] = parse.Init
	}
}

func (c *causalReplay) skip(t int) {
	for c.next[t] < c.h.Start[t+1] && c.h.Ops[c.next[t]].Kind == parse.Fence {
		c.next[t]++
	}
}

// step meets operation id, and reports what its location held before.
func (c *causalReplay) step(id parse.OpID) (held parse.OpID, err error) {
	if id < 0 || int(id) >= len(c.h.Ops) || c.next[c.thread[id]] != id {
		return 0, fmt.Errorf("%s is out of program order", name(c.h, id, -1))
	}
	op := &c.h.Ops[id]
	if w := op.RF; op.Reads() && w != parse.Init && c.next[c.thread[w]] <= w {
		return 0, fmt.Errorf("%s stands before what it reads", name(c.h, id, -1))
	}
	held = c.memory[op.Loc]
	if op.Writes() {
		c.memory[op.Loc] = id
	}
	t := int(c.thread[id])
	c.next[t]++
	c.skip(t)
	return held, nil
}

func (c *causalReplay) done(t int) bool { return c.next[t] == c.h.Start[t+1] }

// serializations checks CM.
func (c *causalReplay) serializations(ops []parse.OpID) error {
	for t := range c.h.Threads() {
		c.reset()
		for ; !c.done(t); ops = ops[1:] {
			if len(ops) == 0 {
				return fmt.Errorf("the serialization of thread %s ends early", c.h.ThreadNames[t])
			}
			held, err := c.step(ops[0])
			if err == nil && int(c.thread[ops[0]]) == t && c.h.Ops[ops[0]].Reads() && held != c.h.Ops[ops[0]].RF {
				err = fmt.Errorf("%s returns another write than the last", name(c.h, ops[0], -1))
			}
			if err != nil {
				return fmt.Errorf("serialization of thread %s: %w", c.h.ThreadNames[t], err)
			}
		}
	}
	if len(ops) > 0 {
		return errors.New("operations are left over")
	}
	return nil
}

// common checks CM by one serialization for all threads.
func (c *causalReplay) common(ops []parse.OpID) error {
	c.reset()
	for _, id := range ops {
		held, err := c.step(id)
		if err == nil && c.h.Ops[id].Reads() && held != c.h.Ops[id].RF {
			err = fmt.Errorf("%s returns another write than the last", name(c.h, id, -1))
		}
		if err != nil {
			return err
		}
	}
	return c.missing()
}

// missing reports the first access that no step has met.
func (c *causalReplay) missing() error {
	for t := range c.h.Threads() {
		if !c.done(t) {
			return fmt.Errorf("%s is missing", name(c.h, c.next[t], -1))
		}
	}
	return nil
}

// visible checks CC, or CCv where order arbitrates.
func (c *causalReplay) visible(ops []parse.OpID, arbitrates bool) error {
	h, k := c.h, c.h.Threads()
	// rows[id] holds for each thread the end of what causally precedes or is id.
	rows := make([]parse.OpID, len(h.Ops)*k)
	row := func(id parse.OpID) []parse.OpID { return rows[int(id)*k : (int(id)+1)*k] }
	writes := make([][][]parse.OpID, len(h.Locations)) // location, thread → writes
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			if writes[op.Loc] == nil {
				writes[op.Loc] = make([][]parse.OpID, k)
			}
			of := &writes[op.Loc][c.thread[i]]
			*of = append(*of, parse.OpID(i))
		}
	}
	place := make([]int, len(h.Ops))
	last := make([]parse.OpID, k) // each thread's last access so far
	for t := range last {
		last[t] = parse.NoOp
	}
	join := func(a, b []parse.OpID) {
		for t, end := range b {
			a[t] = max(a[t], end)
		}
	}
	c.reset()
	for i, id := range ops {
		if _, err := c.step(id); err != nil {
			return err
		}
		place[id] = i
		op, past := &h.Ops[id], row(id)
		t := c.thread[id]
		if last[t] != parse.NoOp {
			join(past, row(last[t]))
		}
		last[t] = id
		if op.Reads() && op.RF != parse.Init {
			join(past, row(op.RF))
		}
		if op.Reads() && writes[op.Loc] != nil {
			for s, ws := range writes[op.Loc] {
				n := sort.Search(len(ws), func(i int) bool { return ws[i] >= past[s] })
				if n == 0 || ws[n-1] == op.RF {
					continue
				}
				u := ws[n-1]
				if op.RF == parse.Init || arbitrates && place[u] > place[op.RF] ||
					!arbitrates && row(u)[c.thread[op.RF]] > op.RF {
					return fmt.Errorf("%s overlooks %s", name(h, id, -1), name(h, u, -1))
				}
			}
		}
		past[t] = id + 1
	}
	return c.missing()
}
