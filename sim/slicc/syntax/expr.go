package syntax

// Expr is an expression.
type Expr interface {
	Position() Pos
	expr()
}

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

var opNames = [...]string{
	NoOp: "?", Or: "||", And: "&&", Eq: "==", Ne: "!=", Lt: "<", Gt: ">", Le: "<=",
	Ge: ">=", Shl: "<<", Shr: ">>", Add: "+", Sub: "-", Mul: "*", Div: "/",
	Mod: "%", Not: "!", Neg: "-", Inc: "++", Dec: "--",
}

// String is the operator as written.
func (o Op) String() string { return opNames[o] }

// Precedence is how tightly a binary operator binds, from 1 (||) to 7 (* / %);
// 0 for the others.
func (o Op) Precedence() int {
	switch o {
	case Or:
		return 1
	case And:
		return 2
	case Eq, Ne:
		return 3
	case Lt, Gt, Le, Ge:
		return 4
	case Shl, Shr:
		return 5
	case Add, Sub:
		return 6
	case Mul, Div, Mod:
		return 7
	}
	return 0
}

// The expressions.
type (
	// Name is a variable.
	Name struct {
		Pos  Pos
		Name string
	}
	// String is a string literal; there are no escapes.
	String struct {
		Pos   Pos
		Value string
	}
	// Int is a decimal literal.
	Int struct {
		Pos   Pos
		Value int64
	}
	// Float is a literal with a fraction, kept as written.
	Float struct {
		Pos  Pos
		Text string
	}
	// Bool is true or false.
	Bool struct {
		Pos   Pos
		Value bool
	}
	// Null is OOD, the invalid entry.
	Null struct {
		Pos Pos
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
		Pos  Pos
		Type TypeName
	}
	// Valid is is_valid(X), or is_invalid(X) with Not.
	Valid struct {
		Pos Pos
		Not bool
		X   Expr
	}
	// Cast is static_cast(Type, "Mode", X); Mode is empty when left out.
	Cast struct {
		Pos  Pos
		Type TypeName
		Mode string
		X    Expr
	}
	// Unary is one of ! - ++ -- before an operand. The operand of ++ and --
	// is everything to its right.
	Unary struct {
		Pos Pos
		Op  Op
		X   Expr
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
func (x *Name) Position() Pos       { return x.Pos }
func (x *String) Position() Pos     { return x.Pos }             // where the expression starts
func (x *Int) Position() Pos        { return x.Pos }             // where the expression starts
func (x *Float) Position() Pos      { return x.Pos }             // where the expression starts
func (x *Bool) Position() Pos       { return x.Pos }             // where the expression starts
func (x *Null) Position() Pos       { return x.Pos }             // where the expression starts
func (x *EnumLit) Position() Pos    { return x.Type.Pos }        // where the expression starts
func (x *Local) Position() Pos      { return x.Type.Pos }        // where the expression starts
func (x *Call) Position() Pos       { return x.Func.Pos }        // where the expression starts
func (x *MethodCall) Position() Pos { return x.X.Position() }    // where the expression starts
func (x *ClassCall) Position() Pos  { return x.Type.Pos }        // where the expression starts
func (x *Index) Position() Pos      { return x.X.Position() }    // where the expression starts
func (x *Member) Position() Pos     { return x.X.Position() }    // where the expression starts
func (x *New) Position() Pos        { return x.Pos }             // where the expression starts
func (x *Valid) Position() Pos      { return x.Pos }             // where the expression starts
func (x *Cast) Position() Pos       { return x.Pos }             // where the expression starts
func (x *Unary) Position() Pos      { return x.Pos }             // where the expression starts
func (x *Binary) Position() Pos     { return x.Left.Position() } // where the expression starts

func (*Name) expr()       {}
func (*String) expr()     {}
func (*Int) expr()        {}
func (*Float) expr()      {}
func (*Bool) expr()       {}
func (*Null) expr()       {}
func (*EnumLit) expr()    {}
func (*Local) expr()      {}
func (*Call) expr()       {}
func (*MethodCall) expr() {}
func (*ClassCall) expr()  {}
func (*Index) expr()      {}
func (*Member) expr()     {}
func (*New) expr()        {}
func (*Valid) expr()      {}
func (*Cast) expr()       {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
