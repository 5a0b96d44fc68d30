package syntax

import (
	"strings"
)

// Print writes a file as SLICC text. Parsing the text gives the same tree,
// positions apart, for every tree a parser can have made; a tree built by
// hand must keep to what can be written: identifiers that are words and no
// keywords, integers that are not negative, strings without line breaks and
// without both kinds of quotes.
func Print(file *File) string {
	var p printer
	p.decls(file.Decls)
	return p.out.String()
}

// PrintDecl writes one declaration, on its own lines.
func PrintDecl(d Decl) string {
	var p printer
	p.decl(d, nil)
	return p.out.String()
}

// PrintStmt writes one statement, on its own lines.
func PrintStmt(s Stmt) string {
	var p printer
	p.stmt(s)
	return p.out.String()
}

// PrintExpr writes an expression on one line.
func PrintExpr(x Expr) string {
	var p printer
	p.expr(x)
	return p.out.String()
}

type printer struct {
	out    strings.Builder
	indent int
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

// line starts a line.
func (p *printer) line(parts ...string) {
	for range p.indent {
		p.out.WriteString("  ")
	}
	p.put(parts...)
}

// quote writes a string literal with the quotes its text does not contain.
func quote(s string) string {
	if strings.Contains(s, `"`) {
		return "'" + s + "'"
	}
	return `"` + s + `"`
}

func (p *printer) pairs(pairs Pairs) {
	for _, pair := range pairs {
		p.put(", ")
		switch pair.Kind {
		case BarePair:
			p.put(quote(pair.Value))
		case StringPair:
			p.put(pair.Key, "=", quote(pair.Value))
		default:
			p.put(pair.Key, "=", pair.Value)
		}
	}
}

// idents writes a list of names in braces, or the single name bare when that
// is allowed.
func (p *printer) idents(list []Ident, bare bool) {
	if bare && len(list) == 1 {
		p.put(list[0].Name)
		return
	}
	p.put("{")
	for i, id := range list {
		if i > 0 {
			p.put(", ")
		}
		p.put(id.Name)
	}
	p.put("}")
}

func (p *printer) enumName(e EnumName) {
	p.put(e.Type.Name, ":", e.Value.Name)
}
