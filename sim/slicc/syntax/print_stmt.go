package syntax

// block writes statements in braces, without a line break after them.
func (p *printer) block(b *Block) {
	if len(b.Stmts) == 0 {
		p.put("{}")
		return
	}
	p.put("{\n")
	p.indent++
	for _, s := range b.Stmts {
		p.stmt(s)
	}
	p.indent--
	p.line("}")
}

var portStmtNames = [...]string{
	StallAndWait: "stall_and_wait",
	WakeupPort:   "wakeup_port",
	CheckProbe:   "check_on_cache_probe",
}

func (p *printer) stmt(s Stmt) {
	p.line()
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *ExprStmt:
		p.expr(s.X)
		p.put(";")
	case *Assign:
		p.expr(s.Left)
		p.put(" := ")
		p.expr(s.Right)
		p.put(";")
	case *Enqueue:
		p.enqueue(s)
	case *Peek:
		p.put("peek(", s.Port.Name, ", ", s.Type.Name)
		p.pairs(s.Pairs)
		p.put(") ")
		p.block(s.Body)
	case *PortStmt:
		p.put(portStmtNames[s.Kind], "(", s.Port.Name, ", ", s.Addr.Name, ");")
	case *CheckAllocate:
		p.put("check_allocate(", s.Table.Name, ");")
	case *CheckNextCycle:
		p.put("check_next_cycle();")
	case *CheckStopSlots:
		p.put("check_stop_slots(", s.Table.Name, ", ", quote(s.First), ", ", quote(s.Second), ");")
	case *Return:
		p.put("return ")
		p.expr(s.X)
		p.put(";")
	case *If:
		p.ifStmt(s)
	}
	p.put("\n")
}

func (p *printer) ifStmt(s *If) {
	for {
		p.put("if (")
		p.expr(s.Cond)
		p.put(") ")
		p.block(s.Then)
		switch e := s.Else.(type) {
		case *If:
			p.put(" else ")
			s = e
			continue
		case *Block:
			p.put(" else ")
			p.block(e)
		}
		return
	}
}

func (p *printer) enqueue(s *Enqueue) {
	if s.Deferred {
		p.put("defer_enqueueing")
	} else {
		p.put("enqueue")
	}
	p.put("(", s.Port.Name, ", ", s.Type.Name)
	for _, x := range []Expr{s.Latency, s.Bypass} {
		if x != nil {
			p.put(", ")
			p.expr(x)
		}
	}
	p.put(") ")
	p.block(s.Body)
}
