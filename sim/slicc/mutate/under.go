package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// Under is the operator of repairs that moves a statement: under:STATEMENT runs it only where the
// condition of the if behind it holds.
const Under Operator = "under"

// underPoints are the assignments in front of an if without else, at its beginning.
func (m *machine) underPoints(s site) (list []point) {
	var visit func(b *syntax.Block)
	visit = func(b *syntax.Block) {
		if b == nil {
			return
		}
		for i, stmt := range b.Stmts {
			switch stmt := stmt.(type) {
			case *syntax.Block:
				visit(stmt)
			case *syntax.Enqueue:
				visit(stmt.Body)
			case *syntax.Peek:
				visit(stmt.Body)
			case *syntax.If:
				visit(stmt.Then)
			case *syntax.Assign:
				if isLocal(stmt) || i+1 == len(b.Stmts) {
					continue
				}
				if under, ok := b.Stmts[i+1].(*syntax.If); ok && under.Else == nil {
					list = append(list, point{edit: edit{op: Under, arg: text(stmt)}, change: s.moveUnder(stmt, under), pos: stmt.Position()})
				}
			}
		}
	}
	visit(s.body)
	return list
}

// moveUnder moves a statement to the beginning of an if.
func (s site) moveUnder(stmt syntax.Stmt, under *syntax.If) change {
	changed := *under
	changed.Then = &syntax.Block{StmtNode: under.Then.StmtNode, Stmts: slices.Concat([]syntax.Stmt{stmt}, under.Then.Stmts)}
	body, _ := replaceInBlock(s.body, under, []syntax.Stmt{&changed})
	body, _ = replaceInBlock(body, stmt, nil)
	return change{decl: s.decl, decls: []syntax.Decl{s.withBody(body)}}
}
