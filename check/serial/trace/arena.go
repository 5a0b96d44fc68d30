package trace

import (
	"math"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// arena is a cluster prepared for the search: its accesses by chain, and what
// can be reached from its transactions by conflicts that all executions have.
//
// A chain is a set of events whose conflicts with each other all executions
// have: the writes and updates of a thread, its reads that are not buffered,
// or its buffered reads of one variable (Sect. 6.2). The accesses of a chain
// to one variable are a list.
type arena struct {
	l      *timeline
	lists  []list
	chains int
	local  []int32 // of transactions, shared by all arenas
	size   int     // transactions
	// reach holds, for each transaction and chain, the first event of the
	// chain in a transaction that can be reached, its own included.
	reach []int32
}

// list holds accesses of one kind by one thread to one variable.
type list struct {
	thread, variable int32
	reads            bool
	chain            int32
	events           []int32
	rivals           []int32 // lists with which it conflicts
}

// rival reports whether accesses of two lists conflict.
func (l *list) rival(o *list) bool {
	return l.thread != o.thread && l.variable == o.variable && !(l.reads && o.reads)
}

// never is where a chain is not reached.
const never = math.MaxInt32

// newArenas prepares all clusters, given all transactions in an order that
// the edges of g keep.
func (l *timeline) newArenas(g *closure.Graph[serial.Edge], order []int32, clusters []cluster) []*arena {
	of := make([]int32, g.Nodes) // the cluster of a transaction, from 1
	local := make([]int32, g.Nodes)
	arenas := make([]*arena, len(clusters))
	for c, members := range clusters {
		arenas[c] = &arena{l: l, local: local, size: len(members)}
		for i, tx := range members {
			of[tx] = int32(c) + 1
			local[tx] = int32(i)
		}
	}
	accesses := make([][]int32, len(clusters))
	for i := range l.seq.Events {
		if e := &l.seq.Events[i]; e.Var >= 0 && of[e.Tx] > 0 {
			accesses[of[e.Tx]-1] = append(accesses[of[e.Tx]-1], int32(i))
		}
	}
	for c, a := range arenas {
		a.fill(accesses[c])
	}
	for _, tx := range slices.Backward(order) {
		if of[tx] == 0 {
			continue
		}
		a := arenas[of[tx]-1]
		row := a.row(tx)
		for _, arc := range g.Out(tx) {
			if of[arc.To] != of[tx] {
				continue
			}
			for c, e := range a.row(arc.To) {
				row[c] = min(row[c], e)
			}
		}
	}
	return arenas
}

func (a *arena) row(tx int32) []int32 {
	at := int(a.local[tx]) * a.chains
	return a.reach[at : at+a.chains]
}

// fill makes the lists of some accesses, and has every transaction reach its
// own.
func (a *arena) fill(accesses []int32) {
	type key struct {
		thread, variable int32
		class            uint8 // 0 writes, 1 plain reads, 2 buffered reads
	}
	keyOf := func(i int32) key {
		e := &a.l.seq.Events[i]
		k := key{thread: e.Thread, variable: e.Var}
		if e.Kind == events.Read {
			k.class = 1
			if a.l.source[i] != none {
				k.class = 2
			}
		}
		return k
	}
	lists, chains := make(map[key]int32), make(map[key]int32)
	for _, i := range accesses {
		k := keyOf(i)
		at, ok := lists[k]
		if !ok {
			chain := k
			if k.class < 2 {
				chain.variable = none
			}
			c, known := chains[chain]
			if !known {
				c = int32(len(chains))
				chains[chain] = c
			}
			at = int32(len(a.lists))
			lists[k] = at
			a.lists = append(a.lists, list{thread: k.thread, variable: k.variable, reads: k.class > 0, chain: c})
		}
		a.lists[at].events = append(a.lists[at].events, i)
	}
	a.chains = len(chains)
	for i := range a.lists {
		for j := range a.lists {
			if x := &a.lists[i]; x.rival(&a.lists[j]) {
				x.rivals = append(x.rivals, int32(j))
			}
		}
	}
	a.reach = make([]int32, a.size*a.chains)
	for i := range a.reach {
		a.reach[i] = never
	}
	for _, l := range a.lists {
		for _, i := range l.events {
			row := a.row(a.l.seq.Events[i].Tx)
			row[l.chain] = min(row[l.chain], i)
		}
	}
}
