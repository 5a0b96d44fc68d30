package syntax

import (
	"strconv"
)

// expression writes an expression with the parentheses it needs and no others.
func (p *printer) expression(x Expr) {
	switch x := x.(type) {
	case *Name:
		p.put(x.Name)
	case *String:
		p.put(quote(x.Value))
	case *Int:
		p.put(strconv.FormatInt(x.Value, 10))
	case *Float:
		p.put(x.Text)
	case *Bool:
		p.put(strconv.FormatBool(x.Value))
	case *Null:
		p.put("OOD")
	case *EnumLit:
		p.enumName(&x.EnumName)
	case *Local:
		p.put(x.Type.Name, " ", x.Name.Name)
	case *Call:
		p.put(x.Func.Name)
		p.args("(", x.Args, ")")
	case *MethodCall:
		p.operand(x.X)
		p.put(".", x.Method.Name)
		p.args("(", x.Args, ")")
	case *ClassCall:
		p.put(x.Type.Name, "::", x.Method.Name)
		p.args("(", x.Args, ")")
	case *Index:
		p.operand(x.X)
		p.args("[", x.Args, "]")
	case *Member:
		p.operand(x.X)
		p.put(".", x.Field.Name)
	case *New:
		p.put("new ", x.Type.Name)
	case *Valid:
		p.put(map[bool]string{false: "is_valid", true: "is_invalid"}[x.Not])
		p.args("(", []Expr{x.X}, ")")
	case *Cast:
		p.put("static_cast(", x.Type.Name, ", ")
		if x.Mode != "" {
			p.put(quote(x.Mode), ", ")
		}
		p.expression(x.X)
		p.put(")")
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binarySide(x.Left, x.Op.Precedence())
		p.put(" ", x.Op.String(), " ")
		p.binarySide(x.Right, x.Op.Precedence()+1)
	}
}

func (p *printer) args(open string, list []Expr, end string) {
	p.put(open)
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.expression(x)
	}
	p.put(end)
}

func (p *printer) parens(x Expr, needed bool) {
	if needed {
		p.put("(")
	}
	p.expression(x)
	if needed {
		p.put(")")
	}
}

// isStep reports whether x is ++ or --, whose operand reaches as far to the
// right as it can.
func isStep(x Expr) bool {
	u, ok := x.(*Unary)
	return ok && (u.Op == Inc || u.Op == Dec)
}

// operand writes what a '.' or '[' follows.
func (p *printer) operand(x Expr) {
	switch x.(type) {
	case *Unary, *Binary:
		p.parens(x, true)
	default:
		p.expression(x)
	}
}

// binarySide writes an operand of a binary operator that must bind at least
// as tightly as precedence.
func (p *printer) binarySide(x Expr, precedence int) {
	b, ok := x.(*Binary)
	p.parens(x, isStep(x) || ok && b.Op.Precedence() < precedence)
}

// unary writes a prefix operator. The operand of - is never written right
// after another -, which would read as --.
func (p *printer) unary(x *Unary) {
	p.put(x.Op.String())
	if isStep(x) {
		p.expression(x.X)
		return
	}
	inner, ok := x.X.(*Unary)
	_, binary := x.X.(*Binary)
	p.parens(x.X, binary || isStep(x.X) || ok && x.Op == Neg && inner.Op == Neg)
}
