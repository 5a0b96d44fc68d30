package syntax

func (p *printer) block(b **Block) {
	p.put(" ")
	p.stmts(*b)
}

// stmts writes statements in braces, without a line break after them.
func (p *printer) stmts(b *Block) {
	if len(b.Stmts) == 0 {
		p.put("{}")
		return
	}
	p.braces(func() {
		for _, s := range b.Stmts {
			p.stmt(s)
		}
	})
}

func (p *printer) stmt(s Stmt) {
	p.line()
	switch s := s.(type) {
	case *Block:
		p.stmts(s)
	case *ExprStmt:
		p.expression(s.X)
		p.end()
	case *Assign:
		p.expression(s.Left)
		p.put(" := ")
		p.expression(s.Right)
		p.end()
	case *If:
		p.ifStmt(s)
	default:
		stmtForm(p, s)
	}
	p.put("\n")
}

func (p *printer) ifStmt(s *If) {
	for {
		p.head("if ")
		p.expr(&s.Cond)
		p.tail()
		p.block(&s.Then)
		if s.Else == nil {
			return
		}
		p.put(" else")
		if b, ok := s.Else.(*Block); ok {
			p.block(&b)
			return
		}
		p.put(" ")
		s = s.Else.(*If)
	}
}
