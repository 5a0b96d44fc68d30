package types

import "ordeal/sim/slicc/syntax"

// Expr is a checked expression.
type Expr interface {
	Type() *Type
	Pos() syntax.Pos
}

// Node is the place and the type of an expression.
type Node struct {
	At syntax.Pos
	Of *Type
}

// Type is the type of the expression's value.
func (n *Node) Type() *Type { return n.Of }

// Pos is where the expression starts.
func (n *Node) Pos() syntax.Pos { return n.At }

// The checked expressions.
type (
	// Bad stands for an expression with a fault. A protocol without faults
	// has none.
	Bad struct{ Node }
	// Const is a literal, an enumerator or OOD.
	Const struct {
		Node
		Value Value
	}
	// Use reads a variable, or is assigned to.
	Use struct {
		Node
		Var *Var
	}
	// Member is a field of a structure.
	Member struct {
		Node
		X     Expr
		Field *Field
	}
	// Call calls a function, or a method of X. X is nil for functions and
	// for calls of the form Type::method(…).
	Call struct {
		Node
		X    Expr
		Func *Func
		Args []Expr
	}
	// New makes an object of a structure's type.
	New struct{ Node }
	// Valid asks whether a pointer is valid, or with Not whether it is not.
	Valid struct {
		Node
		Not bool
		X   Expr
	}
	// Cast converts X to the type of the expression.
	Cast struct {
		Node
		X Expr
	}
	// Unary is Not, Neg or Inc of X. Inc adds one to a Scalar variable.
	Unary struct {
		Node
		Op syntax.Op
		X  Expr
	}
	// Binary is an operator between two values. And and Or do not evaluate
	// Right when Left decides.
	Binary struct {
		Node
		Op    syntax.Op
		Left  Expr
		Right Expr
	}
)
