// Package shapes holds critical cycles as data: the smallest multi-threaded
// programs on which memory models differ, each with the outcome that closes
// its cycle and the models that allow that outcome.
//
// The names are those of Alglave, Maranget and Tautschnig, "Herding cats"
// (TOPLAS 2014, Sect. 4). The package imports no other, so that
// the generator can plant shapes and the checker can be tested on them.
package shapes

// Kind says what an operation of a shape does.
type Kind uint8

// The kinds of operation.
const (
	KindUnknown Kind = iota
	Load             // reads Loc; in the outcome it returns Read
	Store            // writes Write to Loc
	Exchange         // atomically reads Loc, in the outcome Read, and writes Write
	Fence            // orders everything before it with everything after it
	// Of shapes with edges of an instruction set only:
	Add              // atomically reads Loc and adds what no other operation adds
	LoadLinked       // reads Loc and watches it
	StoreConditional // writes Write to Loc unless it was written since its LoadLinked
)

// Op is one operation of a shape. Values are 0 for the initial value of every
// location; no two operations of a shape write the same value, so Read names
// the operation read from. What a LoadLinked that only begins a store reads, and
// what an Add writes, the outcome does not say.
type Op struct {
	Kind  Kind
	Loc   int // symbolic location, from 0
	Read  int
	Write int
	// Words are those that stand behind the operation, without its location and value, in
	// the text form of programs of other instruction sets than x86-64.
	Words string
}

// Models is a set of memory models.
type Models uint8

// The models that ask for a global memory order.
const (
	SC Models = 1 << iota
	TSO
	PSO
	RMO
)

// Shape is a critical cycle.
type Shape struct {
	Name    string
	Threads [][]Op
	// Locations is how many symbolic locations the shape has.
	Locations int
	// Final gives the value that memory must hold at the end for the cycle
	// to close, for each location of which the outcome says that; 0 where
	// it says nothing (no shape asks for an initial value).
	Final []int
	// Allowed holds the models under which the outcome is possible.
	Allowed Models
	_       struct{}
}

// Base returns the shapes as the literature draws them, without fences and
// atomics. The caller may change the result.
func Base() []Shape {
	list := make([]Shape, 0, len(table))
	for _, row := range table {
		list = append(list, row.shape())
	}
	return list
}

// All returns each shape of Base followed by its variants. The caller may
// change the result.
func All() []Shape {
	var list []Shape
	for _, s := range Base() {
		// A separator needs two operations of one thread.
		if s.Longest() > 1 {
			list = append(list, s, fenced(s), exchanged(s), separated(s))
		} else {
			list = append(list, s, exchanged(s))
		}
	}
	return list
}

// ByName returns the shape of All that has the name, exactly as written.
func ByName(name string) (Shape, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Shape{}, false
}

// Longest is the number of operations of the longest thread.
func (s *Shape) Longest() int {
	n := 0
	for _, ops := range s.Threads {
		n = max(n, len(ops))
	}
	return n
}
