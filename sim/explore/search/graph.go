package search

// Graph is the states of a search by their numbers, with all their steps.
type Graph struct {
	// Starts are where the edges of each state begin in Targets and Classes;
	// the last is their number.
	Starts  []uint64
	Targets []uint32
	Classes []uint16 // of fairness: machine.Expansion.Classes
	Waiting []uint64 // by state: machine.Expansion.Waiting
}

// MaxGraph bounds the states of a graph.
const MaxGraph = 1 << 32

// add adds the states of a round.
func (g *Graph) add(round []*block) {
	if len(g.Starts) == 0 {
		g.Starts = append(g.Starts, 0)
	}
	for _, b := range round {
		g.Waiting = append(g.Waiting, b.waiting...)
		g.Classes = append(g.Classes, b.classes...)
		k := 0
		for i := range b.states {
			for k < len(b.parents) && int(b.parents[k]) == i {
				g.Targets = append(g.Targets, uint32(b.targets[k]))
				k++
			}
			g.Starts = append(g.Starts, uint64(len(g.Targets)))
		}
	}
}

func (g *Graph) bytes() int64 {
	return int64(8*cap(g.Starts) + 4*cap(g.Targets) + 2*cap(g.Classes) + 8*cap(g.Waiting))
}
