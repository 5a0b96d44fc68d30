package syntax

import (
	"math"
	"slices"
)

// MaxNesting is how deep blocks and expressions may nest. Protocols stay
// below 40; the limit keeps hostile text from exhausting the stack.
const MaxNesting = 400

const maxFaults = 100

// Parse reads one source file. The name is used in positions only; includes
// are left unresolved. The error is a Faults with every fault found, and
// the file is nil then.
func Parse(name string, src []byte) (*File, error) {
	return parse(name, src, func(p *parser) []Decl { return p.decls(eof) })
}

// parse reads a file whose declarations read knows.
func parse(name string, src []byte, read func(*parser) []Decl) (*File, error) {
	var faults Faults
	if len(src) > math.MaxInt32 {
		faults.Add(Pos{File: name, Line: 1, Col: 1}, "file is larger than 2 GB")
		return nil, faults
	}
	p := &parser{file: name, faults: &faults}
	var unclosed int32
	p.tokens, unclosed = lex(name, string(src), &faults)
	file := &File{Name: name, Decls: read(p)}
	file.Older = p.older.kind != ""
	p.mixed()
	if len(faults) > 0 {
		faults.Sort()
		if unclosed > 0 { // what follows is read in another way than it was meant
			faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Pos.Line > unclosed })
		}
		return nil, faults
	}
	return file, nil
}

// parser is a recursive-descent parser. After a fault it is lost: nothing is
// consumed or reported until sync finds the end of the statement or
// declaration at fault. Every loop therefore ends when lost.
type parser struct {
	file   string
	tokens []token
	at     int
	depth  int // of nesting
	lost   bool
	faults *Faults
	// What was seen first of the older language, and of what it does not have.
	older, newer construct
}

func (p *parser) tok() *token { return &p.tokens[p.at] }

// peek gives the token n places ahead, the eof token at the end.
func (p *parser) peek(n int) *token {
	return &p.tokens[min(p.at+n, len(p.tokens)-1)]
}

func (p *parser) advance() {
	if p.at < len(p.tokens)-1 {
		p.at++
	}
}

func (p *parser) pos() Pos {
	t := p.tok()
	return Pos{File: p.file, Line: t.line, Col: t.col}
}

// fail reports a fault at the current token and loses the parser. A token the
// lexer has reported is not reported again.
func (p *parser) fail(format string, args ...any) {
	if p.lost {
		return
	}
	p.lost = true
	if p.tok().kind == bad {
		return
	}
	p.fault(p.pos(), format, args...)
}

// fault reports a fault and goes on, but for one too many.
func (p *parser) fault(pos Pos, format string, args ...any) {
	if len(*p.faults) < maxFaults {
		p.faults.Add(pos, format, args...)
	}
	if len(*p.faults) == maxFaults {
		p.faults.Add(pos, "too many faults, giving up")
		p.at, p.lost = len(p.tokens)-1, true
	}
}

// is reports whether the current token is the mark or keyword s.
func (p *parser) is(s string) bool { return !p.lost && p.tok().is(s) }

// accept consumes the mark or keyword s if it is there.
func (p *parser) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail("expected '%s', found %s", s, p.tok())
	}
}

// end consumes a ';'. One that is missing at the end of a line is
// reported there and otherwise taken as read.
func (p *parser) end() {
	if p.lost || p.at == 0 || p.is(";") || p.tokens[p.at-1].line == p.tok().line {
		p.expect(";")
		return
	}
	next := p.at
	p.at--
	p.fail("expected ';' after %s", p.tok())
	if p.at < next { // unless giving up
		p.at = next
		p.lost = false
	}
}

// has reports whether a list that ends with the mark has another element.
func (p *parser) has(end string) bool {
	return !p.lost && !p.tok().is(end) && p.tok().kind != eof
}

func (p *parser) word(keyword string) { p.expect(keyword) }

func (p *parser) head(keyword string) {
	p.expect(keyword)
	p.expect("(")
}

func (p *parser) tail() { p.expect(")") }

func (p *parser) comma() { p.expect(",") }

// name reads an identifier; what names it in the message.
func (p *parser) name(what string) (id Ident) {
	p.ident(&id, what)
	return id
}

func (p *parser) ident(id *Ident, what string) {
	pos := p.pos()
	if *id = (Ident{Name: p.literal(ident, what)}); !p.lost {
		id.Pos = pos
	}
}

func (p *parser) text(s *string, what string) { *s = p.literal(text, what) }

func (p *parser) names(list *[]Ident, what string) {
	if p.lost || p.tok().kind != ident {
		return
	}
	*list = append(*list, p.name(what))
	for p.accept(",") {
		*list = append(*list, p.name(what))
	}
}

// literal consumes a token of a kind and gives its text.
func (p *parser) literal(k kind, what string) string {
	if p.lost || p.tok().kind != k {
		p.fail("expected %s, found %s", what, p.tok())
		return ""
	}
	s := p.tok().text
	p.advance()
	return s
}

func (p *parser) expr(x *Expr) { *x = p.expression() }

func (p *parser) optional(x *Expr) bool {
	if !p.accept(",") {
		return false
	}
	p.expr(x)
	return true
}

// enter counts a level of nesting and reports one too many; every enter needs
// a leave.
func (p *parser) enter() {
	p.depth++
	if p.depth > MaxNesting {
		p.fail("nesting deeper than %d levels", MaxNesting)
	}
}

func (p *parser) leave() { p.depth-- }

// typeName reads IDENT { "::" IDENT }.
func (p *parser) typeName(t *TypeName) {
	*t = TypeName(p.name("a type"))
	for !p.lost && p.tok().kind == colon2 {
		p.advance()
		t.Name += "::" + p.name("an identifier after '::'").Name
	}
}

// enumName reads IDENT ":" IDENT.
func (p *parser) enumName(e *EnumName) {
	p.ident(&e.Type, "an enumeration")
	p.expect(":")
	p.ident(&e.Value, "an enumerator")
}

// idents reads a list of names: one, or several in braces, with or without
// separators.
func (p *parser) idents(what string) []Ident {
	if !p.accept("{") {
		return []Ident{p.name(what)}
	}
	var list []Ident
	for p.has("}") {
		list = append(list, p.name(what))
		if !p.accept(",") {
			p.accept(";")
		}
	}
	p.expect("}")
	return list
}

// pairs reads { "," pair }.
func (p *parser) pairs(list *Pairs) {
	for p.accept(",") {
		*list = append(*list, p.pair())
	}
}

// pairKinds are the ways to write a value after a key.
var pairKinds = map[kind]PairKind{text: StringPair, ident: NamePair, number: NumberPair}

func (p *parser) pair() Pair {
	pair := Pair{Pos: p.pos()}
	if !p.lost && p.tok().kind == text {
		pair.Kind, pair.Key = BarePair, ShortKey
		p.text(&pair.Value, "")
		return pair
	}
	pair.Key = p.literal(ident, "an attribute")
	p.expect("=")
	if p.lost {
		return pair
	}
	var ok bool
	if pair.Kind, ok = pairKinds[p.tok().kind]; !ok {
		p.fail("expected the value of attribute %s, found %s", pair.Key, p.tok())
		return pair
	}
	pair.Value = p.tok().text
	p.advance()
	return pair
}
