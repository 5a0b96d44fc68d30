package syntax

// syncStmt finds the end of the statement at fault: past the next ';' or
// balanced '{…}', or before the '}' that closes the block. from is where the
// statement started; at least one token is consumed unless a '}' follows.
func (p *parser) syncStmt(from int) {
	p.sync(from, false)
}

// syncDecl finds the end of the declaration at fault like syncStmt, and also
// stops before a keyword that starts a declaration.
func (p *parser) syncDecl(from int) {
	p.sync(from, true)
}

// sync skips to the end of a construct that started at token from. The
// braces between from and the fault are counted, so that a fault deep inside
// a construct does not end it early.
func (p *parser) sync(from int, decl bool) {
	if !p.lost {
		return
	}
	p.lost = false
	open := 0
	for _, t := range p.tokens[from:p.at] {
		if t.is("{") {
			open++
		} else if t.is("}") && open > 0 {
			open--
		}
	}
	for p.tok().kind != eof {
		t := p.tok()
		switch {
		case t.is("{"):
			open++
		case t.is("}"):
			if open == 0 {
				return
			}
			open--
			if open == 0 && !p.peek(1).is("else") && !p.peek(1).is("{") {
				p.advance()
				return
			}
		case t.is(";") && open == 0:
			p.advance()
			return
		case decl && p.at > from && startsDecl(t):
			return
		}
		p.advance()
	}
}
