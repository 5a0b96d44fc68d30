package ruby

import (
	"ordeal/sim/slicc/ast"
	"ordeal/sim/slicc/types"
)

// word compiles an expression of one word, or a call without a result; nil
// for a call without effect.
func (cc *compiler) word(x types.Expr) wordExpr {
	switch x := x.(type) {
	case *types.Const:
		v := uint64(constant(x.Value).Int)
		return func(*controller) uint64 { return v }
	case *types.Use:
		at := cc.where(x.Var)
		return func(c *controller) uint64 { return c.words[at] }
	case *types.Member:
		return cc.wordMember(x)
	case *types.Call:
		if x.Func.Defined {
			return cc.wordCall(x)
		}
		return cc.builtinWord(x)
	case *types.Valid:
		f, not := cc.object(x.X), x.Not
		return func(c *controller) uint64 { return truth((f(c) == nil) == not) }
	case *types.Cast:
		return cc.word(x.X)
	case *types.Unary:
		return cc.unary(x)
	case *types.Binary:
		return cc.binary(x)
	}
	cc.unsupported(x.Pos(), "this expression")
	return zero
}

func zero(*controller) uint64 { return 0 }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (cc *compiler) unary(x *types.Unary) wordExpr {
	f := cc.word(x.X)
	switch x.Op {
	case ast.Not:
		return func(c *controller) uint64 { return f(c) ^ 1 }
	case ast.Neg:
		return func(c *controller) uint64 { return -f(c) }
	}
	return zero // statistics
}

// words compiles an expression whose value lies in words, one or several.
func (cc *compiler) words(x types.Expr) vectorExpr {
	if shapeOf(x.Type()) == vector {
		return cc.vector(x)
	}
	f, at := cc.word(x), cc.newWords([]uint64{0})
	return func(c *controller) []uint64 {
		c.words[at] = f(c)
		return c.words[at : at+1]
	}
}

// vector compiles an expression of several words. What it gives are the words
// of the variable themselves, if the expression names one.
func (cc *compiler) vector(x types.Expr) vectorExpr {
	size := cc.size(x.Type())
	switch x := x.(type) {
	case *types.Use:
		at := cc.where(x.Var)
		end := at + size
		return func(c *controller) []uint64 { return c.words[at:end] }
	case *types.Member:
		owner, offset, isObject := cc.member(x)
		size = max(size, 1)
		end := offset + size
		if isObject {
			return func(c *controller) []uint64 { return owner(c).words[offset:end] }
		}
		inner := cc.vector(x.X)
		return func(c *controller) []uint64 { return inner(c)[offset:end] }
	case *types.Call:
		if x.Func.Defined {
			call, code := cc.call(x)
			return func(c *controller) []uint64 {
				call(c)
				return c.words[code.result : code.result+code.size]
			}
		}
		return cc.builtinVector(x)
	case *types.New:
		start := cc.initial(x.Of, x.Of.Default)
		at := cc.newWords(start)
		return func(c *controller) []uint64 {
			copy(c.words[at:], start)
			return c.words[at : at+size]
		}
	}
	cc.unsupported(x.Pos(), "this expression of type %s", x.Type())
	return func(*controller) []uint64 { return nil }
}

// member finds where a field is: in an object, or else in the words of the
// structure that contains it.
func (cc *compiler) member(x *types.Member) (owner objectExpr, offset int, isObject bool) {
	offset = cc.layout(x.X.Type()).offset[x.Field]
	if shapeOf(x.X.Type()) != pointer {
		return nil, offset, false
	}
	pos := x.X.Pos()
	if use, ok := x.X.(*types.Use); ok {
		at := cc.where(use.Var)
		return func(c *controller) *object {
			o := c.pointers[at]
			if o == nil || o.dead {
				c.badPointer(o, pos)
			}
			return o
		}, offset, true
	}
	f := cc.object(x.X)
	return func(c *controller) *object {
		o := f(c)
		if o == nil || o.dead {
			c.badPointer(o, pos)
		}
		return o
	}, offset, true
}

func (cc *compiler) wordMember(x *types.Member) wordExpr {
	owner, offset, isObject := cc.member(x)
	if !isObject {
		inner := cc.vector(x.X)
		return func(c *controller) uint64 { return inner(c)[offset] }
	}
	if use, ok := x.X.(*types.Use); ok {
		at, pos := cc.where(use.Var), x.X.Pos()
		return func(c *controller) uint64 {
			o := c.pointers[at]
			if o == nil || o.dead {
				c.badPointer(o, pos)
			}
			return o.words[offset]
		}
	}
	return func(c *controller) uint64 { return owner(c).words[offset] }
}

// object compiles an expression that is a pointer.
func (cc *compiler) object(x types.Expr) objectExpr {
	switch x := x.(type) {
	case *types.Const:
		return noObject
	case *types.Use:
		at := cc.where(x.Var)
		return func(c *controller) *object { return c.pointers[at] }
	case *types.Call:
		if x.Func.Defined {
			call, code := cc.call(x)
			return func(c *controller) *object {
				call(c)
				return c.pointers[code.result]
			}
		}
		return cc.builtinObject(x)
	case *types.Cast:
		return cc.object(x.X)
	case *types.New:
		index := cc.layout(x.Of).index
		return func(c *controller) *object { return c.system.pools[index].get() }
	}
	cc.unsupported(x.Pos(), "this expression of type %s", x.Type())
	return noObject
}

// text compiles a string.
func (cc *compiler) text(x types.Expr) textExpr {
	switch x := x.(type) {
	case *types.Const:
		s := x.Value.Str
		return func(*controller) string { return s }
	case *types.Binary:
		left, right := cc.text(x.Left), cc.text(x.Right)
		return func(c *controller) string { return left(c) + right(c) }
	case *types.Call:
		if x.Func.Enum != nil && len(x.Args) == 1 {
			f, enums := cc.word(x.Args[0]), x.Func.Enum.Enums
			return func(c *controller) string {
				if v := f(c); v < uint64(len(enums)) {
					return enums[v].Name
				}
				return "unset"
			}
		}
	}
	cc.unsupported(x.Pos(), "this string")
	return func(*controller) string { return "" }
}

// wordCall compiles the call of a function of the protocol.
func (cc *compiler) wordCall(x *types.Call) wordExpr {
	call, code := cc.call(x)
	if code.shape == noValue {
		return func(c *controller) uint64 {
			call(c)
			return 0
		}
	}
	at := code.result
	return func(c *controller) uint64 {
		call(c)
		return c.words[at]
	}
}

// call compiles the passing of the arguments and the body of a function. An
// argument that is a call itself may use the places of the other arguments:
// such arguments come first, into places of their own.
func (cc *compiler) call(x *types.Call) (action, *funcCode) {
	code := cc.function(x.Func)
	if x.X != nil {
		cc.unsupported(x.At, "method %s with a body", x.Func.Name)
	}
	var first, second []statement
	for i, arg := range x.Args {
		t := x.Func.Params[i].Type
		if _, nested := arg.(*types.Use); nested || len(x.Args) == 1 {
			second = append(second, cc.store(arg.Pos(), t, code.params[i], arg))
			continue
		}
		if _, simple := arg.(*types.Const); simple && shapeOf(t) == word {
			second = append(second, cc.store(arg.Pos(), t, code.params[i], arg))
			continue
		}
		temp := &types.Var{Name: x.Func.Params[i].Name, Kind: types.LocalVar, Type: t}
		first = append(first, cc.store(arg.Pos(), t, cc.where(temp), arg))
		use := &types.Use{Node: types.Node{At: arg.Pos(), Of: t}, Var: temp}
		second = append(second, cc.store(arg.Pos(), t, code.params[i], use))
	}
	steps := append(first, second...)
	return func(c *controller) {
		for _, s := range steps {
			s(c)
		}
		code.body(c)
	}, code
}
