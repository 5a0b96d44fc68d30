package saturate

import "ordeal/check/witness"

// tag says why a static edge holds.
type tag uint8

const (
	tagProgram tag = iota // program order, a fence or a dependency
	tagReads              // reads-from
	tagOwn                // a write before what a later own read returned
	tagSameLoc            // coherence within one thread
	tagFinal              // into the final write
	tagOrder              // the known store order
)

// inferredEdge is an edge that a rule produced or a caller assumed. Its index
// in Graph.inferred is its serial number: the premise of a rule uses edges
// with smaller numbers only.
type inferredEdge struct {
	from, to, via Node
	next          int32 // the source's previous inferred edge, -1 for none
	rule          witness.Rule
}

// conflict is why saturation failed. The zero value means that it did not.
type conflict struct {
	found bool
	// cycle, if not nil, is a cycle of static facts.
	cycle []witness.Edge
	// Otherwise from precedes to along edges, and closes says how that
	// contradicts: by an edge from to to from (with its reason), or, where
	// to is a read of an initial write and from a write to its location, by
	// rule A.
	from, to Node
	initial  bool
	closing  edgeRef
}

// edgeRef names one edge of the graph.
type edgeRef struct {
	from, to Node
	static   int32 // index in outTo, or -1
	inferred int32 // index in inferred, or -1; both -1: to follows from in its chain
}

// link adds an inferred edge to the lists and returns its reference.
func (g *Graph) link(u, v Node, rule witness.Rule, via Node) edgeRef {
	id := int32(len(g.inferred))
	g.inferred = append(g.inferred, inferredEdge{from: u, to: v, via: via, next: g.head[u], rule: rule})
	g.head[u] = id
	return edgeRef{from: u, to: v, static: -1, inferred: id}
}

// fail records that the edge of ref contradicts what the rows show.
func (g *Graph) fail(ref edgeRef) bool {
	g.conflict = conflict{found: true, from: ref.to, to: ref.from, closing: ref}
	return false
}

// failInit records that the write u precedes r, which reads the initial
// write.
func (g *Graph) failInit(u, r Node) bool {
	g.conflict = conflict{found: true, from: u, to: r, initial: true}
	return false
}

// Inferred is the number of inferred edges so far.
func (g *Graph) Inferred() int { return len(g.inferred) }

// InferredEdge returns the ends, rule and third operation of an inferred
// edge, in order of inference. via is a read for DerivedA, the writer (a node
// or NoNode for the initial write) for DerivedB and FromRead, else NoNode.
func (g *Graph) InferredEdge(i int) (from, to Node, rule witness.Rule, via Node) {
	e := &g.inferred[i]
	return e.from, e.to, e.rule, e.via
}
