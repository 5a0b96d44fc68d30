package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// handled calls the function that a port names for a stall of the kind that has just
// been found, which says whether the first port is next.
func (c *controller) handled(t *code.Trigger) bool {
	f := t.OnResourceStall
	if c.end == heldBack {
		f = t.OnProtocolStall
	}
	if f == nil {
		return false
	}
	c.exec(f.Entry)
	return c.words[f.Result] != 0
}

// trigger begins an event: getState is next.
func (c *controller) trigger(t *code.Trigger, at unsafe.Pointer) {
	mc, ev := c.code, c.words[t.Event]
	if ev >= uint64(mc.Events) {
		c.failAt(c.pos(at), "trigger of an unset event", "event %d", ev)
	}
	tbe, entry := c.pointers[t.TBE], c.pointers[t.Entry]
	c.words[code.AddressWord] = c.words[t.Line]
	c.pointers[code.TBEPointer], c.pointers[code.EntryPointer] = tbe, entry
	c.event, c.state = int(ev), mc.States
	if tbe != nil && tbe.dead {
		c.badPointer(tbe, mc.Decl.Pos)
	}
	if entry != nil && entry.dead {
		c.badPointer(entry, mc.Decl.Pos)
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
	mc := c.code
	state := int(c.words[code.StateWord])
	c.state = state
	if uint(state) >= uint(mc.States) {
		c.invalid()
	}
	at := state*mc.Events + c.event
	r := &mc.Rows[at]
	c.next, c.idle = uint64(r.Next), false
	if r.Kind != code.Unconditional || c.bounded {
		if r.Kind == code.NoRow {
			c.invalid()
		}
		if c.end = c.stalled(r, c.words[code.AddressWord]); c.end != done {
			c.event = -1
			c.stalls[at]++
			return -1
		}
	}
	c.idle = r.Idle
	c.counts[at]++ // gem5 counts those that are valid only
	if r.Kind != code.Unconditional {
		c.next = c.leadsTo(r.Transition)
	}
	c.words[code.NextWord] = c.next
	if c.system.trace != nil && !c.retries(r, at) {
		c.system.trace(c, state, c.event, int(c.next), memory.Addr(c.words[code.AddressWord]))
	}
	return int(r.Actions)
}

// retries reports whether a transition that only waits is one that was traced since the controller did
// something else: traces have it once.
func (c *controller) retries(r *code.TransitionRow, at int) bool {
	if !r.Waits {
		clear(c.waited)
		return false
	}
	if c.waited == nil {
		c.waited = map[retry]bool{}
	}
	key := retry{at, c.words[code.AddressWord]}
	again := c.waited[key]
	c.waited[key] = true
	return again
}

// retry is a row and a line.
type retry struct {
	row  int
	line uint64
}

// leadsTo is the state that a transition leads to.
func (c *controller) leadsTo(t *types.Transition) uint64 {
	if t.Next == types.Wildcard {
		return c.callState(c.code.GetNextState, c.pointers[code.TBEPointer], c.pointers[code.EntryPointer], c.words[code.AddressWord], 0)
	}
	return uint64(t.NextState)
}

// stalled says whether and how a transition stalls.
func (c *controller) stalled(r *code.TransitionRow, line uint64) ending {
	for _, d := range r.Demands {
		if d.Storage && c.storages[d.Table].Available() < d.N || !d.Storage && !c.tables[d.Table].hasCapacity(d.N) {
			return noRoom
		}
	}
	if c.bounded && !c.sendable(r.Sends) || len(r.Checks) > 0 && !c.granted(r.Checks, line) {
		return noRoom
	}
	if r.Transition.Stall {
		return heldBack
	}
	return done
}

// pass passes the arguments of a function that every machine defines.
func (c *controller) pass(f *code.StateFunc, tbe, entry *object, line, state uint64) {
	c.pointers[f.TBE], c.pointers[f.Cached] = tbe, entry
	c.words[f.Line], c.words[f.State] = line, state
}

// callState calls such a function.
func (c *controller) callState(f *code.StateFunc, tbe, entry *object, line, state uint64) uint64 {
	c.pass(f, tbe, entry, line, state)
	c.exec(f.Entry)
	return c.words[f.Result]
}

// granted checks whether the resources of a transition are available.
func (c *controller) granted(checks []code.ResourceCheck, line uint64) bool {
	for _, r := range checks {
		c.words[r.Function.Params[0]], c.words[r.Function.Params[1]] = r.Kind, line
		c.exec(r.Function.Entry)
		if c.words[r.Function.Result] == 0 {
			return false
		}
	}
	return true
}
