package syntax

// Stmt is a statement.
type Stmt interface {
	Position() Pos
	stmt()
}

// StmtNode is the part of statements that start with a keyword or a brace.
type StmtNode struct {
	Pos Pos // where the statement starts
}

// Position is where the statement starts.
func (n *StmtNode) Position() Pos { return n.Pos }

func (*StmtNode) stmt() {}

// Block is a list of statements in braces.
type Block struct {
	StmtNode
	Stmts []Stmt
}

// ExprStmt evaluates an expression; a declaration of a local variable without
// value is one too.
type ExprStmt struct {
	X Expr
}

// Assign is Left := Right.
type Assign struct {
	Left  Expr
	Right Expr
}

// Enqueue makes a message of type Type, runs Body with it as out_msg and puts
// it into the port. With Deferred it is defer_enqueueing, which has neither
// Latency nor Bypass.
type Enqueue struct {
	StmtNode
	Deferred bool
	Port     Ident
	Type     TypeName
	Latency  Expr // in cycles; nil: one
	Bypass   Expr // whether to bypass a strictly ordered buffer; nil: no
	Body     *Block
}

// Peek runs Body with the head message of the port as in_msg.
type Peek struct {
	StmtNode
	Port  Ident
	Type  TypeName
	Pairs Pairs
	Body  *Block
}

// PortStmtKind distinguishes the statements that name a port and an address.
type PortStmtKind uint8

// The statements that name a port and an address.
const (
	StallAndWait PortStmtKind = iota // stall_and_wait(port, addr);
	WakeupPort                       // wakeup_port(port, addr);
	CheckProbe                       // check_on_cache_probe(port, addr);
)

// PortStmt is one of the statements that name a port and an address.
type PortStmt struct {
	StmtNode
	Kind PortStmtKind
	Port Ident
	Addr Ident
}

// CheckAllocate makes the transitions of the action stall unless the table
// has a free slot.
type CheckAllocate struct {
	StmtNode
	Table Ident
}

// CheckNextCycle is check_next_cycle().
type CheckNextCycle struct {
	StmtNode
}

// CheckStopSlots is check_stop_slots(table, "…", "…"), which gem5's grammar
// has and its compiler no longer knows.
type CheckStopSlots struct {
	StmtNode
	Table  Ident
	First  string
	Second string
}

// Return leaves a function with a value.
type Return struct {
	StmtNode
	X Expr
}

// If is a conditional. Else is nil, a *Block or, for "else if", an *If.
type If struct {
	StmtNode
	Cond Expr
	Then *Block
	Else Stmt
}

// Position is where the statement starts.
func (s *ExprStmt) Position() Pos { return s.X.Position() }

// Position is where the statement starts.
func (s *Assign) Position() Pos { return s.Left.Position() }

func (*ExprStmt) stmt() {}
func (*Assign) stmt()   {}
