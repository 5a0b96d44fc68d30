package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// change is one edit of a tree: a declaration that others replace. Where only
// a statement or an expression in it differs, the change also says which, so
// that the text around it stays as it is.
type change struct {
	decl  syntax.Decl
	decls []syntax.Decl
	// A statement in decl, or nil, and what stands for it.
	stmt  syntax.Stmt
	stmts []syntax.Stmt
	// An expression in stmt, or nil, and what stands for it.
	expr, with syntax.Expr
}

// file makes the change in a file and those it includes. It copies what it
// changes, and reports whether the declaration was there.
func (c *change) file(f *syntax.File) (*syntax.File, bool) {
	decls, ok := c.list(f.Decls)
	if !ok {
		return f, false
	}
	return &syntax.File{Name: f.Name, Decls: decls, Builtins: f.Builtins}, true
}

func (c *change) list(list []syntax.Decl) ([]syntax.Decl, bool) {
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
func (c *change) replace(d syntax.Decl) ([]syntax.Decl, bool) {
	if d == c.decl {
		return c.decls, true
	}
	switch d := d.(type) {
	case *syntax.Include:
		if d.File == nil {
			return nil, false
		}
		if file, ok := c.file(d.File); ok {
			changed := *d
			changed.File = file
			return []syntax.Decl{&changed}, true
		}
	case *syntax.Machine:
		if body, ok := c.list(d.Body); ok {
			changed := *d
			changed.Body = body
			return []syntax.Decl{&changed}, true
		}
	}
	return nil, false
}

func (s site) inBody(stmt syntax.Stmt, with ...syntax.Stmt) change {
	body, ok := replaceInBlock(s.body, stmt, with)
	if !ok {
		panic("statement to change is not in its body")
	}
	return change{decl: s.decl, decls: []syntax.Decl{s.withBody(body)}, stmt: stmt, stmts: with}
}

// withBody is the declaration of a site with another body.
func (s site) withBody(body *syntax.Block) syntax.Decl {
	switch old := s.decl.(type) {
	case *syntax.Action:
		changed := *old
		changed.Body = body
		return &changed
	case *syntax.InPort:
		changed := *old
		changed.Body = body
		return &changed
	case *syntax.Func:
		changed := *old
		changed.Body = body
		return &changed
	}
	return s.decl
}

func replaceInBlock(b *syntax.Block, old syntax.Stmt, with []syntax.Stmt) (*syntax.Block, bool) {
	if b == nil {
		return nil, false
	}
	for i, s := range b.Stmts {
		if s == old {
			return &syntax.Block{StmtNode: b.StmtNode, Stmts: slices.Concat(b.Stmts[:i], with, b.Stmts[i+1:])}, true
		}
		if changed, ok := replaceInStmt(s, old, with); ok {
			stmts := slices.Clone(b.Stmts)
			stmts[i] = changed
			return &syntax.Block{StmtNode: b.StmtNode, Stmts: stmts}, true
		}
	}
	return b, false
}

func replaceInStmt(s, old syntax.Stmt, with []syntax.Stmt) (syntax.Stmt, bool) {
	switch s := s.(type) {
	case *syntax.Block:
		return replaceInBlock(s, old, with)
	case *syntax.Enqueue:
		changed := *s
		var ok bool
		changed.Body, ok = replaceInBlock(s.Body, old, with)
		return &changed, ok
	case *syntax.Peek:
		changed := *s
		var ok bool
		changed.Body, ok = replaceInBlock(s.Body, old, with)
		return &changed, ok
	case *syntax.If:
		changed := *s
		var ok bool
		if changed.Then, ok = replaceInBlock(s.Then, old, with); ok || s.Else == nil {
			return &changed, ok
		}
		if s.Else != old {
			changed.Else, ok = replaceInStmt(s.Else, old, with)
			return &changed, ok
		}
		changed.Else = &syntax.Block{Stmts: with}
		if len(with) == 1 {
			if _, elseIf := with[0].(*syntax.If); elseIf {
				changed.Else = with[0]
			}
		}
		return &changed, true
	}
	return s, false
}
