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

// PrintAll writes a file and, after it, all that it includes.
func PrintAll(file *File) string {
	var sb strings.Builder
	var write func(f *File)
	write = func(f *File) {
		sb.WriteString(Print(f))
		for d := range f.Includes() {
			if d.File != nil {
				write(d.File)
			}
		}
	}
	write(file)
	return sb.String()
}

// PrintOne writes a file with what it includes in the place of the includes.
func PrintOne(file *File) string {
	var inlined func(list []Decl) []Decl
	inlined = func(list []Decl) []Decl {
		var out []Decl
		for _, d := range list {
			switch d := d.(type) {
			case *Include:
				if d.File != nil {
					out = append(out, inlined(d.File.Decls)...)
				}
			case *Machine:
				whole := *d
				whole.Body = inlined(d.Body)
				out = append(out, &whole)
			default:
				out = append(out, d)
			}
		}
		return out
	}
	return Print(&File{Decls: inlined(file.Decls)})
}

// PrintDecl writes one declaration, on its own lines.
func PrintDecl(d Decl) string {
	var p printer
	p.decls([]Decl{d})
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
	p.expression(x)
	return p.out.String()
}

type printer struct {
	out    strings.Builder
	indent int
	next   Decl // the declaration that follows the one being written
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

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

func (p *printer) word(keyword string) { p.put(keyword, " ") }

func (p *printer) head(keyword string) { p.put(keyword, "(") }

func (p *printer) tail() { p.put(")") }

func (p *printer) comma() { p.put(", ") }

func (p *printer) end() { p.put(";") }

func (p *printer) ident(id *Ident, _ string) { p.put(id.Name) }

func (p *printer) typeName(t *TypeName) { p.put(t.Name) }

func (p *printer) enumName(e *EnumName) { p.put(e.Type.Name, ":", e.Value.Name) }

func (p *printer) text(s *string, _ string) { p.put(quote(*s)) }

func (p *printer) names(list *[]Ident, _ string) {
	separator := " "
	for _, id := range *list {
		p.put(separator, id.Name)
		separator = ", "
	}
}

func (p *printer) expr(x *Expr) { p.expression(*x) }

func (p *printer) optional(x *Expr) bool {
	if *x == nil {
		return false
	}
	p.put(", ")
	p.expression(*x)
	return true
}

func (p *printer) pairs(list *Pairs) {
	for _, pair := range *list {
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
	names := make([]string, len(list))
	for i, id := range list {
		names[i] = id.Name
	}
	p.put("{", strings.Join(names, ", "), "}")
}

// braces writes what body writes, indented, in braces.
func (p *printer) braces(body func()) {
	p.put("{\n")
	p.indent++
	body()
	p.indent--
	p.line("}")
}

func (p *printer) latency(x *Expr) bool { return p.optional(x) }
