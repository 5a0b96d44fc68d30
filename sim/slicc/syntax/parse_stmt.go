package syntax

var newStmt = map[string]func(StmtNode) Stmt{
	"return":               func(n StmtNode) Stmt { return &Return{StmtNode: n} },
	"enqueue":              func(n StmtNode) Stmt { return &Enqueue{StmtNode: n} },
	"defer_enqueueing":     func(n StmtNode) Stmt { return &Enqueue{StmtNode: n, Deferred: true} },
	"peek":                 func(n StmtNode) Stmt { return &Peek{StmtNode: n} },
	"stall_and_wait":       func(n StmtNode) Stmt { return &PortStmt{StmtNode: n, Kind: StallAndWait} },
	"wakeup_port":          func(n StmtNode) Stmt { return &PortStmt{StmtNode: n, Kind: WakeupPort} },
	"check_on_cache_probe": func(n StmtNode) Stmt { return &PortStmt{StmtNode: n, Kind: CheckProbe} },
	"check_allocate":       func(n StmtNode) Stmt { return &CheckAllocate{StmtNode: n} },
	"check_next_cycle":     func(n StmtNode) Stmt { return &CheckNextCycle{StmtNode: n} },
	"check_stop_slots":     func(n StmtNode) Stmt { return &CheckStopSlots{StmtNode: n} },
}

// block reads statements in braces. A fault inside a statement ends that
// statement only; the start of a declaration ends the block, so that a missing
// brace costs one message.
func (p *parser) block(b **Block) {
	*b = &Block{StmtNode: StmtNode{p.pos()}}
	p.enter()
	defer p.leave()
	p.expect("{")
	for p.has("}") && !startsDecl(p.tok()) {
		from := p.at
		(*b).Stmts = append((*b).Stmts, p.stmt())
		p.syncStmt(from)
	}
	p.expect("}")
}

func (p *parser) stmt() Stmt {
	if p.is("if") {
		return p.ifStmt()
	}
	if t := p.tok(); t.kind == keyword && newStmt[t.text] != nil {
		s := newStmt[t.text](StmtNode{p.pos()})
		stmtForm(p, s)
		return s
	}
	x := p.expression()
	if !p.lost && p.tok().kind == assign {
		p.advance()
		s := &Assign{Left: x, Right: p.expression()}
		p.end()
		return s
	}
	p.end()
	return &ExprStmt{X: x}
}

// ifStmt reads an if with its else. Each "else if" is a level of nesting.
func (p *parser) ifStmt() Stmt {
	p.enter()
	defer p.leave()
	s := &If{StmtNode: StmtNode{p.pos()}}
	p.head("if")
	p.expr(&s.Cond)
	p.tail()
	p.block(&s.Then)
	if !p.accept("else") {
		return s
	}
	if p.is("if") {
		s.Else = p.ifStmt()
	} else {
		var b *Block
		p.block(&b)
		s.Else = b
	}
	return s
}
