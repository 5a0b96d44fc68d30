package syntax

import "iter"

// All walks the statements of a block and of the blocks in it, outer ones
// first. The block of an else is no statement of its own.
func (b *Block) All() iter.Seq[Stmt] {
	return func(yield func(Stmt) bool) { b.walk(yield) }
}

// walk is false once the consumer has had enough.
func (b *Block) walk(yield func(Stmt) bool) bool {
	if b == nil {
		return true
	}
	for _, s := range b.Stmts {
		if !walkStmt(s, yield) {
			return false
		}
	}
	return true
}

func walkStmt(s Stmt, yield func(Stmt) bool) bool {
	if !yield(s) {
		return false
	}
	switch s := s.(type) {
	case *Block:
		return s.walk(yield)
	case *Enqueue:
		return s.Body.walk(yield)
	case *Peek:
		return s.Body.walk(yield)
	case *If:
		if !s.Then.walk(yield) {
			return false
		}
		if b, ok := s.Else.(*Block); ok {
			return b.walk(yield)
		}
		return s.Else == nil || walkStmt(s.Else, yield)
	}
	return true
}

// Operands lists the expressions that an expression is directly made of.
func Operands(x Expr) []Expr {
	switch x := x.(type) {
	case *Member:
		return []Expr{x.X}
	case *Call:
		return x.Args
	case *MethodCall:
		return append([]Expr{x.X}, x.Args...)
	case *ClassCall:
		return x.Args
	case *Index:
		return append([]Expr{x.X}, x.Args...)
	case *Valid:
		return []Expr{x.X}
	case *Cast:
		return []Expr{x.X}
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.Left, x.Right}
	}
	return nil
}
