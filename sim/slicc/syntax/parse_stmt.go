package syntax

// block reads statements in braces. A fault inside a statement ends that
// statement only; the start of a declaration ends the block, so that a missing
// brace costs one message.
func (p *parser) block() *Block {
	b := &Block{Pos: p.pos()}
	p.enter()
	defer p.leave()
	p.expect("{")
	for p.more("}") && !startsDecl(p.tok()) {
		from := p.at
		b.Stmts = append(b.Stmts, p.stmt())
		p.syncStmt(from)
	}
	p.expect("}")
	return b
}

func (p *parser) stmt() Stmt {
	t, pos := p.tok(), p.pos()
	if t.kind == keyword {
		switch t.text {
		case "if":
			return p.ifStmt()
		case "return":
			p.advance()
			s := &Return{Pos: pos, X: p.expr()}
			p.semicolon()
			return s
		case "enqueue", "defer_enqueueing":
			return p.enqueue()
		case "peek":
			return p.peekStmt()
		case "stall_and_wait":
			return p.portStmt(StallAndWait)
		case "wakeup_port":
			return p.portStmt(WakeupPort)
		case "check_on_cache_probe":
			return p.portStmt(CheckProbe)
		case "check_allocate":
			return p.checkAllocate()
		case "check_next_cycle":
			p.advance()
			p.expect("(")
			p.expect(")")
			p.semicolon()
			return &CheckNextCycle{Pos: pos}
		case "check_stop_slots":
			return p.checkStopSlots()
		}
	}
	x := p.expr()
	if !p.lost && p.tok().kind == assign {
		p.advance()
		s := &Assign{Left: x, Right: p.expr()}
		p.semicolon()
		return s
	}
	p.semicolon()
	return &ExprStmt{X: x}
}

// ifStmt reads an if with its else. Each "else if" is a level of nesting.
func (p *parser) ifStmt() Stmt {
	p.enter()
	defer p.leave()
	s := &If{Pos: p.pos()}
	p.expect("if")
	p.expect("(")
	s.Cond = p.expr()
	p.expect(")")
	s.Then = p.block()
	if p.accept("else") {
		if p.is("if") {
			s.Else = p.ifStmt()
		} else {
			s.Else = p.block()
		}
	}
	return s
}

func (p *parser) enqueue() Stmt {
	s := &Enqueue{Pos: p.pos(), Deferred: p.is("defer_enqueueing")}
	p.advance()
	p.expect("(")
	s.Port = p.ident("an out_port")
	p.expect(",")
	s.Type = p.typeName()
	if !s.Deferred && p.accept(",") {
		s.Latency = p.expr()
		if p.accept(",") {
			s.Bypass = p.expr()
		}
	}
	p.expect(")")
	s.Body = p.block()
	return s
}

func (p *parser) peekStmt() Stmt {
	s := &Peek{Pos: p.pos()}
	p.expect("peek")
	p.expect("(")
	s.Port = p.ident("an in_port")
	p.expect(",")
	s.Type = p.typeName()
	s.Pairs = p.pairs()
	p.expect(")")
	s.Body = p.block()
	return s
}

func (p *parser) portStmt(kind PortStmtKind) Stmt {
	s := &PortStmt{Pos: p.pos(), Kind: kind}
	p.advance()
	p.expect("(")
	s.Port = p.ident("an in_port")
	p.expect(",")
	s.Addr = p.ident("a variable that holds an address")
	p.expect(")")
	p.semicolon()
	return s
}

func (p *parser) checkAllocate() Stmt {
	s := &CheckAllocate{Pos: p.pos()}
	p.expect("check_allocate")
	p.expect("(")
	s.Table = p.ident("a table")
	p.expect(")")
	p.semicolon()
	return s
}

func (p *parser) checkStopSlots() Stmt {
	s := &CheckStopSlots{Pos: p.pos()}
	p.expect("check_stop_slots")
	p.expect("(")
	s.Table = p.ident("a table")
	p.expect(",")
	s.First = p.text("a string")
	p.expect(",")
	s.Second = p.text("a string")
	p.expect(")")
	p.semicolon()
	return s
}
