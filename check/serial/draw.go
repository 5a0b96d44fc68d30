package serial

import (
	"ordeal/check/picture"
	"ordeal/parse/formats/events"
)

// Draw makes the picture of a verdict's cycle: the events that cause its edges
// in columns by thread, each with its transaction, and an arc for each edge.
// Time runs down within a column. It returns nil for a verdict without a cycle.
func Draw(s *events.Sequence, v *Verdict) (*picture.Picture, error) {
	if len(v.Cycle) == 0 {
		return nil, nil
	}
	x := explanationOf(s, v)
	columns := make([]picture.Column, len(x.threads))
	at := map[int32][2]int{}
	for i, events := range x.threads {
		columns[i].Head = x.head(events)
		for row, event := range events {
			at[event] = [2]int{i, row}
			columns[i].Nodes = append(columns[i].Nodes, picture.Node{
				Name: x.letter[event], Text: x.access(event) + " (" + x.transaction(event) + ")",
			})
		}
	}
	arcs := make([]picture.Arc, len(v.Cycle))
	for i, e := range v.Cycle {
		kind := arcKind(s, e)
		arcs[i] = picture.Arc{From: at[e.From], To: at[e.To], Kind: kind, Label: kind}
	}
	title := "not serializable under " + v.Relation.String()
	if v.Relation == TSOPO {
		title = "not equivalent to an execution under sc"
	}
	return picture.Compose(title, columns, arcs)
}

// arcKind is what an edge is drawn as: program order, coherence, reads-from or
// from-read.
func arcKind(s *events.Sequence, e Edge) string {
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
