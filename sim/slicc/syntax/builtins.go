package syntax

// ParseBuiltins reads a file of builtins, which says what the functions do that a
// protocol declares without a body and that gem5 does not have: those of a fork of
// gem5, in C++. A declaration is that of the protocol, a method's with the type of
// the object in front of its name, and what it does:
//
//	bool CacheMemory.cacheAvail(Addr a, NodeID n) { return this.cacheAvail(a); }
//	bool CacheMemory.cacheAvail(Addr, NodeID) as cacheAvail;
//	int getTrace() returns 0;
//	void Sequencer.countUpgrade(Addr) does nothing;
//
// A structure gives a class of C++ the fields that such bodies work on. Names and
// types are left unresolved. The error is a Faults.
func ParseBuiltins(name string, src []byte) (*File, error) {
	return parse(name, src, (*parser).builtins)
}

func (p *parser) builtins() []Decl {
	var list []Decl
	for !p.lost && p.tok().kind != eof {
		from := p.at
		if d := p.builtin(); d != nil {
			list = append(list, d)
		}
		if p.syncDecl(from); p.at == from { // a brace that closes nothing
			p.advance()
		}
	}
	return list
}

// builtin reads a declaration of a file of builtins; nil after a fault.
func (p *parser) builtin() Decl {
	if p.is("structure") {
		d := &Struct{DeclNode: DeclNode{p.pos()}}
		declForm(p, d)
		return d
	}
	if startsDecl(p.tok()) {
		p.fail("expected a function, a method or a structure, found %s: a file of builtins has no other declarations", p.tok())
		return nil
	}
	d := &Func{DeclNode: DeclNode{p.pos()}, Result: TypeName{Pos: p.pos(), Name: "void"}}
	if !p.accept("void") {
		p.typeName(&d.Result)
	}
	d.Name = p.name("the name of a function or method")
	if p.accept(".") {
		d.Class, d.Name = d.Name, p.name("a method of "+d.Name.Name)
	}
	p.params(d)
	p.does(d)
	return d
}

// does reads what a function of a file of builtins does.
func (p *parser) does(d *Func) {
	at := p.pos()
	switch {
	case p.is("{"):
		p.block(&d.Body)
		return
	case p.acceptName("does"):
		if !p.acceptName("nothing") {
			p.fail("expected nothing after does, found %s", p.tok())
		}
		if d.Result.Name != "void" {
			p.fault(at, "%s has a result of type %s: say which, as `returns VALUE`", d.Name.Name, d.Result.Name)
		}
		d.Body = &Block{StmtNode: StmtNode{at}}
	case p.accept("return"), p.acceptName("returns"):
		if d.Result.Name == "void" {
			p.fault(at, "%s is void and returns nothing: say `does nothing`", d.Name.Name)
		}
		d.Body = &Block{StmtNode: StmtNode{at}, Stmts: []Stmt{&Return{StmtNode: StmtNode{at}, X: p.expression()}}}
	case p.acceptName("as"):
		d.As = p.name("the name of a function or method that does the same")
	default:
		p.fail("expected what %s does: a body in braces, `as NAME`, `returns VALUE` or `does nothing`, found %s", d.Name.Name, p.tok())
	}
	p.end()
}

// acceptName consumes an identifier if it is there.
func (p *parser) acceptName(s string) bool {
	if p.lost || p.tok().kind != ident || p.tok().text != s {
		return false
	}
	p.advance()
	return true
}
