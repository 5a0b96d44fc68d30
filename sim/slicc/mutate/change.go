package mutate

import (
	"slices"

	"ordeal/sim/slicc/ast"
)

// change is one edit of a tree: a declaration that others replace. Where only
// a statement or an expression in it differs, the change also says which, so
// that the text around it stays as it is.
type change struct {
	decl  ast.Decl
	decls []ast.Decl
	// A statement in decl, or nil, and what stands for it.
	stmt  ast.Stmt
	stmts []ast.Stmt
	// An expression in stmt, or nil, and what stands for it.
	expr, with ast.Expr
}

// file makes the change in a file and those it includes. It copies what it
// changes, and reports whether the declaration was there.
func (c *change) file(f *ast.File) (*ast.File, bool) {
	decls, ok := c.list(f.Decls)
	if !ok {
		return f, false
	}
	return &ast.File{Name: f.Name, Decls: decls}, true
}

func (c *change) list(list []ast.Decl) ([]ast.Decl, bool) {
	for i, d := range list {
		with, ok := c.replace(d)
		if ok {
			return slices.Concat(list[:i], with, list[i+1:]), true
		}
	}
	return list, false
}

// replace gives what stands for a declaration that is, or holds, the one to
// change.
func (c *change) replace(d ast.Decl) ([]ast.Decl, bool) {
	if d == c.decl {
		return c.decls, true
	}
	switch d := d.(type) {
	case *ast.Include:
		if d.File == nil {
			return nil, false
		}
		if file, ok := c.file(d.File); ok {
			changed := *d
			changed.File = file
			return []ast.Decl{&changed}, true
		}
	case *ast.Machine:
		if body, ok := c.list(d.Body); ok {
			changed := *d
			changed.Body = body
			return []ast.Decl{&changed}, true
		}
	}
	return nil, false
}

// inBody is the change of one statement of a site's body.
func (s site) inBody(stmt ast.Stmt, with ...ast.Stmt) change {
	body, ok := replaceInBlock(s.body, stmt, with)
	if !ok {
		panic("statement to change is not in its body")
	}
	var d ast.Decl
	switch old := s.decl.(type) {
	case *ast.Action:
		changed := *old
		changed.Body, d = body, &changed
	case *ast.InPort:
		changed := *old
		changed.Body, d = body, &changed
	case *ast.Func:
		changed := *old
		changed.Body, d = body, &changed
	}
	return change{decl: s.decl, decls: []ast.Decl{d}, stmt: stmt, stmts: with}
}

func replaceInBlock(b *ast.Block, old ast.Stmt, with []ast.Stmt) (*ast.Block, bool) {
	if b == nil {
		return nil, false
	}
	for i, s := range b.Stmts {
		if s == old {
			return &ast.Block{Pos: b.Pos, Stmts: slices.Concat(b.Stmts[:i], with, b.Stmts[i+1:])}, true
		}
		if changed, ok := replaceInStmt(s, old, with); ok {
			stmts := slices.Clone(b.Stmts)
			stmts[i] = changed
			return &ast.Block{Pos: b.Pos, Stmts: stmts}, true
		}
	}
	return b, false
}

// replaceInStmt replaces a statement inside another.
func replaceInStmt(s, old ast.Stmt, with []ast.Stmt) (ast.Stmt, bool) {
	switch s := s.(type) {
	case *ast.Block:
		return replaceInBlock(s, old, with)
	case *ast.Enqueue:
		if body, ok := replaceInBlock(s.Body, old, with); ok {
			changed := *s
			changed.Body = body
			return &changed, true
		}
	case *ast.Peek:
		if body, ok := replaceInBlock(s.Body, old, with); ok {
			changed := *s
			changed.Body = body
			return &changed, true
		}
	case *ast.If:
		if body, ok := replaceInBlock(s.Then, old, with); ok {
			changed := *s
			changed.Then = body
			return &changed, true
		}
		if s.Else == nil {
			return s, false
		}
		if s.Else == old { // an else-if that changes
			changed := *s
			changed.Else = &ast.Block{Stmts: with}
			if len(with) == 1 {
				if _, ok := with[0].(*ast.If); ok {
					changed.Else = with[0]
				}
			}
			return &changed, true
		}
		if other, ok := replaceInStmt(s.Else, old, with); ok {
			changed := *s
			changed.Else = other
			return &changed, true
		}
	}
	return s, false
}

// walk calls f for every statement of a block, outer ones first.
func walk(b *ast.Block, f func(ast.Stmt)) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		walkStmt(s, f)
	}
}

func walkStmt(s ast.Stmt, f func(ast.Stmt)) {
	f(s)
	switch s := s.(type) {
	case *ast.Block:
		walk(s, f)
	case *ast.Enqueue:
		walk(s.Body, f)
	case *ast.Peek:
		walk(s.Body, f)
	case *ast.If:
		walk(s.Then, f)
		if block, ok := s.Else.(*ast.Block); ok {
			walk(block, f) // the braces are no statement of their own
		} else if s.Else != nil {
			walkStmt(s.Else, f)
		}
	}
}

// operands lists the expressions that an expression is directly made of.
func operands(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.Member:
		return []ast.Expr{x.X}
	case *ast.Call:
		return x.Args
	case *ast.MethodCall:
		return append([]ast.Expr{x.X}, x.Args...)
	case *ast.ClassCall:
		return x.Args
	case *ast.Index:
		return append([]ast.Expr{x.X}, x.Args...)
	case *ast.Valid:
		return []ast.Expr{x.X}
	case *ast.Cast:
		return []ast.Expr{x.X}
	case *ast.Unary:
		return []ast.Expr{x.X}
	case *ast.Binary:
		return []ast.Expr{x.Left, x.Right}
	}
	return nil
}
