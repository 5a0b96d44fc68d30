package serial

import (
	"slices"

	"ordeal/check/witness"
	"ordeal/parse/formats/events"
)

// Draw makes the picture of a verdict's cycle: the events that cause its edges
// in columns by thread, each with its transaction, and an arc for each edge.
// Time runs down within a column. It returns nil for a verdict without a cycle.
func Draw(s *events.Sequence, v *Verdict) (*witness.Picture, error) {
	if len(v.Cycle) == 0 {
		return nil, nil
	}
	var list []int32
	for _, e := range v.Cycle {
		list = append(list, e.From, e.To)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	var columns []witness.PictureColumn
	at := map[int32][2]int{}
	of := map[int32]int{} // columns of threads
	for t := range s.Threads {
		for i, event := range list {
			e := &s.Events[event]
			if int(e.Thread) != t {
				continue
			}
			if _, ok := of[e.Thread]; !ok {
				of[e.Thread] = len(columns)
				columns = append(columns, witness.PictureColumn{Head: "thread " + s.Threads[t]})
			}
			c := &columns[of[e.Thread]]
			at[event] = [2]int{of[e.Thread], len(c.Nodes)}
			c.Nodes = append(c.Nodes, witness.PictureNode{Name: witness.Letters(i), Text: described(s, event)})
		}
	}
	var arcs []witness.PictureArc
	for _, e := range v.Cycle {
		a := witness.PictureArc{From: at[e.From], To: at[e.To], Kind: kindOf(s, e)}
		a.Label = a.Kind
		arcs = append(arcs, a)
	}
	title := "not serializable under " + v.Relation.String()
	if v.Relation == TSOPO {
		title = "not equivalent to an execution under sc"
	}
	return witness.Compose(title, columns, arcs)
}

// described is an event with its variable and transaction.
func described(s *events.Sequence, i int32) string {
	e := &s.Events[i]
	text := e.Kind.String()
	if e.Var >= 0 {
		text += " " + s.Variables[e.Var]
	}
	return text + " (" + s.TxName(e.Tx) + ")"
}

// kindOf says what an edge is drawn as: program order, coherence, reads-from or
// from-read.
func kindOf(s *events.Sequence, e Edge) string {
	a, b := &s.Events[e.From], &s.Events[e.To]
	switch {
	case a.Thread == b.Thread:
		return "po"
	case a.Kind == events.Read:
		return "fr"
	case b.Kind == events.Read:
		return "rf"
	default:
		return "co"
	}
}
