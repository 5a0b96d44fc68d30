package syntax

import (
	"strconv"
)

func (p *parser) expression() Expr { return p.binary(1) }

// exprs reads a list of expressions, a trailing comma allowed, up to and
// including the closing mark.
func (p *parser) exprs(end string) []Expr {
	var list []Expr
	for p.has(end) {
		list = append(list, p.expression())
		if !p.accept(",") {
			break
		}
	}
	p.expect(end)
	return list
}

// binary reads operators of at least the given precedence, all of which
// associate to the left. Every operand to the left adds a level of nesting,
// since the tree grows deeper by one.
func (p *parser) binary(precedence int) Expr {
	depth := p.depth
	p.enter()
	x := p.prefix()
	for !p.lost && p.tok().kind == operator {
		op := p.tok().op
		if op.Precedence() < precedence || op.Precedence() == 0 {
			break
		}
		pos := p.pos()
		p.advance()
		p.enter()
		x = &Binary{Op: op, OpPos: pos, Left: x, Right: p.binary(op.Precedence() + 1)}
	}
	p.depth = depth
	return x
}

// prefix reads ! and -, which bind tighter than any binary operator, and ++
// and --, whose operand is all that follows.
func (p *parser) prefix() Expr {
	if p.lost || p.tok().kind != operator {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	x := &Unary{ExprNode: ExprNode{p.pos()}}
	switch p.tok().op {
	case Not:
		x.Op = Not
	case Sub:
		x.Op = Neg
	case Inc, Dec:
		x.Op = p.tok().op
		p.advance()
		x.X = p.expression()
		return x
	default:
		p.fail("expected an expression, found %s", p.tok())
		return x
	}
	p.advance()
	x.X = p.prefix()
	return x
}

// postfix reads a primary expression and the members, calls and indices after
// it.
func (p *parser) postfix() Expr {
	depth := p.depth
	x := p.primary()
	for !p.lost {
		p.enter()
		if p.accept(".") {
			name := p.name("a member")
			if p.accept("(") {
				x = &MethodCall{X: x, Method: name, Args: p.exprs(")")}
			} else {
				x = &Member{X: x, Field: name}
			}
		} else if p.accept("[") {
			x = &Index{X: x, Args: p.exprs("]")}
		} else {
			break
		}
	}
	p.depth = depth
	return x
}

func (p *parser) primary() Expr {
	if p.lost {
		return &Null{}
	}
	t, pos := p.tok(), p.pos()
	switch t.kind {
	case ident:
		return p.named()
	case text:
		p.advance()
		return &String{ExprNode: ExprNode{pos}, Value: t.text}
	case number:
		value, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			p.fail("number %s does not fit into 64 bits", t.text)
		}
		p.advance()
		return &Int{ExprNode: ExprNode{pos}, Value: value}
	case float:
		p.advance()
		return &Float{ExprNode: ExprNode{pos}, Text: t.text}
	case keyword:
		return p.keywordExpr()
	}
	if p.accept("(") {
		x := p.expression()
		p.expect(")")
		return x
	}
	p.fail("expected an expression, found %s", t)
	return &Null{ExprNode: ExprNode{pos}}
}

// named reads what starts with an identifier: a variable, an enumerator, a
// call, or the declaration of a local variable.
func (p *parser) named() Expr {
	switch next := p.peek(1); {
	case next.is("("):
		name := p.name("")
		p.expect("(")
		return &Call{Func: name, Args: p.exprs(")")}
	case next.is(":"):
		x := &EnumLit{}
		p.enumName(&x.EnumName)
		return x
	case next.kind == ident, next.kind == colon2:
		return p.typed()
	}
	id := p.name("")
	return &Name{ExprNode: ExprNode{id.Pos}, Name: id.Name}
}

// typed reads "type IDENT" or "type::IDENT(args)".
func (p *parser) typed() Expr {
	first := p.name("")
	typ := TypeName(first)
	for !p.lost && p.tok().kind == colon2 {
		p.advance()
		id := p.name("an identifier after '::'")
		if p.accept("(") {
			return &ClassCall{Type: typ, Method: id, Args: p.exprs(")")}
		}
		typ.Name += "::" + id.Name
	}
	return &Local{Type: typ, Name: p.name("a variable after type " + typ.Name)}
}

func (p *parser) keywordExpr() Expr {
	t, pos := p.tok(), p.pos()
	switch t.text {
	case "true", "false":
		p.advance()
		return &Bool{ExprNode: ExprNode{pos}, Value: t.text == "true"}
	case "OOD":
		p.advance()
		return &Null{ExprNode: ExprNode{pos}}
	case "new":
		p.advance()
		x := &New{ExprNode: ExprNode{pos}}
		p.typeName(&x.Type)
		return x
	case "is_valid", "is_invalid":
		x := &Valid{ExprNode: ExprNode{pos}, Not: t.text == "is_invalid"}
		p.head(t.text)
		p.expr(&x.X)
		p.tail()
		return x
	case "static_cast":
		return p.cast()
	}
	p.fail("expected an expression, found %s", t)
	return &Null{ExprNode: ExprNode{pos}}
}

// cast reads static_cast(type, "mode", expr); the mode may be left out.
func (p *parser) cast() Expr {
	x := &Cast{ExprNode: ExprNode{p.pos()}}
	p.head("static_cast")
	p.typeName(&x.Type)
	p.comma()
	if !p.lost && p.tok().kind == text && p.peek(1).is(",") {
		p.text(&x.Mode, "")
		p.comma()
	}
	p.expr(&x.X)
	p.tail()
	return x
}
