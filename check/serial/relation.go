package serial

import (
	"slices"

	"ordeal/parse/formats/events"
)

// Relation is a conflict relation between the events of a sequence.
type Relation uint8

// The conflict relations.
const (
	RelationUnknown Relation = iota
	// SC: events of one thread, and accesses of one variable one of which
	// writes (Sect. 3). Writes take effect where they are issued; commits
	// conflict with nothing.
	SC
	// TSO: see the package.
	TSO
	// TSOPO is TSO, and all events of one thread conflict that are not
	// commits (Sect. 4.2).
	TSOPO
)

var relationNames = [...]string{"unknown", "sc", "tso", "tso-po"}

// String is the relation's name on the command line.
func (r Relation) String() string {
	if int(r) < len(relationNames) {
		return relationNames[r]
	}
	return relationNames[RelationUnknown]
}

// Conflicts answers for pairs of events of one sequence whether they conflict,
// word for word as the definition says. It takes linear time to make.
type Conflicts struct {
	seq *events.Sequence
	// commit[w] is the index of the commit of write w; of an event that is
	// no write, or a write that is never committed, len(Events).
	commit []int32
	// latest[r] is, for a read r, the last write of its thread to its
	// variable before it, -1 if there is none.
	latest []int32
	// buffered says of reads that latest exists and no fence is in between.
	buffered []bool
}

// NewConflicts prepares the relation of a valid sequence.
func NewConflicts(s *events.Sequence) *Conflicts {
	n := len(s.Events)
	c := &Conflicts{seq: s, commit: make([]int32, n), latest: make([]int32, n), buffered: make([]bool, n)}
	variables := len(s.Variables)
	last := slices.Repeat([]int32{none}, len(s.Threads)*variables)
	fence := slices.Repeat([]int32{none}, len(s.Threads))
	for i := range s.Events {
		e := &s.Events[i]
		c.commit[i], c.latest[i] = int32(n), none
		switch e.Kind {
		case events.Read:
			w := last[int(e.Thread)*variables+int(e.Var)]
			c.latest[i] = w
			c.buffered[i] = w >= 0 && w > fence[e.Thread]
		case events.Write:
			last[int(e.Thread)*variables+int(e.Var)] = int32(i)
		case events.Commit:
			c.commit[e.Issue] = int32(i)
		case events.Fence, events.Update:
			fence[e.Thread] = int32(i)
		}
	}
	return c
}

// Buffered reports whether read r may read from its thread's store buffer,
// wherever the commits are: its thread wrote the variable before and did not
// fence since (Sect. 4.1, Buffered Reads).
func (c *Conflicts) Buffered(r int32) bool { return c.buffered[r] }

// Forwarded is the write that read r reads from its thread's store buffer,
// -1 if it reads from memory. It makes sense in executions.
func (c *Conflicts) Forwarded(r int32) int32 {
	if w := c.latest[r]; w >= 0 && c.commit[w] > r {
		return w
	}
	return -1
}

// Parallel reports whether read r is forwarded from a write w and event i
// lies between the issue and the commit of w: rd ∥ wr-com for a commit i.
func (c *Conflicts) Parallel(r, i int32) bool {
	w := c.Forwarded(r)
	return w >= 0 && w < i && i < c.commit[w]
}

// Conflict reports whether event i conflicts with the later event j.
func (c *Conflicts) Conflict(rel Relation, i, j int32) bool {
	a, b := &c.seq.Events[i], &c.seq.Events[j]
	if rel == SC {
		switch {
		case a.Kind == events.Commit || b.Kind == events.Commit:
			return false
		case a.Thread == b.Thread:
			return true
		}
		return a.Var >= 0 && a.Var == b.Var && !(a.Kind == events.Read && b.Kind == events.Read)
	}
	if a.Thread == b.Thread {
		return c.ofThread(rel, i, j)
	}
	switch {
	case a.Kind == events.Write || b.Kind == events.Write || a.Var < 0 || a.Var != b.Var:
		return false
	case a.Kind == events.Read && b.Kind == events.Read:
		return false
	case a.Kind == events.Read:
		return !c.Parallel(i, j)
	case b.Kind == events.Read:
		return !c.Parallel(j, i)
	default:
		return true
	}
}

func (c *Conflicts) ofThread(rel Relation, i, j int32) bool {
	a, b := &c.seq.Events[i], &c.seq.Events[j]
	switch {
	case a.Kind.Drains() || b.Kind.Drains():
		return true
	case b.Kind == events.Commit:
		return a.Kind == events.Commit || b.Issue == i
	case a.Kind == events.Commit:
		return false
	case rel == TSOPO || a.Var == b.Var || b.Kind == events.Write:
		return true
	default: // b reads another variable
		return a.Kind == events.Read && !c.buffered[i]
	}
}
