package syntax

// Expr is an expression.
type Expr interface {
	Position() Pos
	expr()
}

// ExprNode is the part of expressions that start with a token of their own.
type ExprNode struct {
	Pos Pos // where the expression starts
}

// Position is where the expression starts.
func (n *ExprNode) Position() Pos { return n.Pos }

func (*ExprNode) expr() {}

// Op is an operator.
type Op uint8

// The operators, the binary ones grouped by precedence from loose to tight.
const (
	NoOp Op = iota
	Or
	And
	Eq
	Ne
	Lt
	Gt
	Le
	Ge
	Shl
	Shr
	Add
	Sub
	Mul
	Div
	Mod
	Not
	Neg
	Inc
	Dec
)

var ops = [...]struct {
	text       string
	precedence int
}{
	NoOp: {"?", 0}, Or: {"||", 1}, And: {"&&", 2}, Eq: {"==", 3}, Ne: {"!=", 3},
	Lt: {"<", 4}, Gt: {">", 4}, Le: {"<=", 4}, Ge: {">=", 4}, Shl: {"<<", 5}, Shr: {">>", 5},
	Add: {"+", 6}, Sub: {"-", 6}, Mul: {"*", 7}, Div: {"/", 7}, Mod: {"%", 7},
	Not: {"!", 0}, Neg: {"-", 0}, Inc: {"++", 0}, Dec: {"--", 0},
}

// String is the operator as written.
func (o Op) String() string { return ops[o].text }

// Precedence is how tightly a binary operator binds, from 1 (||) to 7 (* / %);
// 0 for the others.
func (o Op) Precedence() int { return ops[o].precedence }

// The expressions.
type (
	// Name is a variable.
	Name struct {
		ExprNode
		Name string
	}
	// String is a string literal; there are no escapes.
	String struct {
		ExprNode
		Value string
	}
	// Int is a decimal literal.
	Int struct {
		ExprNode
		Value int64
	}
	// Float is a literal with a fraction, kept as written.
	Float struct {
		ExprNode
		Text string
	}
	// Bool is true or false.
	Bool struct {
		ExprNode
		Value bool
	}
	// Null is OOD, the invalid entry.
	Null struct {
		ExprNode
	}
	// EnumLit is Type:Value.
	EnumLit struct {
		EnumName
	}
	// Local declares a local variable where it stands.
	Local struct {
		Type TypeName
		Name Ident
	}
	// Call calls a function.
	Call struct {
		Func Ident
		Args []Expr
	}
	// MethodCall calls a method of an object.
	MethodCall struct {
		X      Expr
		Method Ident
		Args   []Expr
	}
	// ClassCall is Type::function(args).
	ClassCall struct {
		Type   TypeName
		Method Ident
		Args   []Expr
	}
	// Index is X[args], which means X.lookup(args).
	Index struct {
		X    Expr
		Args []Expr
	}
	// Member is a field of a structure.
	Member struct {
		X     Expr
		Field Ident
	}
	// New makes an object.
	New struct {
		ExprNode
		Type TypeName
	}
	// Valid is is_valid(X), or is_invalid(X) with Not.
	Valid struct {
		ExprNode
		Not bool
		X   Expr
	}
	// Cast is static_cast(Type, "Mode", X); Mode is empty when left out.
	Cast struct {
		ExprNode
		Type TypeName
		Mode string
		X    Expr
	}
	// Unary is one of ! - ++ -- before an operand. The operand of ++ and --
	// is everything to its right.
	Unary struct {
		ExprNode
		Op Op
		X  Expr
	}
	// Binary is an operator between two operands.
	Binary struct {
		Op    Op
		OpPos Pos
		Left  Expr
		Right Expr
	}
)

// Position is where the expression starts.
func (x *EnumLit) Position() Pos    { return x.Type.Pos }
func (x *Local) Position() Pos      { return x.Type.Pos }
func (x *Call) Position() Pos       { return x.Func.Pos }
func (x *MethodCall) Position() Pos { return x.X.Position() }
func (x *ClassCall) Position() Pos  { return x.Type.Pos }
func (x *Index) Position() Pos      { return x.X.Position() }
func (x *Member) Position() Pos     { return x.X.Position() }
func (x *Binary) Position() Pos     { return x.Left.Position() }

func (*EnumLit) expr()    {}
func (*Local) expr()      {}
func (*Call) expr()       {}
func (*MethodCall) expr() {}
func (*ClassCall) expr()  {}
func (*Index) expr()      {}
func (*Member) expr()     {}
func (*Binary) expr()     {}
