package ruby

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// word compiles an expression of one word, or a call without a result.
func (g *generator) word(x types.Expr) wordExpr {
	if s := shapeOf(x.Type()); s != word && s != noValue {
		g.unsupported(x.Pos(), "this expression of type %s", x.Type())
		return zero
	}
	switch x := x.(type) {
	case *types.Const:
		v := uint64(asNumber(x.Value).Int)
		return func(*controller) uint64 { return v }
	case *types.Use:
		at := g.where(x.Var)
		return func(c *controller) uint64 { return c.words[at] }
	case *types.Member:
		return g.wordMember(x)
	case *types.Call:
		if x.Func.Defined {
			return g.wordCall(x)
		}
		if emitter(x) != nil {
			return g.emittedWord(x)
		}
		if f := implement(g, x, wordBuiltins, nil); f != nil {
			return f
		}
		return zero
	case *types.Valid:
		f, not := g.object(x.X), x.Not
		return func(c *controller) uint64 { return truth((f(c) == nil) == not) }
	case *types.Cast:
		return g.word(x.X)
	case *types.Unary:
		return g.unary(x)
	case *types.Binary:
		return g.binary(x)
	}
	return zero
}

func zero(*controller) uint64 { return 0 }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (g *generator) unary(x *types.Unary) wordExpr {
	if x.Op != syntax.Not && x.Op != syntax.Neg {
		return zero // statistics
	}
	f := g.word(x.X)
	if x.Op == syntax.Not {
		return func(c *controller) uint64 { return f(c) ^ 1 }
	}
	return func(c *controller) uint64 { return -f(c) }
}

// words compiles an expression whose value lies in words, one or several.
func (g *generator) words(x types.Expr) vectorExpr {
	if shapeOf(x.Type()) == vector {
		return g.vector(x)
	}
	f, at := g.word(x), g.newWords([]uint64{0})
	return func(c *controller) []uint64 {
		c.words[at] = f(c)
		return c.words[at : at+1]
	}
}

// vector compiles an expression of several words. What it gives are the words
// of the variable themselves, if the expression names one.
func (g *generator) vector(x types.Expr) vectorExpr {
	size := g.size(x.Type())
	switch x := x.(type) {
	case *types.Use:
		at := g.where(x.Var)
		end := at + size
		return func(c *controller) []uint64 { return c.words[at:end] }
	case *types.Member:
		owner, offset, isObject := g.member(x)
		size = max(size, 1)
		end := offset + size
		if isObject {
			return func(c *controller) []uint64 { return owner(c).words[offset:end] }
		}
		inner := g.vector(x.X)
		return func(c *controller) []uint64 { return inner(c)[offset:end] }
	case *types.Call:
		if x.Func.Defined {
			r, code := g.called(x)
			return func(c *controller) []uint64 {
				c.exec(r.entry)
				return c.words[code.result : code.result+code.size]
			}
		}
		return implement(g, x, vectorBuiltins, func(*controller) []uint64 { return nil })
	case *types.New:
		start := g.initial(x.At, x.Of, x.Of.Default)
		at := g.newWords(start)
		return func(c *controller) []uint64 {
			copy(c.words[at:], start)
			return c.words[at : at+size]
		}
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
	return func(*controller) []uint64 { return nil }
}

// member finds where a field is: in an object, or else in the words of the
// structure that contains it.
func (g *generator) member(x *types.Member) (owner objectExpr, offset int, isObject bool) {
	offset = g.layout(x.X.Type()).offset[x.Field]
	if shapeOf(x.X.Type()) != pointer {
		return nil, offset, false
	}
	pos := x.X.Pos()
	if use, ok := x.X.(*types.Use); ok {
		at := g.where(use.Var)
		return func(c *controller) *object { return c.live(c.pointers[at], pos) }, offset, true
	}
	f := g.object(x.X)
	return func(c *controller) *object { return c.live(f(c), pos) }, offset, true
}

func (g *generator) wordMember(x *types.Member) wordExpr {
	owner, offset, isObject := g.member(x)
	if !isObject {
		inner := g.vector(x.X)
		return func(c *controller) uint64 { return inner(c)[offset] }
	}
	if use, ok := x.X.(*types.Use); ok {
		at, pos := g.where(use.Var), x.X.Pos()
		return func(c *controller) uint64 { return c.live(c.pointers[at], pos).words[offset] }
	}
	return func(c *controller) uint64 { return owner(c).words[offset] }
}

func (g *generator) object(x types.Expr) objectExpr {
	switch x := x.(type) {
	case *types.Const:
		return noObject
	case *types.Use:
		at := g.where(x.Var)
		return func(c *controller) *object { return c.pointers[at] }
	case *types.Call:
		if x.Func.Defined {
			r, code := g.called(x)
			return func(c *controller) *object {
				c.exec(r.entry)
				return c.pointers[code.result]
			}
		}
		if emitter(x) != nil {
			return g.emittedObject(x)
		}
		return implement(g, x, objectBuiltins, noObject)
	case *types.Cast:
		return g.object(x.X)
	case *types.New:
		index := g.layout(x.Of).index
		return func(c *controller) *object { return c.system.pools[index].get() }
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
	return noObject
}

func (g *generator) text(x types.Expr) textExpr {
	switch x := x.(type) {
	case *types.Const:
		s := x.Value.Str
		return func(*controller) string { return s }
	case *types.Binary:
		left, right := g.text(x.Left), g.text(x.Right)
		return func(c *controller) string { return left(c) + right(c) }
	case *types.Call:
		if x.Func.Enum != nil && len(x.Args) == 1 {
			f, enums := g.word(x.Args[0]), x.Func.Enum.Enums
			return func(c *controller) string {
				if v := f(c); v < uint64(len(enums)) {
					return enums[v].Name
				}
				return "unset"
			}
		}
	}
	g.unsupported(x.Pos(), "this string")
	return func(*controller) string { return "" }
}

func (g *generator) wordCall(x *types.Call) wordExpr {
	r, code := g.called(x)
	if code.shape == noValue {
		return func(c *controller) uint64 {
			c.exec(r.entry)
			return 0
		}
	}
	at := code.result
	return func(c *controller) uint64 {
		c.exec(r.entry)
		return c.words[at]
	}
}

func noObject(*controller) *object { return nil }
