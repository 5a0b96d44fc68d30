package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (g *generator) block(list []types.Stmt) statement {
	var code []statement
	for _, s := range list {
		if compiled := g.stmt(s); compiled != nil {
			code = append(code, compiled)
		}
	}
	switch len(code) {
	case 0:
		return func(*controller) flow { return next }
	case 1:
		return code[0]
	case 2:
		first, second := code[0], code[1]
		return func(c *controller) flow {
			if f := first(c); f != next {
				return f
			}
			return second(c)
		}
	}
	return func(c *controller) flow {
		for _, s := range code {
			if f := s(c); f != next {
				return f
			}
		}
		return next
	}
}

// stmt compiles a statement; nil for one without effect.
func (g *generator) stmt(s types.Stmt) statement {
	switch s := s.(type) {
	case *types.Declare:
		return g.declare(s)
	case *types.Assign:
		return g.assign(s.Left, s.Right)
	case *types.Eval:
		return g.eval(s.X)
	case *types.If:
		return g.ifStmt(s)
	case *types.Return:
		return g.returnStmt(s)
	case *types.Trigger:
		return g.trigger(s)
	case *types.Peek:
		return g.peek(s)
	case *types.Enqueue:
		return g.enqueue(s)
	case *types.PortAddr:
		return g.portAddr(s)
	}
	g.unsupported(s.Pos(), "this statement")
	return nil
}

func (g *generator) declare(s *types.Declare) statement {
	at := g.where(s.Var)
	if s.Init != nil {
		return g.store(s.Pos(), s.Var.Type, at, s.Init)
	}
	switch shapeOf(s.Var.Type) {
	case pointer:
		return func(c *controller) flow {
			c.pointers[at] = nil
			return next
		}
	case word, vector:
		start := g.initial(s.At, s.Var.Type, s.Var.Default)
		return func(c *controller) flow {
			copy(c.words[at:], start)
			return next
		}
	}
	return nil
}

func (g *generator) store(pos syntax.Pos, t *types.Type, at int, x types.Expr) statement {
	return g.storeThen(pos, t, at, x, next)
}

// storeThen compiles an assignment to a place, after which the flow is then. Those of a
// constant and of a variable, by far the most frequent ones, take one call.
func (g *generator) storeThen(pos syntax.Pos, t *types.Type, at int, x types.Expr, then flow) statement {
	use, isUse := x.(*types.Use)
	switch shapeOf(t) {
	case word:
		if k, ok := x.(*types.Const); ok {
			v := uint64(asNumber(k.Value).Int)
			return func(c *controller) flow {
				c.words[at] = v
				return then
			}
		}
		if isUse {
			from := g.where(use.Var)
			return func(c *controller) flow {
				c.words[at] = c.words[from]
				return then
			}
		}
		f := g.word(x)
		return func(c *controller) flow {
			c.words[at] = f(c)
			return then
		}
	case vector:
		f, size := g.vector(x), g.size(t)
		return func(c *controller) flow {
			copy(c.words[at:at+size], f(c))
			return then
		}
	case pointer:
		if isUse {
			from := g.where(use.Var)
			return func(c *controller) flow {
				c.pointers[at] = c.pointers[from]
				return then
			}
		}
		f := g.object(x)
		return func(c *controller) flow {
			c.pointers[at] = f(c)
			return then
		}
	}
	g.unsupported(pos, "assignment to a %s", t)
	return nil
}

func (g *generator) assign(left, right types.Expr) statement {
	switch left := left.(type) {
	case *types.Use:
		if left.Of.IsMessage() {
			return g.copyMessage(left, right)
		}
		return g.store(left.At, left.Of, g.where(left.Var), right)
	case *types.Member:
		return g.storeMember(left, right)
	}
	g.unsupported(left.Pos(), "assignment to this expression")
	return nil
}

// copyMessage gives one message the fields of another.
func (g *generator) copyMessage(left *types.Use, right types.Expr) statement {
	to, from, pos := g.object(left), g.object(right), left.At
	return func(c *controller) flow {
		m := c.live(from(c), pos)
		copy(to(c).words, m.words)
		return next
	}
}

func (g *generator) storeMember(left *types.Member, right types.Expr) statement {
	t := left.Of
	switch shapeOf(t) {
	case word, vector:
	default:
		g.unsupported(left.At, "assignment to a %s in a structure", t)
		return nil
	}
	owner, offset, isObject := g.member(left)
	if !isObject {
		to := g.vector(left)
		from := g.words(right)
		return func(c *controller) flow {
			copy(to(c), from(c))
			return next
		}
	}
	if shapeOf(t) == word {
		return g.storeWord(left.X, owner, offset, right)
	}
	f, size := g.vector(right), g.size(t)
	return func(c *controller) flow {
		v := f(c)
		copy(owner(c).words[offset:offset+size], v)
		return next
	}
}

// storeWord compiles an assignment to a word of an object. Those to what a variable
// points to, by far the most frequent ones, take one call where the value is a constant
// or a variable.
func (g *generator) storeWord(x types.Expr, owner objectExpr, offset int, right types.Expr) statement {
	use, ok := x.(*types.Use)
	if !ok {
		f := g.word(right)
		return func(c *controller) flow {
			v := f(c)
			owner(c).words[offset] = v
			return next
		}
	}
	at, pos := g.where(use.Var), x.Pos()
	switch right := right.(type) {
	case *types.Const:
		v := uint64(asNumber(right.Value).Int)
		return func(c *controller) flow {
			c.live(c.pointers[at], pos).words[offset] = v
			return next
		}
	case *types.Use:
		from := g.where(right.Var)
		return func(c *controller) flow {
			c.live(c.pointers[at], pos).words[offset] = c.words[from]
			return next
		}
	}
	f := g.word(right)
	return func(c *controller) flow {
		v := f(c)
		c.live(c.pointers[at], pos).words[offset] = v
		return next
	}
}

func (g *generator) eval(x types.Expr) statement {
	switch shapeOf(x.Type()) {
	case word, noValue:
		return discard(g.word(x))
	case vector:
		return discard(g.vector(x))
	case pointer:
		return discard(g.object(x))
	}
	return nil
}

// discard evaluates an expression for its effect.
func discard[T any](f func(*controller) T) statement {
	return func(c *controller) flow {
		f(c)
		return next
	}
}

func (g *generator) ifStmt(s *types.If) statement {
	if code := g.jump(s); code != nil {
		return code
	}
	if v, ok := s.Cond.(*types.Valid); ok {
		if use, ok := v.X.(*types.Use); ok {
			return ifValid(g.where(use.Var), v.Not, g.block(s.Then), g.block(s.Else))
		}
	}
	cond, then := g.word(s.Cond), g.block(s.Then)
	if len(s.Else) == 0 {
		return func(c *controller) flow {
			if cond(c) != 0 {
				return then(c)
			}
			return next
		}
	}
	otherwise := g.block(s.Else)
	return func(c *controller) flow {
		if cond(c) != 0 {
			return then(c)
		}
		return otherwise(c)
	}
}

// ifValid is a branch by whether a variable points to anything, as most are.
func ifValid(at int, not bool, then, otherwise statement) statement {
	return func(c *controller) flow {
		if (c.pointers[at] == nil) == not {
			return then(c)
		}
		return otherwise(c)
	}
}

func (g *generator) returnStmt(s *types.Return) statement {
	if g.result == nil {
		g.unsupported(s.Pos(), "return outside of a function")
		return nil
	}
	return g.storeThen(s.Pos(), s.X.Type(), g.result.result, s.X, leave)
}

func (g *generator) trigger(s *types.Trigger) statement {
	ev, line := g.word(s.Event), g.word(s.Addr)
	entry, tbe := noObject, noObject
	if s.Entry != nil {
		entry = g.object(s.Entry)
	}
	if s.TBE != nil {
		tbe = g.object(s.TBE)
	}
	events := uint64(len(g.code.machine.Event.Enums))
	pos, onNoRoom, onHeldBack := s.Pos(), g.handler(g.port.OnResourceStall), g.handler(g.port.OnProtocolStall)
	return func(c *controller) flow {
		e := ev(c)
		if e >= events {
			c.failAt(pos, "trigger of an unset event", "event %d", e)
		}
		var handler func(*controller) bool
		switch c.transition(int(e), memory.Addr(line(c)), entry(c), tbe(c)) {
		case done:
			return restart
		case noRoom:
			handler = onNoRoom
		case heldBack:
			handler = onHeldBack
		}
		if handler != nil && handler(c) {
			return restart
		}
		return next
	}
}

// handler compiles the function that a port names for stalls, which says whether
// the first port is next; nil for none.
func (g *generator) handler(f *types.Func) func(*controller) bool {
	if f == nil {
		return nil
	}
	code := g.function(f)
	return func(c *controller) bool {
		code.body(c)
		return c.words[code.result] != 0
	}
}

func noObject(*controller) *object { return nil }
