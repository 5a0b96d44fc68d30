package syntax

import (
	"strconv"

	"ordeal/sim/slicc/ast"
)

// expr writes an expression with the parentheses it needs and no others.
func (p *printer) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Name:
		p.put(x.Name)
	case *ast.String:
		p.put(quote(x.Value))
	case *ast.Int:
		p.put(strconv.FormatInt(x.Value, 10))
	case *ast.Float:
		p.put(x.Text)
	case *ast.Bool:
		p.put(strconv.FormatBool(x.Value))
	case *ast.Null:
		p.put("OOD")
	case *ast.EnumLit:
		p.enumName(x.EnumName)
	case *ast.Local:
		p.put(x.Type.Name, " ", x.Name.Name)
	case *ast.Call:
		p.put(x.Func.Name)
		p.args("(", x.Args, ")")
	case *ast.MethodCall:
		p.operand(x.X)
		p.put(".", x.Method.Name)
		p.args("(", x.Args, ")")
	case *ast.ClassCall:
		p.put(x.Type.Name, "::", x.Method.Name)
		p.args("(", x.Args, ")")
	case *ast.Index:
		p.operand(x.X)
		p.args("[", x.Args, "]")
	case *ast.Member:
		p.operand(x.X)
		p.put(".", x.Field.Name)
	case *ast.New:
		p.put("new ", x.Type.Name)
	case *ast.Valid:
		if x.Not {
			p.put("is_invalid(")
		} else {
			p.put("is_valid(")
		}
		p.expr(x.X)
		p.put(")")
	case *ast.Cast:
		p.put("static_cast(", x.Type.Name, ", ")
		if x.Mode != "" {
			p.put(quote(x.Mode), ", ")
		}
		p.expr(x.X)
		p.put(")")
	case *ast.Unary:
		p.unary(x)
	case *ast.Binary:
		p.binarySide(x.Left, x.Op.Precedence())
		p.put(" ", x.Op.String(), " ")
		p.binarySide(x.Right, x.Op.Precedence()+1)
	}
}

func (p *printer) args(open string, list []ast.Expr, end string) {
	p.put(open)
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.expr(x)
	}
	p.put(end)
}

// parens writes an expression in parentheses if they are needed.
func (p *printer) parens(x ast.Expr, needed bool) {
	if needed {
		p.put("(")
	}
	p.expr(x)
	if needed {
		p.put(")")
	}
}

// isStep tells whether x is ++ or --, whose operand reaches as far to the
// right as it can.
func isStep(x ast.Expr) bool {
	u, ok := x.(*ast.Unary)
	return ok && (u.Op == ast.Inc || u.Op == ast.Dec)
}

// operand writes what a '.' or '[' follows.
func (p *printer) operand(x ast.Expr) {
	switch x.(type) {
	case *ast.Unary, *ast.Binary:
		p.parens(x, true)
	default:
		p.expr(x)
	}
}

// binarySide writes an operand of a binary operator that must bind at least
// as tightly as precedence.
func (p *printer) binarySide(x ast.Expr, precedence int) {
	b, ok := x.(*ast.Binary)
	p.parens(x, isStep(x) || ok && b.Op.Precedence() < precedence)
}

// unary writes a prefix operator. The operand of - is never written right
// after another -, which would read as --.
func (p *printer) unary(x *ast.Unary) {
	p.put(x.Op.String())
	if isStep(x) {
		p.expr(x.X)
		return
	}
	inner, ok := x.X.(*ast.Unary)
	_, binary := x.X.(*ast.Binary)
	p.parens(x.X, binary || isStep(x.X) || ok && x.Op == ast.Neg && inner.Op == ast.Neg)
}
