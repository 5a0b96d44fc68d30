package types

import (
	"cmp"
	"strings"

	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
)

// Locate says of a failure of a machine in which statement of the protocol it is: the
// action, function or port, and its text unless the failure has one. The column of the
// position may be 0 for the last statement of the line; the machine may be empty.
func (p *Protocol) Locate(f *sim.Failure, machine string, at syntax.Pos) {
	f.Row.Machine = cmp.Or(f.Row.Machine, machine)
	if !at.IsKnown() {
		return
	}
	f.At.File, f.At.Line, f.At.Column = at.File, int(at.Line), int(at.Col)
	if p.File == nil {
		return
	}
	if at.Col == 0 {
		at.Line++ // what begins before the next line
	}
	s := statementPlace{at: at}
	s.search(p.File.Decls, machine)
	f.Row.Machine = cmp.Or(f.Row.Machine, s.machine)
	f.Function, f.Text = s.function, cmp.Or(f.Text, s.text)
}

// statementPlace is the last statement of a file that does not begin after a position.
type statementPlace struct {
	at   syntax.Pos
	last syntax.Pos // of the declaration found
	// what is found, and the machine whose declarations are looked through
	machine, function, text, inside string
}

// search looks through declarations, of the machines only through that of a name.
func (s *statementPlace) search(list []syntax.Decl, machine string) {
	for _, d := range list {
		switch d := d.(type) {
		case *syntax.Include:
			if d.File != nil {
				s.search(d.File.Decls, machine)
			}
		case *syntax.Machine:
			if machine == "" || d.Name.Value.Name == machine {
				s.inside = d.Name.Value.Name
				s.search(d.Body, machine)
				s.inside = ""
			}
		case *syntax.Struct:
			s.search(d.Members, machine)
		case *syntax.Action:
			s.declared(d.Pos, d.Name.Name, d.Body)
		case *syntax.InPort:
			s.declared(d.Pos, d.Name.Name, d.Body)
		case *syntax.Func:
			s.declared(d.Pos, d.Name.Name, d.Body)
		default:
			s.declared(d.Position(), "", nil)
		}
	}
}

// declared takes a declaration if it is the last one that does not begin after the
// position.
func (s *statementPlace) declared(pos syntax.Pos, name string, body *syntax.Block) {
	if pos.File != s.at.File || after(pos, s.at) || s.last.IsKnown() && !after(pos, s.last) {
		return
	}
	s.last, s.machine, s.function, s.text = pos, s.inside, name, ""
	for stmt := range body.All() {
		if pos := stmt.Position(); pos.IsKnown() && !after(pos, s.at) {
			s.text = statementText(stmt)
		}
	}
}

// after reports whether a position of a file is after another.
func after(a, b syntax.Pos) bool { return a.Line > b.Line || a.Line == b.Line && a.Col > b.Col }

// statementText is a statement on one line: what an assertion asserts, the head of a
// block.
func statementText(stmt syntax.Stmt) string {
	if x, ok := stmt.(*syntax.ExprStmt); ok {
		if call, ok := x.X.(*syntax.Call); ok && call.Func.Name == "assert" && len(call.Args) == 1 {
			return syntax.PrintExpr(call.Args[0])
		}
	}
	text, _, _ := strings.Cut(strings.TrimSpace(syntax.PrintStmt(stmt)), "\n")
	return strings.TrimRight(text, " {;")
}
