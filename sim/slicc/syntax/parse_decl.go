package syntax

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
	if t := p.tok(); t.kind == keyword {
		switch t.text {
		case "protocol":
			return p.protocol()
		case "include":
			return p.include()
		case "machine":
			return p.machine()
		case "action":
			return p.action()
		case "in_port":
			return p.inPort()
		case "out_port":
			return p.outPort()
		case "transition":
			return p.transition()
		case "structure", "global", "external_type":
			return p.structure()
		case "enumeration":
			return p.enum()
		case "state_declaration":
			return p.stateDecl()
		}
	}
	return p.member()
}

func (p *parser) protocol() Decl {
	d := &Protocol{Pos: p.pos()}
	p.expect("protocol")
	d.Name = p.text("the protocol's name in quotes")
	p.semicolon()
	return d
}

func (p *parser) include() Decl {
	d := &Include{Pos: p.pos()}
	p.expect("include")
	d.Path = p.text("a file name in quotes")
	p.semicolon()
	return d
}

func (p *parser) machine() Decl {
	d := &Machine{Pos: p.pos()}
	p.expect("machine")
	p.expect("(")
	d.Name = p.enumName()
	d.Pairs = p.pairs()
	p.expect(")")
	p.expect(":")
	for p.more("{") {
		d.Params = append(d.Params, p.object())
	}
	p.expect("{")
	d.Body = p.decls(punct)
	p.expect("}")
	return d
}

func (p *parser) action() Decl {
	d := &Action{Pos: p.pos()}
	p.expect("action")
	p.expect("(")
	d.Name = p.ident("an action's name")
	d.Pairs = p.pairs()
	p.expect(")")
	d.Body = p.block()
	return d
}

func (p *parser) inPort() Decl {
	d := &InPort{Pos: p.pos()}
	p.expect("in_port")
	d.Name, d.Type, d.Buffer, d.Pairs = p.port()
	d.Body = p.block()
	return d
}

func (p *parser) outPort() Decl {
	d := &OutPort{Pos: p.pos()}
	p.expect("out_port")
	d.Name, d.Type, d.Buffer, d.Pairs = p.port()
	p.semicolon()
	return d
}

// port reads "(" name "," type "," buffer pairs ")".
func (p *parser) port() (name Ident, typ TypeName, buffer Ident, pairs Pairs) {
	p.expect("(")
	name = p.ident("a port's name")
	p.expect(",")
	typ = p.typeName()
	p.expect(",")
	buffer = p.ident("a message buffer")
	pairs = p.pairs()
	p.expect(")")
	return name, typ, buffer, pairs
}

// transition reads a transition. When two lists follow the parenthesis, the
// first one holds request types.
func (p *parser) transition() Decl {
	d := &Transition{Pos: p.pos()}
	p.expect("transition")
	p.expect("(")
	d.States = p.idents("a state")
	p.expect(",")
	d.Events = p.idents("an event")
	if p.accept(",") {
		pos := p.pos()
		if p.accept("*") {
			d.Next = &Ident{Pos: pos, Name: "*"}
		} else {
			next := p.ident("a state or '*'")
			d.Next = &next
		}
	}
	p.expect(")")
	d.Actions = p.idents("an action")
	if !p.lost && (p.is("{") || p.tok().kind == ident) {
		d.RequestTypes = d.Actions
		d.Actions = p.idents("an action")
	}
	return d
}

func (p *parser) structure() Decl {
	d := &Struct{Pos: p.pos()}
	switch p.tok().text {
	case "structure":
		d.Kind = Structure
	case "global":
		d.Kind = Global
	case "external_type":
		d.Kind = ExternalType
	}
	p.advance()
	d.Name, d.Pairs = p.typeHead()
	if d.Kind == ExternalType {
		p.semicolon()
		return d
	}
	p.expect("{")
	for p.more("}") {
		from := p.at
		d.Members = append(d.Members, p.member())
		p.syncStmt(from)
	}
	p.expect("}")
	return d
}

// typeHead reads "(" type pairs ")".
func (p *parser) typeHead() (TypeName, Pairs) {
	p.expect("(")
	name := p.typeName()
	pairs := p.pairs()
	p.expect(")")
	return name, pairs
}

func (p *parser) enum() Decl {
	d := &Enum{Pos: p.pos()}
	p.expect("enumeration")
	d.Name, d.Pairs = p.typeHead()
	p.expect("{")
	for p.more("}") {
		from := p.at
		v := EnumValue{Name: p.ident("an enumerator"), Pairs: p.pairs()}
		p.semicolon()
		d.Values = append(d.Values, v)
		p.syncStmt(from)
	}
	p.expect("}")
	return d
}

func (p *parser) stateDecl() Decl {
	d := &StateDecl{Pos: p.pos()}
	p.expect("state_declaration")
	d.Name, d.Pairs = p.typeHead()
	p.expect("{")
	for p.more("}") {
		from := p.at
		s := State{Name: p.ident("a state")}
		p.expect(",")
		s.Permission = p.enumName()
		s.Pairs = p.pairs()
		p.semicolon()
		d.States = append(d.States, s)
		p.syncStmt(from)
	}
	p.expect("}")
	return d
}

// member reads an object or a function, which may stand anywhere a
// declaration may.
func (p *parser) member() Decl {
	if p.is("void") {
		result := TypeName{Pos: p.pos(), Name: "void"}
		p.advance()
		return p.function(result, p.ident("a function's name"))
	}
	pos := p.pos()
	if p.tok().kind != ident {
		p.fail("expected a declaration, found %s", p.tok())
		return &Object{Pos: pos}
	}
	typ := p.typeName()
	pointer := p.accept("*")
	name := p.ident("a name after type " + typ.Name)
	if !pointer && p.is("(") {
		return p.function(typ, name)
	}
	return p.objectRest(typ, pointer, name)
}

// object reads the declaration of a variable.
func (p *parser) object() *Object {
	typ := p.typeName()
	pointer := p.accept("*")
	return p.objectRest(typ, pointer, p.ident("a name after type "+typ.Name))
}

func (p *parser) objectRest(typ TypeName, pointer bool, name Ident) *Object {
	d := &Object{Pos: typ.Pos, Type: typ, Pointer: pointer, Name: name}
	if !p.lost && p.tok().kind == assign {
		p.advance()
		d.Init = p.expr()
	} else {
		d.Pairs = p.pairs()
	}
	p.semicolon()
	return d
}

func (p *parser) function(result TypeName, name Ident) Decl {
	d := &Func{Pos: result.Pos, Result: result, Name: name}
	p.expect("(")
	for p.more(")") {
		d.Params = append(d.Params, p.param(len(d.Params) > 0 && d.Params[0].Name.Name == ""))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	d.Pairs = p.pairs()
	if p.is("{") {
		if len(d.Params) > 0 && d.Params[0].Name.Name == "" {
			p.fail("the parameters of a function with a body need names")
		}
		d.Body = p.block()
	} else {
		p.semicolon()
	}
	return d
}

// param reads a parameter; unnamed says that the first one of the list had no
// name, and then none has.
func (p *parser) param(unnamed bool) Param {
	d := Param{Type: p.typeName()}
	if unnamed || p.is(",") || p.is(")") {
		return d
	}
	if p.accept("*") {
		d.Qualifier = ByPointer
	} else if p.accept("&") {
		d.Qualifier = ByRef
	}
	d.Name = p.ident("a parameter's name")
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
