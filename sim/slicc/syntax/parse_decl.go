package syntax

import (
	"maps"
	"slices"
)

var newDecl = map[string]func(DeclNode) Decl{
	"protocol":          func(n DeclNode) Decl { return &Protocol{DeclNode: n} },
	"include":           func(n DeclNode) Decl { return &Include{DeclNode: n} },
	"machine":           func(n DeclNode) Decl { return &Machine{DeclNode: n} },
	"action":            func(n DeclNode) Decl { return &Action{DeclNode: n} },
	"in_port":           func(n DeclNode) Decl { return &InPort{DeclNode: n} },
	"out_port":          func(n DeclNode) Decl { return &OutPort{DeclNode: n} },
	"transition":        func(n DeclNode) Decl { return &Transition{DeclNode: n} },
	noStall:             func(n DeclNode) Decl { return &Transition{DeclNode: n, NoStall: true} },
	"structure":         func(n DeclNode) Decl { return &Struct{DeclNode: n} },
	"global":            func(n DeclNode) Decl { return &Struct{DeclNode: n, Kind: Global} },
	"external_type":     func(n DeclNode) Decl { return &Struct{DeclNode: n, Kind: ExternalType} },
	"enumeration":       func(n DeclNode) Decl { return &Enum{DeclNode: n} },
	"state_declaration": func(n DeclNode) Decl { return &StateDecl{DeclNode: n} },
}

// startsDecl reports whether the token starts a declaration and can stand
// nowhere else.
func startsDecl(t *token) bool { return t.kind == keyword && newDecl[t.text] != nil }

// decls reads declarations up to the end of the file or, inside a machine, up
// to its closing brace. A fault inside a declaration ends that declaration
// only.
func (p *parser) decls(end kind) []Decl {
	var list []Decl
	for !p.lost && p.tok().kind != eof {
		if p.is("}") {
			if end == punct {
				break
			}
			p.fail("unexpected '}'")
			p.lost = false
			p.advance()
			continue
		}
		from := p.at
		list = append(list, p.decl())
		p.syncDecl(from)
	}
	return list
}

func (p *parser) decl() Decl {
	p.enter()
	defer p.leave()
	if !startsDecl(p.tok()) {
		return p.member()
	}
	d := newDecl[p.tok().text](DeclNode{p.pos()})
	declForm(p, d)
	return d
}

func (p *parser) machineBody(d *Machine) {
	if d.Name.Type.Pos == d.Name.Value.Pos { // the older language
		p.olderParams(d)
	} else {
		p.expect(":")
		for p.has("{") {
			d.Params = append(d.Params, p.object())
		}
	}
	p.expect("{")
	d.Body = p.decls(punct)
	p.expect("}")
}

// noStall begins a transition that asks for no room (gem5 v26.0, pull request 3428).
const noStall = "transition_no_stall"

func transitionWord(d *Transition) string {
	if d.NoStall {
		return noStall
	}
	return "transition"
}

// transition reads a transition. When two lists follow the parenthesis, the
// first one holds request types.
func (p *parser) transition(d *Transition) {
	p.head(transitionWord(d))
	d.States = p.idents("a state")
	p.comma()
	d.Events = p.idents("an event")
	if p.accept(",") {
		d.Next = &Ident{Pos: p.pos(), Name: "*"}
		if !p.accept("*") {
			p.ident(d.Next, "a state or '*'")
		}
	}
	p.tail()
	d.Actions = p.idents("an action")
	if !p.lost && (p.is("{") || p.tok().kind == ident) {
		d.RequestTypes = d.Actions
		d.Actions = p.idents("an action")
	}
}

func (p *parser) members(list *[]Decl) {
	parseRows(p, list, func(_ form, d *Decl) { *d = p.member() })
}

func (p *parser) values(list *[]EnumValue) { parseRows(p, list, valueForm) }

func (p *parser) states(list *[]State) { parseRows(p, list, stateForm) }

// parseRows reads what stands in braces. A fault inside a row ends that row
// only.
func parseRows[T any](p *parser, list *[]T, rowForm func(form, *T)) {
	open := p.pos().Line
	p.expect("{")
	for p.has("}") {
		if startsDecl(p.tok()) {
			p.fail("the '{' of line %d is not closed before %s", open, p.tok())
			return
		}
		from := p.at
		var row T
		rowForm(p, &row)
		*list = append(*list, row)
		p.syncStmt(from)
	}
	p.expect("}")
}

// member reads an object or a function, which may stand anywhere a
// declaration may.
func (p *parser) member() Decl {
	if p.is("void") {
		result := TypeName{Pos: p.pos(), Name: "void"}
		p.advance()
		return p.function(result, p.name("a function's name"))
	}
	if p.tok().kind != ident {
		p.fail("expected a declaration, found %s", p.tok())
		return &Object{DeclNode: DeclNode{p.pos()}}
	}
	d := p.objectHead()
	if !d.Pointer && p.is("(") {
		return p.function(d.Type, d.Name)
	}
	p.objectRest(d)
	return d
}

func (p *parser) object() *Object {
	d := p.objectHead()
	p.objectRest(d)
	return d
}

func (p *parser) objectHead() *Object {
	d := &Object{}
	p.typeName(&d.Type)
	d.Pos, d.Pointer = d.Type.Pos, p.accept("*")
	hint := ""
	if p.is("(") { // as after a keyword
		hint = Suggestion(d.Type.Name, slices.Sorted(maps.Keys(newDecl)))
	}
	p.ident(&d.Name, "a name after type "+d.Type.Name+hint)
	return d
}

func (p *parser) objectRest(d *Object) {
	if !p.lost && p.tok().kind == assign {
		p.advance()
		p.expr(&d.Init)
	} else {
		p.pairs(&d.Pairs)
	}
	p.end()
}

func (p *parser) function(result TypeName, name Ident) Decl {
	d := &Func{DeclNode: DeclNode{result.Pos}, Result: result, Name: name}
	p.params(d)
	p.pairs(&d.Pairs)
	if !p.is("{") {
		p.end()
		return d
	}
	if len(d.Params) > 0 && d.Params[0].Name.Name == "" {
		p.fail("the parameters of a function with a body need names")
	}
	p.block(&d.Body)
	return d
}

// params reads the parameters of a function, in parentheses.
func (p *parser) params(d *Func) {
	p.expect("(")
	for p.has(")") {
		d.Params = append(d.Params, p.param(len(d.Params) > 0 && d.Params[0].Name.Name == ""))
		if !p.accept(",") {
			break
		}
	}
	p.tail()
}

// param reads a parameter; unnamed says that the first one of the list had no
// name, and then none has.
func (p *parser) param(unnamed bool) Param {
	var d Param
	p.typeName(&d.Type)
	if unnamed || p.is(",") || p.is(")") {
		return d
	}
	if p.accept("*") {
		d.Qualifier = ByPointer
	} else if p.accept("&") {
		d.Qualifier = ByRef
	}
	p.ident(&d.Name, "a parameter's name")
	if p.lost || p.tok().kind != assign {
		return d
	}
	p.advance()
	t := p.tok()
	if t.kind != text && t.kind != number && !t.is("true") && !t.is("false") {
		p.fail("expected a literal as the parameter's default, found %s", t)
		return d
	}
	d.Default = p.primary()
	return d
}
