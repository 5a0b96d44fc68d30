package syntax

import (
	"path"
	"strings"
)

// The older language is that of GEMS and of gem5 until 2015. A file in it is known by the
// heads of its machines, `machine(L1Cache, "…")`, by parameters that commas separate, with
// values after `=`, and by latencies with a name, `enqueue(port, Msg, latency=…)`. The parser
// gives the tree of today's language, and modernize what differs in meaning. This is
// what gem5's parser.py read until August 2015.

// listed reads a root file of GEMS and of gem5 until 2011: the names of the files of a
// protocol, which is called as this file. It is nil of any other text.
func listed(name string, src []byte) *File {
	f := &File{Name: name, Older: true}
	base := strings.TrimSuffix(path.Base(name), ".slicc")
	f.Decls = []Decl{&Protocol{DeclNode: DeclNode{Pos{File: name, Line: 1, Col: 1}}, Name: base}}
	for i, line := range strings.Split(string(src), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if path.Ext(line) != ".sm" || strings.ContainsAny(line, " \t\";(") || i > maxIncludes {
			return nil
		}
		f.Decls = append(f.Decls, &Include{DeclNode: DeclNode{Pos{File: name, Line: int32(i + 1), Col: 1}}, Path: line})
	}
	if len(f.Decls) == 1 {
		return nil
	}
	if strings.HasPrefix(base, "RubySlicc_") { // the interfaces of all protocols
		f.Decls = f.Decls[1:]
	}
	return f
}

// construct is something that one of the two languages has, and where it was seen first.
type construct struct {
	kind string
	pos  Pos
}

// see notes a construct at the current token.
func (p *parser) see(c *construct, kind string) {
	if !p.lost && c.kind == "" {
		*c = construct{kind, p.pos()}
	}
}

// mixed reports a file that has constructs of both languages.
func (p *parser) mixed() {
	if p.older.kind != "" && p.newer.kind != "" {
		p.fault(p.older.pos, "%s is of the language until 2015, and %s at %s of that of today: a file is in one of them (ordeal slicc convert makes one of the other)",
			p.older.kind, p.newer.kind, p.newer.pos)
	}
}

// machineName reads the name of a machine: MachineType:NAME, or one or several names in
// the older language, whose type is at the same place as the first.
func (p *parser) machineName(d *Machine) {
	if p.peek(1).is(":") || !p.is("{") && p.tok().kind != ident {
		p.see(&p.newer, "a machine named as MachineType:NAME")
		p.enumName(&d.Name)
		return
	}
	p.see(&p.older, "a machine without MachineType")
	names := p.idents("a machine")
	if len(names) == 0 {
		p.fail("expected a machine, found %s", p.tok())
		return
	}
	d.Name = EnumName{Type: Ident{Pos: names[0].Pos, Name: "MachineType"}, Value: names[0]}
	d.Others = names[1:]
}

// olderParams reads the parameters of a machine in the older language: they are separated
// by commas and have values after "=", or they end with semicolons as today's. GEMS has
// machines without any.
func (p *parser) olderParams(d *Machine) {
	var commas, semicolons construct
	if !p.is("{") {
		p.expect(":")
	}
	for !p.lost && strings.HasPrefix(p.tok().text, "LATENCY_") { // GEMS lists names of its configuration
		p.advance()
	}
	for p.has("{") {
		o := p.objectHead()
		switch {
		case p.is("="):
			p.advance()
			p.expr(&o.Init)
		case !p.lost && p.tok().kind == assign:
			p.advance()
			p.expr(&o.Init)
		default:
			for p.is(",") && !p.startsParam() && !p.peek(1).is("{") {
				p.advance()
				o.Pairs = append(o.Pairs, p.pair())
			}
		}
		d.Params = append(d.Params, o)
		at := p.pos()
		switch {
		case p.accept(","):
			commas = construct{",", at}
		case p.accept(";"):
			semicolons = construct{";", at}
		case !p.is("{"):
			p.fail("expected ',' or '{' after parameter %s, found %s", o.Name.Name, p.tok())
		}
		if commas.kind != "" && semicolons.kind != "" {
			p.fault(semicolons.pos, "a parameter ends with ';', and one at %s with ',': those of a machine end in one way", commas.pos)
			return
		}
	}
}

// startsParam reports whether a parameter follows the comma at hand: a type and a name.
func (p *parser) startsParam() bool {
	next, after := p.peek(1), p.peek(2)
	return next.kind == ident && (after.kind == ident || after.kind == colon2 || after.is("*"))
}

// latency reads the latency of enqueue, with a name in the older language. A text there
// is a number, or the name of a parameter.
func (p *parser) latency(x *Expr) bool {
	if !p.is(",") || !p.peek(2).is("=") || p.peek(1).text != "latency" {
		return p.optional(x)
	}
	p.advance()
	p.see(&p.older, "a latency with a name")
	p.advance()
	p.advance()
	if t, pos := p.tok(), p.pos(); t.kind == text {
		p.advance()
		*x = constantOf(t.text, pos)
		return true
	}
	p.expr(x)
	return true
}

// constantOf is a number or a name that stands in quotes.
func constantOf(s string, pos Pos) Expr {
	n := int64(0)
	for _, c := range []byte(s) {
		if !isDigit(c) || n > 1<<40 {
			return &Name{ExprNode: ExprNode{pos}, Name: s}
		}
		n = n*10 + int64(c-'0')
	}
	return &Int{ExprNode: ExprNode{pos}, Value: n}
}
