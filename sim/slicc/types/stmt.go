package types

import "ordeal/sim/slicc/syntax"

// Stmt is a checked statement.
type Stmt interface {
	Pos() syntax.Pos
}

// Place is where a statement starts.
type Place struct{ At syntax.Pos }

// Pos is where the statement starts.
func (p *Place) Pos() syntax.Pos { return p.At }

// The checked statements. DPRINTF, DPRINTFN, APPEND_TRANSITION_COMMENT,
// stallPort and check_next_cycle have no effect and are left out, and so is
// check_allocate, which is a Demand.
type (
	// Declare starts a local variable with Init, or with its type's default
	// if Init is nil.
	Declare struct {
		Place
		Var  *Var
		Init Expr
	}
	// Assign is Left := Right. Left is a Use or a Member.
	Assign struct {
		Place
		Left  Expr
		Right Expr
	}
	// Eval evaluates an expression for its effect.
	Eval struct {
		Place
		X Expr
	}
	// If is a conditional; Else may be empty.
	If struct {
		Place
		Cond Expr
		Then []Stmt
		Else []Stmt
	}
	// Return leaves the function with a value.
	Return struct {
		Place
		X Expr
	}
	// Trigger starts the transition for Event and Addr, in a port's body.
	// Entry and TBE are nil if the machine has no such type.
	Trigger struct {
		Place
		Event Expr
		Addr  Expr
		Entry Expr
		TBE   Expr
	}
	// Peek runs Body with Msg bound to the head of the port. With BlockOn, a
	// message whose field names a line locked by another buffer is delayed
	// instead; with WakeUp, the buffers that wait for the field's line are
	// woken first.
	Peek struct {
		Place
		Port    *InPort
		Msg     *Var
		BlockOn *Field
		WakeUp  *Field
		Body    []Stmt
	}
	// Enqueue makes a message, runs Body with Msg bound to it and sends it
	// through the port. Latency is in cycles, nil for one. With Deferred the
	// message is kept until enqueueDeferredMessages is called.
	Enqueue struct {
		Place
		Port     *OutPort
		Msg      *Var
		Latency  Expr
		Deferred bool
		Body     []Stmt
	}
	// PortAddr is stall_and_wait, wakeup_port or check_on_cache_probe.
	PortAddr struct {
		Place
		Kind syntax.PortStmtKind
		Port *InPort
		Addr *Use
	}
)
