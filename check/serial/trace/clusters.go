package trace

import (
	"ordeal/check/closure"
	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// cluster is a set of transactions that a cycle of conflicts may go through.
// Every cycle in any execution stays in one cluster.
type cluster []int32

// clusters are the strongly connected components of the conflicts that some
// execution has, each of two transactions at least; and the rank of every
// transaction's component in an order that no possible conflict contradicts.
func (l *timeline) clusters(g *closure.Graph[serial.Edge]) (list []cluster, rank []int32) {
	u := closure.NewPartition(len(l.seq.Transactions))
	l.uniteOpen(u)
	quotient := closure.Graph[struct{}]{Nodes: g.Nodes}
	for _, a := range g.Arcs() {
		if from, to := u.Find(a.From), u.Find(a.To); from != to {
			quotient.Add(from, to, struct{}{})
		}
	}
	component, count := quotient.Components()
	rank = make([]int32, g.Nodes)
	members := make([]int32, count)
	for tx := range rank {
		c := component[u.Find(int32(tx))]
		rank[tx] = count - 1 - c
		members[c]++
	}
	place := make([]int32, count)
	for tx := range rank {
		c := count - 1 - rank[tx]
		if members[c] < 2 {
			continue
		}
		if place[c] == 0 {
			list = append(list, make(cluster, 0, members[c]))
			place[c] = int32(len(list))
		}
		at := &list[place[c]-1]
		*at = append(*at, int32(tx))
	}
	return list, rank
}

// uniteOpen unites the transactions of conflicting events whose order is open:
// with each other they form cycles of possible conflicts.
func (l *timeline) uniteOpen(u closure.Partition) {
	threads, variables := len(l.seq.Threads), len(l.seq.Variables)
	type open struct{ event, tx int32 }
	writes := make([][]open, threads*variables) // moments may be later than this event
	reads := make([][]open, threads*variables)  // buffered
	// An open access of another thread unites with event i. Those that have
	// become one component stand for each other, the last to stay open
	// surviving.
	meet := func(list []open, i int32) []open {
		kept := list[:0]
		for _, o := range list {
			if l.must(o.event, i) {
				continue
			}
			u.Unite(o.tx, l.seq.Events[i].Tx)
			kept = append(kept, o)
		}
		if len(kept) > 1 { // all are united now, and the last stays open longest
			kept = append(kept[:0], kept[len(kept)-1])
		}
		return kept
	}
	for i := range int32(len(l.seq.Events)) {
		e := &l.seq.Events[i]
		if e.Var < 0 {
			continue
		}
		for t := range threads {
			if int32(t) == e.Thread {
				continue
			}
			at := t*variables + int(e.Var)
			writes[at] = meet(writes[at], i)
			if e.Kind != events.Read {
				reads[at] = meet(reads[at], i)
			}
		}
		at := int(e.Thread)*variables + int(e.Var)
		switch {
		case e.Kind == events.Write:
			writes[at] = append(writes[at], open{i, e.Tx})
		case e.Kind == events.Read && l.source[i] != none:
			reads[at] = append(reads[at], open{i, e.Tx})
		}
	}
}
