package precedence

import "ordeal/parse"

// Machine puts the nodes of a graph into a global memory order one by one,
// forwards and backwards. A write waits until the readers of what its location
// holds are done, since they could never be done after it. Whatever order of
// all nodes it permits is a memory order of the model, and the set of nodes
// done determines what it permits next: what a location holds matters only
// while it has readers to come, and then it is the one write done that has.
type Machine struct {
	G     *Graph
	Order []Node // what is done, in order

	wait    []int32 // node → predecessors to come
	pending []int32 // writer → readers to come; the initial write of x is Nodes+x
	current []int32 // location → writer of what it holds
	before  []int32 // for each write done, what its location held: parallel to Order
}

// NewMachine returns a machine that has done nothing.
func NewMachine(g *Graph) *Machine {
	locs := len(g.History.Locations)
	m := &Machine{
		G: g, wait: g.InDegrees(),
		pending: make([]int32, g.Nodes+locs), current: make([]int32, locs),
		Order: make([]Node, 0, g.Nodes), before: make([]int32, 0, g.Nodes),
	}
	for x := range m.current {
		m.current[x] = int32(g.Nodes + x)
	}
	for i := range g.History.Ops {
		if op := &g.History.Ops[i]; op.Reads() {
			m.pending[m.writer(op)]++
		}
	}
	return m
}

func (m *Machine) writer(op *parse.Op) int32 {
	if op.RF == parse.Init {
		return int32(m.G.Nodes) + op.Loc
	}
	return int32(op.RF)
}

// Waits reports whether some predecessor of v is not done.
func (m *Machine) Waits(v Node) bool { return m.wait[v] > 0 }

// Blocked reports whether v is a write whose location holds a value with
// other readers to come.
func (m *Machine) Blocked(v Node) bool {
	if !m.IsWrite(v) {
		return false
	}
	op := &m.G.History.Ops[v]
	current := m.current[op.Loc]
	left := m.pending[current]
	if op.Reads() && m.writer(op) == current {
		left--
	}
	return left > 0
}

// Safe reports whether doing v, which neither waits nor is blocked, can turn
// no completable state into another: v is no write, or a write that leaves no
// reader of it to come.
func (m *Machine) Safe(v Node) bool {
	return !m.IsWrite(v) || m.G.History.Ops[v].Kind == parse.RMW || m.pending[v] == 0
}

// Do does v, which must neither wait nor be blocked, and calls freed for each
// node that no longer waits.
func (m *Machine) Do(v Node, freed func(Node)) {
	for _, a := range m.G.Out(v) {
		if m.wait[a.To]--; m.wait[a.To] == 0 {
			freed(a.To)
		}
	}
	held := int32(-1)
	if int(v) < len(m.G.History.Ops) {
		op := &m.G.History.Ops[v]
		if op.Reads() {
			m.pending[m.writer(op)]--
		}
		if op.Writes() {
			held = m.current[op.Loc]
			m.current[op.Loc] = int32(v)
		}
	}
	m.Order = append(m.Order, v)
	m.before = append(m.before, held)
}

// Undo takes the last node back.
func (m *Machine) Undo() Node {
	last := len(m.Order) - 1
	v, held := m.Order[last], m.before[last]
	m.Order, m.before = m.Order[:last], m.before[:last]
	for _, a := range m.G.Out(v) {
		m.wait[a.To]++
	}
	if int(v) < len(m.G.History.Ops) {
		op := &m.G.History.Ops[v]
		if op.Reads() {
			m.pending[m.writer(op)]++
		}
		if op.Writes() {
			m.current[op.Loc] = held
		}
	}
	return v
}

// Complete reports whether every node is done.
func (m *Machine) Complete() bool { return len(m.Order) == m.G.Nodes }

// Accesses is the operations done, fences left out.
func (m *Machine) Accesses() []parse.OpID { return m.G.accesses(m.Order) }

// IsWrite reports whether v is a write.
func (m *Machine) IsWrite(v Node) bool {
	return int(v) < len(m.G.History.Ops) && m.G.History.Ops[v].Writes()
}
