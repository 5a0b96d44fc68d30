package code

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// operandRef says where words are: in those of the controller from at on or, with an
// owner, in those of the object at that pointer.
type Operand struct {
	Owner uint32 // place of the pointer; nilPointer for the words of the controller
	At, N uint32
	Pos   syntax.Pos // of the use of the object
}

// ref emits what evaluates an expression of several words, and says where they are: the
// words of the variable themselves, if the expression names one.
func (g *generator) ref(x types.Expr) Operand {
	size := uint32(g.Size(x.Type()))
	switch x := x.(type) {
	case *types.Use:
		return Operand{Owner: NilPointer, At: uint32(g.where(x.Var)), N: size}
	case *types.Member:
		offset := uint32(g.Layout(x.X.Type()).Offset[x.Field])
		if ShapeOf(x.X.Type()) == Pointer {
			return Operand{Owner: uint32(g.pointer(x.X)), At: offset, N: max(size, 1), Pos: x.X.Pos()}
		}
		inner := g.ref(x.X)
		inner.At, inner.N = inner.At+offset, max(size, 1)
		return inner
	case *types.Call:
		if x.Func.Defined {
			code := g.call(x)
			return Operand{Owner: NilPointer, At: uint32(code.Result), N: uint32(code.size)}
		}
	}
	at := g.newWords(make([]uint64, size))
	g.vectorInto(at, int(size), x)
	return Operand{Owner: NilPointer, At: uint32(at), N: size}
}

// materializedRef is ref of words that are used after other expressions have been evaluated.
func (g *generator) materializedRef(x types.Expr, later ...types.Expr) Operand {
	r := g.ref(x)
	if r.Owner != NilPointer && slices.ContainsFunc(later, calls) {
		kept := g.newPointer()
		g.emit(x.Pos(), Instruction{Op: OpPoint, A: uint32(kept), B: r.Owner})
		r.Owner = uint32(kept)
	}
	return r
}

// textPart is a part of the text of an error: a constant, or the name of the value of an
// enumeration that is at a place.
type textPart struct {
	Constant string
	Enum     *types.Type
	Place    int
}

// Text emits what evaluates a string.
func (g *generator) text(x types.Expr) []textPart {
	switch x := x.(type) {
	case *types.Const:
		return []textPart{{Constant: x.Value.Str}}
	case *types.Binary:
		return append(g.text(x.Left), g.text(x.Right)...)
	case *types.Call:
		if x.Func.Enum != nil && len(x.Args) == 1 {
			return []textPart{{Enum: x.Func.Enum, Place: g.place(x.Args[0])}}
		}
	}
	g.unsupported(x.Pos(), "this string")
	return nil
}

// computed emits the arithmetic of two words and the comparison of values of other shapes, by
// natives; false for another expression.
func (g *generator) computed(at int, x *types.Binary) bool {
	name := x.Op.String()
	k := Call{At: x.At}
	switch ShapeOf(x.Left.Type()) {
	case Word:
		if _, ok := g.natives(name); !ok {
			return false
		}
		left := g.materialized(x.Left, x.Right)
		k.Args = []Operand{wordRef(left), wordRef(g.place(x.Right))}
	case Vector:
		name = "words " + name
		left := g.materializedRef(x.Left, x.Right)
		k.Args = []Operand{left, g.ref(x.Right)}
	case Pointer:
		name = "objects " + name
		left := g.materializedPointer(x.Left, x.Right)
		k.Args = []Operand{wordRef(left), wordRef(g.pointer(x.Right))}
	default:
		g.unsupported(x.At, "operator %s between values of type %s", x.Op, x.Left.Type())
		return true
	}
	g.native(at, name, k)
	return true
}

// wordRef is a place of one word, or of a pointer.
func wordRef(at int) Operand { return Operand{Owner: NilPointer, At: uint32(at), N: 1} }
