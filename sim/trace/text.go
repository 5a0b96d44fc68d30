package trace

import "fmt"

// String is the event in a line: tick, place, and what happened there.
func (e *Event) String() string {
	head := fmt.Sprintf("%12d  %-14s ", e.At, e.Place)
	switch e.Kind {
	case Transition:
		return fmt.Sprintf("%s%s, %s → %s  line %#x", head, e.State, e.Name, e.Next, e.Line)
	case Message:
		return fmt.Sprintf("%ssends %s to %s, arrives at %d  line %#x", head, e.Name, e.To, e.Arrives, e.Line)
	case Notice:
		return fmt.Sprintf("%snotifies its core  line %#x", head, e.Line)
	case Commit:
		return fmt.Sprintf("%scommits operation %d of thread %d", head, e.Number, e.Thread)
	case Access:
		switch {
		case e.Reads && e.Writes:
			return fmt.Sprintf("%satomic %d to %d  line %#x", head, e.Read, e.Written, e.Line)
		case e.Writes:
			return fmt.Sprintf("%sstores %d  line %#x", head, e.Written, e.Line)
		}
		return fmt.Sprintf("%sloads %d  line %#x", head, e.Read, e.Line)
	}
	return head
}
