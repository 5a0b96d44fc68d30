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
	tagLoads              // what loads of one location returned, in order
)

// conflict is the contradiction that saturation found, if any.
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
	detour   []edgeRef // a path from from to to, if one is known
}

// edgeRef names one edge of the graph.
type edgeRef struct {
	from, to Node
	static   int32 // index in outTo, or -1
	inferred int32 // index in inferred, or -1; both -1: to follows from in its chain
}

// fail records that the edge of ref contradicts the rows.
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
