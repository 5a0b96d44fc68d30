package stream

import (
	"context"
	"fmt"
	"strings"

	"ordeal/check"
	"ordeal/parse"
)

// check checks the window, and commits a part of it.
func (c *Checker) check(ctx context.Context) error {
	c.result.Checks++
	limits, current := c.ready()
	if current {
		h, refs := c.history(limits, false)
		v, err := check.Check(ctx, h, c.model, c.opt.Check)
		switch {
		case err != nil:
			return err
		case v.Answer == check.Unknown:
			c.stop(check.Unknown, v.Reason)
			return nil
		case v.Answer == check.Allowed:
			c.commit(v.Order.Ops, refs)
			return nil
		}
	}
	h, refs := c.history(limits, true)
	v, err := check.Check(ctx, h, c.model, c.opt.Check)
	switch {
	case err != nil:
		return err
	case v.Answer == check.Unknown:
		c.stop(check.Unknown, v.Reason)
	case v.Answer == check.Forbidden:
		c.stop(check.Forbidden, "")
		violation := &Violation{History: h, Verdict: v, Lines: make([]int64, len(refs))}
		for id, r := range refs {
			violation.Lines[id] = c.entry(r).line
		}
		c.result.Violation = violation
	default:
		c.gap(v.Order.Ops, refs, h)
	}
	return nil
}

// source says where a read finds its value.
type source uint8

const (
	missing source = iota // no write kept, nor does memory hold it
	memory                // what memory holds after the commitment
	kept                  // a write that is kept
)

func (c *Checker) source(op *parse.Op) (source, ref) {
	if r, ok := c.writers[place{op.Loc, op.Read}]; ok && op.Read != 0 {
		return kept, r
	}
	if c.memory[op.Loc] == op.Read {
		return memory, ref{}
	}
	return missing, ref{}
}

// keeps reports whether the write that a read reads from is kept and ready.
func (c *Checker) keeps(op *parse.Op, limits []int) bool {
	from, r := c.source(op)
	return from == kept && int(r.index-c.threads[r.thread].first) < limits[r.thread]
}

// ready gives for each thread the number of kept operations before the first whose
// value has no source, or one behind such an operation itself. Reads of 0 that was
// overwritten have one. current reports whether all reads can be explained from the
// commitment: none returns a value that is committed and overwritten.
func (c *Checker) ready() (limits []int, current bool) {
	limits = make([]int, len(c.threads))
	for t := range c.threads {
		limits[t] = len(c.threads[t].ops)
	}
	current = true
	for again := true; again; {
		again = false
		for t := range c.threads {
			th := &c.threads[t]
			for i := th.committed; i < limits[t]; i++ {
				e := &th.ops[i]
				if e.committed || e.orphan || !e.op.Reads() {
					continue
				}
				from, r := c.source(&e.op)
				waits := from == missing && e.op.Read != 0
				if from == kept && !c.entry(r).committed {
					waits = int(r.index-c.threads[r.thread].first) >= limits[r.thread]
				}
				if waits {
					limits[t], again = i, true
					break
				}
			}
		}
	}
	for t := range c.threads {
		th := &c.threads[t]
		for i := th.committed; i < limits[t]; i++ {
			if e := &th.ops[i]; !e.committed && !e.orphan && e.op.Reads() && c.memory[e.op.Loc] != e.op.Read {
				from, r := c.source(&e.op)
				current = current && from == kept && !c.entry(r).committed
			}
		}
	}
	return limits, current
}

// waiting names the oldest read whose write is not kept, as ": …", or nothing if no
// operation waits for one.
func (c *Checker) waiting() string {
	var oldest *entry
	limits, _ := c.ready()
	for t := range c.threads {
		for i := limits[t]; i < len(c.threads[t].ops); i++ {
			e := &c.threads[t].ops[i]
			if e.op.Reads() && (oldest == nil || e.arrival < oldest.arrival) {
				if from, _ := c.source(&e.op); from == missing {
					oldest = e
				}
			}
		}
	}
	if oldest == nil {
		return ""
	}
	return fmt.Sprintf(": line %d reads %d, which was never written, or overwritten before the operations that are kept", oldest.line, oldest.op.Read)
}

// history makes a history of the operations of the window that are ready, starting
// from memory; or, with whole, of all that are kept and ready, as the package
// comment says. It gives the operations that those of the history are.
func (c *Checker) history(limits []int, whole bool) (*parse.History, []ref) {
	h := &parse.History{Start: []parse.OpID{0}, Locations: make([]string, len(c.memory))}
	var refs []ref
	ids := make([][]parse.OpID, len(c.threads)) // of the operations kept
	for t := range c.threads {
		th := &c.threads[t]
		ids[t] = make([]parse.OpID, limits[t])
		for i := range limits[t] {
			e := &th.ops[i]
			ids[t][i] = parse.NoOp
			if !whole && (e.op.Kind == parse.Fence && i < th.committed || e.op.Kind != parse.Fence && e.committed) {
				continue
			}
			op := e.op
			if op.Reads() && (e.orphan || whole && op.Read != 0 && !c.keeps(&op, limits)) {
				if op.Kind == parse.Read {
					continue
				}
				op.Kind, op.Read = parse.Write, 0
			}
			ids[t][i] = parse.OpID(len(h.Ops))
			h.Ops = append(h.Ops, op)
			refs = append(refs, ref{int32(t), th.first + int64(i)})
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	for id := range h.Ops {
		op := &h.Ops[id]
		op.RF = parse.NoOp
		if !op.Reads() {
			continue
		}
		from, r := c.source(op)
		if from == kept && (whole || !c.entry(r).committed) {
			op.RF = ids[r.thread][r.index-c.threads[r.thread].first]
			continue
		}
		op.RF, op.Read = parse.Init, 0
	}
	return h, refs
}

// commit commits a part of an order of the window: the operations that came in the
// older half, but none that follows in the order one left out of its thread or
// location, and so need not commute with it.
func (c *Checker) commit(order []parse.OpID, refs []ref) {
	cut := c.arrived - int64(max(c.pending, c.opt.Window)/2)
	if c.finished {
		cut = c.arrived
	}
	c.commitBefore(order, refs, cut)
	c.retire()
	c.next = max(c.opt.Window, c.pending+c.pending/2, c.pending+c.opt.Window/2)
}

func (c *Checker) commitBefore(order []parse.OpID, refs []ref, cut int64) {
	threads, locs := make([]bool, len(c.threads)), make([]bool, len(c.memory))
	for _, id := range order {
		r := refs[id]
		e := c.entry(r)
		loc := e.op.Loc
		if e.arrival >= cut || threads[r.thread] || locs[loc] {
			threads[r.thread], locs[loc] = true, true
			continue
		}
		if e.committed {
			continue
		}
		e.committed = true
		c.pending--
		if e.op.Writes() {
			c.memory[loc] = e.op.Write
		}
		if c.onCommit != nil {
			c.onCommit(r)
		}
	}
}

// gap takes an order of all operations kept for the commitment. Reads that the
// order does not have, since their writes are not kept, are committed; RMWs of that
// kind are writes from now on.
func (c *Checker) gap(order []parse.OpID, refs []ref, h *parse.History) {
	c.result.Gaps++
	if c.gapText == "" {
		first := c.arrived
		for t := range c.threads {
			if th := &c.threads[t]; th.committed < len(th.ops) {
				first = min(first, th.ops[th.committed].line)
			}
		}
		c.gapText = strings.TrimSpace(fmt.Sprintf("from line %d on the order of the operations before could not be continued, nor is that a violation of those kept", first))
	}
	in := make(map[ref]bool, len(refs))
	for id, r := range refs {
		in[r] = true
		if e := c.entry(r); e.op.Kind == parse.RMW && h.Ops[id].Kind == parse.Write {
			e.orphan = true
		}
	}
	limits, _ := c.ready()
	for t := range c.threads {
		th := &c.threads[t]
		for i := range limits[t] {
			if e := &th.ops[i]; !e.committed && !in[ref{int32(t), th.first + int64(i)}] {
				e.committed = true
				c.pending--
			}
		}
	}
	c.commit(order, refs)
}
