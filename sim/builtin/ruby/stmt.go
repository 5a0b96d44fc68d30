package ruby

import (
	"fmt"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/ast"
	"ordeal/sim/slicc/types"
)

// block compiles a list of statements.
func (cc *compiler) block(list []types.Stmt) statement {
	var code []statement
	for _, s := range list {
		if compiled := cc.stmt(s); compiled != nil {
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
func (cc *compiler) stmt(s types.Stmt) statement {
	switch s := s.(type) {
	case *types.Declare:
		return cc.declare(s)
	case *types.Assign:
		return cc.assign(s.Left, s.Right)
	case *types.Eval:
		return cc.eval(s.X)
	case *types.If:
		return cc.ifStmt(s)
	case *types.Return:
		return cc.returnStmt(s)
	case *types.Trigger:
		return cc.trigger(s)
	case *types.Peek:
		return cc.peek(s)
	case *types.Enqueue:
		return cc.enqueue(s)
	case *types.PortAddr:
		return cc.portAddr(s)
	case *types.CheckAllocate, *types.StallPort, *types.CheckNextCycle:
		return nil // all done, or asked for, elsewhere
	}
	cc.unsupported(s.Pos(), "this statement")
	return nil
}

func (cc *compiler) declare(s *types.Declare) statement {
	at := cc.where(s.Var)
	if s.Init != nil {
		return cc.store(s.Pos(), s.Var.Type, at, s.Init)
	}
	switch shapeOf(s.Var.Type) {
	case pointer:
		return func(c *controller) flow {
			c.pointers[at] = nil
			return next
		}
	case word, vector:
		start := cc.initial(s.Var.Type, s.Var.Default)
		return func(c *controller) flow {
			copy(c.words[at:], start)
			return next
		}
	}
	return nil
}

// store compiles the assignment of an expression to a variable's place.
func (cc *compiler) store(pos ast.Pos, t *types.Type, at int, x types.Expr) statement {
	switch shapeOf(t) {
	case word:
		f := cc.word(x)
		return func(c *controller) flow {
			c.words[at] = f(c)
			return next
		}
	case vector:
		f, size := cc.vector(x), cc.size(t)
		return func(c *controller) flow {
			copy(c.words[at:at+size], f(c))
			return next
		}
	case pointer:
		f := cc.object(x)
		return func(c *controller) flow {
			c.pointers[at] = f(c)
			return next
		}
	}
	cc.unsupported(pos, "assignment to a %s", t)
	return nil
}

func (cc *compiler) assign(left, right types.Expr) statement {
	switch left := left.(type) {
	case *types.Use:
		return cc.store(left.At, left.Of, cc.where(left.Var), right)
	case *types.Member:
		return cc.storeMember(left, right)
	}
	cc.unsupported(left.Pos(), "assignment to this expression")
	return nil
}

func (cc *compiler) storeMember(left *types.Member, right types.Expr) statement {
	t := left.Of
	switch shapeOf(t) {
	case word, vector:
	default:
		cc.unsupported(left.At, "assignment to a %s in a structure", t)
		return nil
	}
	owner, offset, isObject := cc.member(left)
	if !isObject {
		to := cc.vector(left)
		from := cc.words(right)
		return func(c *controller) flow {
			copy(to(c), from(c))
			return next
		}
	}
	if shapeOf(t) == word {
		f := cc.word(right)
		return func(c *controller) flow {
			v := f(c)
			owner(c).words[offset] = v
			return next
		}
	}
	f, size := cc.vector(right), cc.size(t)
	return func(c *controller) flow {
		v := f(c)
		copy(owner(c).words[offset:offset+size], v)
		return next
	}
}

func (cc *compiler) eval(x types.Expr) statement {
	switch shapeOf(x.Type()) {
	case word, noValue:
		f := cc.word(x)
		if f == nil {
			return nil
		}
		return func(c *controller) flow {
			f(c)
			return next
		}
	case vector:
		f := cc.vector(x)
		return func(c *controller) flow {
			f(c)
			return next
		}
	case pointer:
		f := cc.object(x)
		return func(c *controller) flow {
			f(c)
			return next
		}
	}
	return nil
}

func (cc *compiler) ifStmt(s *types.If) statement {
	cond, then := cc.word(s.Cond), cc.block(s.Then)
	if len(s.Else) == 0 {
		return func(c *controller) flow {
			if cond(c) != 0 {
				return then(c)
			}
			return next
		}
	}
	otherwise := cc.block(s.Else)
	return func(c *controller) flow {
		if cond(c) != 0 {
			return then(c)
		}
		return otherwise(c)
	}
}

func (cc *compiler) returnStmt(s *types.Return) statement {
	if cc.result == nil {
		cc.unsupported(s.Pos(), "return outside of a function")
		return nil
	}
	set := cc.store(s.Pos(), s.X.Type(), cc.result.result, s.X)
	return func(c *controller) flow {
		set(c)
		return leave
	}
}

func (cc *compiler) trigger(s *types.Trigger) statement {
	ev, line := cc.word(s.Event), cc.word(s.Addr)
	entry, tbe := noObject, noObject
	if s.Entry != nil {
		entry = cc.object(s.Entry)
	}
	if s.TBE != nil {
		tbe = cc.object(s.TBE)
	}
	events := uint64(len(cc.code.machine.Event.Enums))
	pos := s.Pos()
	return func(c *controller) flow {
		e := ev(c)
		if e >= events {
			c.fail(fmt.Sprintf("trigger of an unset event at %s", pos), "event %d", e)
		}
		if c.transition(int(e), memory.Addr(line(c)), entry(c), tbe(c)) {
			return restart
		}
		return next
	}
}

func noObject(*controller) *object { return nil }
