package compiler

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (c *checker) stmts(b *syntax.Block) []types.Stmt {
	list := make([]types.Stmt, 0, len(b.Stmts))
	for _, s := range b.Stmts {
		if c.full() {
			break
		}
		if checked := c.stmt(s); checked != nil {
			list = append(list, checked)
		}
	}
	return list
}

func (c *checker) block(b *syntax.Block) []types.Stmt {
	c.push()
	defer c.pop()
	return c.stmts(b)
}

// stmt checks a statement; nil for one without effect.
func (c *checker) stmt(s syntax.Stmt) types.Stmt {
	at := types.Place{At: s.Position()}
	switch s := s.(type) {
	case *syntax.ExprStmt:
		return c.exprStmt(at, s)
	case *syntax.Assign:
		return c.assign(at, s)
	case *syntax.If:
		return c.ifStmt(at, s)
	case *syntax.Return:
		return c.returnStmt(at, s)
	case *syntax.Peek:
		return c.peek(at, s)
	case *syntax.Enqueue:
		return c.enqueue(at, s)
	case *syntax.PortStmt:
		return c.portAddr(at, s)
	case *syntax.CheckAllocate:
		if table := c.variable(s.Table); table != nil {
			c.routine.demand(table)
		}
	case *syntax.CheckStopSlots:
		c.fault(s.Pos, "check_stop_slots is not supported, by gem5 neither")
	case *syntax.Block:
		return &types.If{Place: at, Cond: c.literal(s.Pos, "bool", types.Value{Kind: types.BoolValue, Int: 1}), Then: c.block(s)}
	}
	return nil
}

func (c *checker) exprStmt(at types.Place, s *syntax.ExprStmt) types.Stmt {
	switch x := s.X.(type) {
	case *syntax.Local:
		return &types.Declare{Place: at, Var: c.local(x, c.valueType(x.Type))}
	case *syntax.Call:
		if isComment(x.Func.Name) {
			return nil
		}
		if x.Func.Name == "trigger" || x.Func.Name == "stallPort" {
			return c.portCall(at, x)
		}
	}
	return &types.Eval{Place: at, X: c.expr(s.X)}
}

// isComment reports whether a call only writes to gem5's logs. Its arguments
// may name debug flags and are not looked at.
func isComment(name string) bool {
	return name == "DPRINTF" || name == "DPRINTFN" || name == "APPEND_TRANSITION_COMMENT"
}

func (c *checker) local(x *syntax.Local, typ *types.Type) *types.Var {
	return c.declareVar(&types.Var{
		Name: x.Name.Name, Kind: types.LocalVar, Type: typ, Pos: x.Name.Pos, Default: typ.Default,
	})
}

func (c *checker) assign(at types.Place, s *syntax.Assign) types.Stmt {
	if x, ok := s.Left.(*syntax.Local); ok {
		typ := c.valueType(x.Type)
		init := c.expr(s.Right)
		c.assignable(s.Right.Position(), "assign", typ, init.Type())
		return &types.Declare{Place: at, Var: c.local(x, typ), Init: init}
	}
	left := c.expr(s.Left)
	right := c.expr(s.Right)
	c.lvalue(left)
	c.assignable(s.Right.Position(), "assign", left.Type(), right.Type())
	return &types.Assign{Place: at, Left: left, Right: right}
}

// lvalue demands that an expression can be assigned to. What it is a part of
// must not be the message at the head of a port, which gem5 hands out as
// constant, nor a parameter passed by value. What a pointer or the result of a
// function refers to can be changed.
func (c *checker) lvalue(x types.Expr) {
	switch x := x.(type) {
	case *types.Bad:
	case *types.Use:
		v := x.Var
		switch {
		case v.Kind == types.InPortVar || v.Kind == types.OutPortVar:
			c.fault(x.At, "port %s cannot be assigned to", v.Name)
		case v.Kind == types.InMsgVar:
			c.fault(x.At, "in_msg cannot be assigned to")
		case v.Argument && !v.ByRef && !v.Type.IsPointer():
			c.fault(x.At, "parameter %s is passed by value and cannot be assigned to", v.Name)
		}
	case *types.Member:
		if x.X.Type().IsPointer() {
			return
		}
		switch x.X.(type) {
		case *types.Use, *types.Member:
			c.lvalue(x.X)
		}
	case *types.Call:
		c.fault(x.At, "the result of %s cannot be assigned to", x.Func.Name)
	default:
		c.fault(x.Pos(), "this expression cannot be assigned to")
	}
}

func (c *checker) condition(x syntax.Expr) types.Expr {
	cond := c.expr(x)
	if t := cond.Type(); t.Kind != types.Bool && t.Kind != types.Invalid {
		c.fault(x.Position(), "condition is %s, not bool", t)
	}
	return cond
}

func (c *checker) ifStmt(at types.Place, s *syntax.If) types.Stmt {
	checked := &types.If{Place: at, Cond: c.condition(s.Cond), Then: c.block(s.Then)}
	switch e := s.Else.(type) {
	case *syntax.Block:
		checked.Else = c.block(e)
	case *syntax.If:
		checked.Else = []types.Stmt{c.ifStmt(types.Place{At: e.Pos}, e)}
	}
	return checked
}

func (c *checker) returnStmt(at types.Place, s *syntax.Return) types.Stmt {
	x := c.expr(s.X)
	switch want := c.routine.result; {
	case want == nil:
		c.fault(s.Pos, "return outside of a function")
	case want.Kind == types.Void:
		c.fault(s.Pos, "return in a void function")
	case c.routine.enqueues > 0:
		c.fault(s.Pos, "return inside enqueue")
	case c.routine.stub && want.Kind == types.Int && x.Type().Name == "int": // its value is all that is meant
	default:
		c.assignable(s.X.Position(), "return", want, x.Type())
	}
	return &types.Return{Place: at, X: x}
}

// message declares in_msg or out_msg in the scope at hand.
func (c *checker) message(kind types.VarKind, name string, typ *types.Type, pos syntax.Pos) *types.Var {
	if typ.Kind != types.Invalid && !typ.IsMessage() {
		c.fault(pos, "%s is no message: it lacks interface=\"Message\"", typ)
	}
	return c.declareVar(&types.Var{Name: name, Kind: kind, Type: typ, Pos: pos})
}

func (c *checker) peek(at types.Place, s *syntax.Peek) types.Stmt {
	checked := &types.Peek{Place: at, Port: c.inPort(s.Port)}
	c.push()
	defer c.pop()
	typ := c.typeNamed(s.Type)
	checked.Msg = c.message(types.InMsgVar, "in_msg", typ, s.Type.Pos)
	checked.BlockOn = c.addrField(s.Pairs.Find("block_on"), typ)
	checked.WakeUp = c.addrField(s.Pairs.Find("wake_up"), typ)
	if checked.BlockOn != nil && c.routine.place != inPort {
		c.fault(s.Pos, "block_on is possible in the body of an in_port only")
	}
	checked.Body = c.stmts(s.Body)
	return checked
}

// addrField resolves the field of a message that an attribute names.
func (c *checker) addrField(pair *syntax.Pair, typ *types.Type) *types.Field {
	if pair == nil || typ.Kind == types.Invalid {
		return nil
	}
	f := typ.Field(pair.Value)
	if f == nil {
		c.fault(pair.Pos, "%s has no field %s%s", typ, pair.Value, syntax.Suggestion(pair.Value, fields(typ)))
	} else if f.Type.Name != "Addr" && f.Type.Kind != types.Invalid {
		c.fault(pair.Pos, "%s needs an Addr, field %s is %s", pair.Key, f.Name, f.Type)
	}
	return f
}

func (c *checker) enqueue(at types.Place, s *syntax.Enqueue) types.Stmt {
	checked := &types.Enqueue{Place: at, Port: c.outPort(s.Port), Deferred: s.Deferred}
	if s.Deferred && c.routine.place != inAction {
		c.fault(s.Pos, "defer_enqueueing is possible in an action only")
	}
	if s.Latency != nil {
		checked.Latency = c.expr(s.Latency)
		if t := checked.Latency.Type(); t.Kind != types.Int && t.Kind != types.Invalid {
			c.fault(s.Latency.Position(), "latency is %s, not a number of cycles", t)
		}
	}
	if s.Bypass != nil {
		c.condition(s.Bypass)
	}
	if checked.Port != nil {
		c.routine.demand(checked.Port.Var)
	}
	c.push()
	defer c.pop()
	c.routine.enqueues++
	defer func() { c.routine.enqueues-- }()
	checked.Msg = c.message(types.OutMsgVar, "out_msg", c.typeNamed(s.Type), s.Type.Pos)
	checked.Body = c.stmts(s.Body)
	return checked
}

func (c *checker) portAddr(at types.Place, s *syntax.PortStmt) types.Stmt {
	checked := &types.PortAddr{Place: at, Kind: s.Kind, Port: c.inPort(s.Port)}
	if s.Kind == syntax.CheckProbe && c.routine.place != inPort {
		c.fault(s.Pos, "check_on_cache_probe is possible in the body of an in_port only")
	}
	v := c.variable(s.Addr)
	if v == nil {
		return checked
	}
	if v.Type.Name != "Addr" && v.Type.Kind != types.Invalid {
		c.fault(s.Addr.Pos, "%s is %s, not Addr", v.Name, v.Type)
	}
	checked.Addr = &types.Use{Node: types.Node{At: s.Addr.Pos, Of: v.Type}, Var: v}
	return checked
}
