package syntax

import "ordeal/sim/slicc/ast"

// block writes statements in braces, without a line break after them.
func (p *printer) block(b *ast.Block) {
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
	ast.StallAndWait: "stall_and_wait",
	ast.WakeupPort:   "wakeup_port",
	ast.CheckProbe:   "check_on_cache_probe",
}

func (p *printer) stmt(s ast.Stmt) {
	p.line()
	switch s := s.(type) {
	case *ast.Block:
		p.block(s)
	case *ast.ExprStmt:
		p.expr(s.X)
		p.put(";")
	case *ast.Assign:
		p.expr(s.Left)
		p.put(" := ")
		p.expr(s.Right)
		p.put(";")
	case *ast.Enqueue:
		p.enqueue(s)
	case *ast.Peek:
		p.put("peek(", s.Port.Name, ", ", s.Type.Name)
		p.pairs(s.Pairs)
		p.put(") ")
		p.block(s.Body)
	case *ast.PortStmt:
		p.put(portStmtNames[s.Kind], "(", s.Port.Name, ", ", s.Addr.Name, ");")
	case *ast.CheckAllocate:
		p.put("check_allocate(", s.Table.Name, ");")
	case *ast.CheckNextCycle:
		p.put("check_next_cycle();")
	case *ast.CheckStopSlots:
		p.put("check_stop_slots(", s.Table.Name, ", ", quote(s.First), ", ", quote(s.Second), ");")
	case *ast.Return:
		p.put("return ")
		p.expr(s.X)
		p.put(";")
	case *ast.If:
		p.ifStmt(s)
	}
	p.put("\n")
}

func (p *printer) ifStmt(s *ast.If) {
	for {
		p.put("if (")
		p.expr(s.Cond)
		p.put(") ")
		p.block(s.Then)
		switch e := s.Else.(type) {
		case *ast.If:
			p.put(" else ")
			s = e
			continue
		case *ast.Block:
			p.put(" else ")
			p.block(e)
		}
		return
	}
}

func (p *printer) enqueue(s *ast.Enqueue) {
	if s.Deferred {
		p.put("defer_enqueueing")
	} else {
		p.put("enqueue")
	}
	p.put("(", s.Port.Name, ", ", s.Type.Name)
	for _, x := range []ast.Expr{s.Latency, s.Bypass} {
		if x != nil {
			p.put(", ")
			p.expr(x)
		}
	}
	p.put(") ")
	p.block(s.Body)
}
