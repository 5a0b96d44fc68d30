package serial

import (
	"fmt"

	"ordeal/parse/formats/events"
)

// CheckCycle checks that edges are a cycle of conflicts by the definition of
// the relation: two edges at least, each from an event to a later one that it
// conflicts with, between different nodes, each ending in the node where the
// next begins. A node is a transaction or, in a write-contraction, an event.
func CheckCycle(rel Relation, s *events.Sequence, node func(int32) int32, cycle []Edge) error {
	c := NewConflicts(s)
	for i, e := range cycle {
		next := cycle[(i+1)%len(cycle)]
		switch {
		case e.From < 0 || e.To <= e.From || int(e.To) >= len(s.Events):
			return fmt.Errorf("edge %d leads from event %d to %d of %d", i, e.From, e.To, len(s.Events))
		case !c.Conflict(rel, e.From, e.To):
			return fmt.Errorf("edge %d: %q and %q do not conflict", i, s.EventText(e.From), s.EventText(e.To))
		case node(e.From) == node(e.To):
			return fmt.Errorf("edge %d does not leave its node", i)
		case node(e.To) != node(next.From):
			return fmt.Errorf("edge %d ends where edge %d does not begin", i, (i+1)%len(cycle))
		}
	}
	if len(cycle) < 2 {
		return fmt.Errorf("cycle of %d edges", len(cycle))
	}
	return nil
}

// CheckOrder checks in linear time that an order of nodes keeps every conflict
// of a sequence: of two conflicting events the earlier one's node is the same
// or stands first. It walks the sequence with the greatest ranks of what
// happened so far, by thread and variable, instead of edges. A commit is in
// the node of its write.
func CheckOrder(rel Relation, s *events.Sequence, node func(int32) int32, order []int32) error {
	c := orderChecker{
		rel: rel, seq: s, conflicts: NewConflicts(s),
		rank:    make([]int32, max(len(s.Events), len(s.Transactions))),
		threads: make([]threadRanks, len(s.Threads)),
		writes:  make([]highest, len(s.Variables)), reads: make([]highest, len(s.Variables)),
	}
	if rel != SC {
		c.issued = make([]highest, len(s.Events))
		c.waiting = make([]highest, len(s.Events))
	}
	for i, v := range order {
		if v < 0 || int(v) >= len(c.rank) || c.rank[v] != 0 {
			return fmt.Errorf("entry %d: node %d stands twice or does not exist", i, v)
		}
		c.rank[v] = int32(i) + 1
	}
	for t := range c.threads {
		c.threads[t].accesses = make([]highest, len(s.Variables))
	}
	for i := range s.Events {
		if rel == SC && s.Events[i].Kind == events.Commit {
			continue
		}
		rank := c.rank[node(int32(i))]
		if rank == 0 {
			return fmt.Errorf("event %d (%s) is missing", i+1, s.EventText(int32(i)))
		}
		self := highest{rank, int32(i)}
		before := c.memory(self)
		before.add(c.program(self))
		if before.rank > rank {
			return fmt.Errorf("event %d (%s) stands before event %d (%s), which it conflicts with",
				i+1, s.EventText(int32(i)), before.event+1, s.EventText(before.event))
		}
	}
	return nil
}

// highest is the event whose node has the greatest rank, from 1, among some.
type highest struct{ rank, event int32 }

func (h *highest) add(o highest) {
	if o.rank > h.rank {
		*h = o
	}
}

// orderChecker is the state of one call of CheckOrder.
type orderChecker struct {
	rel       Relation
	seq       *events.Sequence
	conflicts *Conflicts
	rank      []int32 // of nodes
	// writes and reads of memory so far, by variable
	writes, reads []highest
	// issued are the writes of memory before a buffered write, waiting the
	// reads forwarded from it, by the write's index.
	issued, waiting []highest
	threads         []threadRanks
}

// threadRanks are the greatest ranks in one thread.
type threadRanks struct {
	all      highest // of events but commits
	commits  highest
	strong   highest   // fences, updates and reads that are not buffered
	accesses []highest // reads and writes, by variable
}

// memory is the greatest rank among the earlier accesses to memory that
// conflict with an event. It includes some of the event's own thread that
// conflict with the write of a commit, or follow one that conflicts.
func (c *orderChecker) memory(self highest) highest {
	e := &c.seq.Events[self.event]
	var before highest
	switch {
	case e.Kind == events.Update, e.Kind == events.Commit, e.Kind == events.Write && c.rel == SC:
		before = c.writes[e.Var]
		before.add(c.reads[e.Var])
		c.writes[e.Var].add(self)
		if e.Kind == events.Commit {
			c.reads[e.Var].add(c.waiting[e.Issue])
		}
	case e.Kind == events.Write:
		c.issued[self.event] = c.writes[e.Var]
	case e.Kind == events.Read:
		if w := c.conflicts.Forwarded(self.event); c.rel != SC && w >= 0 {
			c.waiting[w].add(self)
			return c.issued[w]
		}
		before = c.writes[e.Var]
		c.reads[e.Var].add(self)
	}
	return before
}

// program is the greatest rank among the earlier events of an event's thread
// that conflict with it.
func (c *orderChecker) program(self highest) highest {
	e := &c.seq.Events[self.event]
	t := &c.threads[e.Thread]
	var before highest
	switch {
	case e.Kind == events.Commit:
		before = t.commits
		t.commits.add(self)
		return before
	case c.rel != TSO || e.Kind != events.Read:
		before = t.all
		if e.Kind.Drains() {
			before.add(t.commits)
		}
	default:
		before = t.strong
		before.add(t.accesses[e.Var])
	}
	t.all.add(self)
	if e.Kind.Accesses() {
		t.accesses[e.Var].add(self)
	}
	if e.Kind.Drains() || e.Kind == events.Read && !c.conflicts.Buffered(self.event) {
		t.strong.add(self)
	}
	return before
}
