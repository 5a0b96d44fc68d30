package ruby

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// operandRef says where words are: in those of the controller from at on or, with an
// owner, in those of the object at that pointer.
type operandRef struct {
	owner uint32 // place of the pointer; nilPointer for the words of the controller
	at, n uint32
	pos   syntax.Pos // of the use of the object
}

// ref emits what evaluates an expression of several words, and says where they are: the
// words of the variable themselves, if the expression names one.
func (g *generator) ref(x types.Expr) operandRef {
	size := uint32(g.size(x.Type()))
	switch x := x.(type) {
	case *types.Use:
		return operandRef{owner: nilPointer, at: uint32(g.where(x.Var)), n: size}
	case *types.Member:
		offset := uint32(g.layout(x.X.Type()).offset[x.Field])
		if shapeOf(x.X.Type()) == pointer {
			return operandRef{owner: uint32(g.pointer(x.X)), at: offset, n: max(size, 1), pos: x.X.Pos()}
		}
		inner := g.ref(x.X)
		inner.at, inner.n = inner.at+offset, max(size, 1)
		return inner
	case *types.Call:
		if x.Func.Defined {
			code := g.call(x)
			return operandRef{owner: nilPointer, at: uint32(code.result), n: uint32(code.size)}
		}
	}
	at := g.newWords(make([]uint64, size))
	g.vectorInto(at, int(size), x)
	return operandRef{owner: nilPointer, at: uint32(at), n: size}
}

// heldRef is ref of words that are used after other expressions have been evaluated.
func (g *generator) heldRef(x types.Expr, later ...types.Expr) operandRef {
	r := g.ref(x)
	if r.owner != nilPointer && slices.ContainsFunc(later, calls) {
		kept := g.newPointer()
		g.emit(x.Pos(), instruction{op: opPoint, a: uint32(kept), b: r.owner})
		r.owner = uint32(kept)
	}
	return r
}

// textPart is a part of the text of an error: a constant, or the name of the value of an
// enumeration that is at a place.
type textPart struct {
	constant string
	enum     *types.Type
	place    int
}

// text emits what evaluates a string.
func (g *generator) text(x types.Expr) []textPart {
	switch x := x.(type) {
	case *types.Const:
		return []textPart{{constant: x.Value.Str}}
	case *types.Binary:
		return append(g.text(x.Left), g.text(x.Right)...)
	case *types.Call:
		if x.Func.Enum != nil && len(x.Args) == 1 {
			return []textPart{{enum: x.Func.Enum, place: g.place(x.Args[0])}}
		}
	}
	g.unsupported(x.Pos(), "this string")
	return nil
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// computed emits the arithmetic of two words and the comparison of values of other shapes, by
// natives; false for another expression.
func (g *generator) computed(at int, x *types.Binary) bool {
	name := x.Op.String()
	k := call{at: x.At}
	switch shapeOf(x.Left.Type()) {
	case word:
		if _, ok := wordNatives[name]; !ok {
			return false
		}
		left := g.held(x.Left, x.Right)
		k.args = []operandRef{wordRef(left), wordRef(g.place(x.Right))}
	case vector:
		name = "words " + name
		left := g.heldRef(x.Left, x.Right)
		k.args = []operandRef{left, g.ref(x.Right)}
	case pointer:
		name = "objects " + name
		left := g.heldPointer(x.Left, x.Right)
		k.args = []operandRef{wordRef(left), wordRef(g.pointer(x.Right))}
	default:
		g.unsupported(x.At, "operator %s between values of type %s", x.Op, x.Left.Type())
		return true
	}
	g.native(at, name, k)
	return true
}

// wordRef is a place of one word, or of a pointer.
func wordRef(at int) operandRef { return operandRef{owner: nilPointer, at: uint32(at), n: 1} }
