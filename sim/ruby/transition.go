package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// handled calls the function that a port names for a stall of the kind that has just
// been found, which says whether the first port is next.
func (c *controller) handled(t *trigger) bool {
	f := t.onNoRoom
	if c.end == heldBack {
		f = t.onHeldBack
	}
	if f == nil {
		return false
	}
	c.exec(f.entry)
	return c.words[f.result] != 0
}

// trigger begins an event: getState is next.
func (c *controller) trigger(t *trigger, at unsafe.Pointer) {
	code, ev := c.code, c.words[t.event]
	if ev >= uint64(code.events) {
		c.failAt(c.pos(at), "trigger of an unset event", "event %d", ev)
	}
	tbe, entry := c.pointers[t.tbe], c.pointers[t.entry]
	c.words[addressWord] = c.words[t.line]
	c.pointers[tbePointer], c.pointers[entryPointer] = tbe, entry
	c.event, c.state = int(ev), code.states
	if tbe != nil && tbe.dead {
		c.badPointer(tbe, code.machine.Pos)
	}
	if entry != nil && entry.dead {
		c.badPointer(entry, code.machine.Pos)
	}
}

// ending says how an attempt at a transition ended.
type ending uint8

const (
	done     ending = iota
	noRoom          // a table is full or a resource is not available
	heldBack        // the protocol stalls
)

// transition finds the transition for the event under way and the state that
// getState has found, counts it, and gives the entry of its actions; -1 if it stalls.
func (c *controller) transition() int {
	code := c.code
	state := int(c.words[stateWord])
	c.state = state
	if uint(state) >= uint(code.states) {
		c.invalid()
	}
	at := state*code.events + c.event
	w := &code.ways[at]
	c.next = uint64(w.next)
	if w.kind != straight || c.bounded {
		if w.kind == noWay {
			c.invalid()
		}
		if c.end = c.stalled(&code.rows[at], c.words[addressWord]); c.end != done {
			c.event = -1
			c.stalls[at]++
			return -1
		}
	}
	c.counts[at]++ // gem5 counts those that are valid only
	if w.kind != straight {
		c.next = c.leadsTo(code.rows[at].transition)
	}
	c.words[nextWord] = c.next
	if c.system.trace != nil {
		c.system.trace(c, state, c.event, int(c.next), memory.Addr(c.words[addressWord]))
	}
	return int(w.actions)
}

// leadsTo is the state that a transition leads to.
func (c *controller) leadsTo(t *types.Transition) uint64 {
	if t.Next == types.Wildcard {
		return c.code.getNextState.call(c, c.pointers[tbePointer], c.pointers[entryPointer], c.words[addressWord], 0)
	}
	return uint64(t.NextState)
}

// stalled says whether and how a transition stalls.
func (c *controller) stalled(r *row, line uint64) ending {
	for _, d := range r.demands {
		if d.storage && c.storages[d.table].Available() < d.n || !d.storage && !c.tables[d.table].room(d.n) {
			return noRoom
		}
	}
	if c.bounded && !c.roomFor(r.sends) || len(r.asks) > 0 && !c.granted(r.asks, line) {
		return noRoom
	}
	if r.transition.Stall {
		return heldBack
	}
	return done
}
