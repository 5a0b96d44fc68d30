package types

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// Protocol is a checked protocol.
type Protocol struct {
	Name     string
	Options  Options
	File     *syntax.File // the text; see Statement
	Types    []*Type      // those outside machines
	Objects  []*Var       // GlobalVars
	Funcs    []*Func      // those outside machines
	Machines []*Machine
	// Warnings are oddities that gem5 accepts: actions never used, attributes
	// without effect.
	Warnings syntax.Faults
	// Stubs are the functions that the file of builtins says something for, as their
	// signatures.
	Stubs []string
}

// Type finds a type outside the machines by name; nil if there is none.
func (p *Protocol) Type(name string) *Type {
	return find(p.Types, func(t *Type) bool { return t.Name == name })
}

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// Machine is a controller.
type Machine struct {
	Name    string // the enumerator of MachineType
	Ordinal int    // of that enumerator
	Pos     syntax.Pos

	Params   []*Var // ParamVars
	Objects  []*Var // ObjectVars
	Types    []*Type
	Funcs    []*Func
	InPorts  []*InPort // in the order in which they are polled
	OutPorts []*OutPort
	Actions  []*Action

	State        *Type // its state_declaration
	Event        *Type // its enumeration Event
	RequestTypes *Type // its enumeration RequestType; nil if none
	TBE          *Type // nil if the machine has no TBEs
	Entry        *Type // its main cache entry; nil if none

	// The functions every machine must define. GetState and SetState take the
	// TBE if the machine has the type, then the entry likewise, then the
	// address; SetAccessPermission takes the entry if there is one.
	GetState            *Func
	SetState            *Func
	SetAccessPermission *Func
	GetNextState        *Func // nil unless defined; transitions to '*' need it
	// CheckResource is checkResourceAvailable(RequestType, Addr); nil unless
	// defined.
	CheckResource *Func

	Transitions []*Transition // in the order of the text
}

// InPort is a port that the machine polls.
type InPort struct {
	Var    *Var // InPortVar
	Buffer *Var // ParamVar or ObjectVar
	Rank   int  // for the stalled messages; no priority
	Body   []Stmt
	// The functions to ask when a trigger in the port is stalled; nil if the
	// port names none. They take nothing and say whether the port loop starts
	// over.
	OnResourceStall *Func
	OnProtocolStall *Func
}

// OutPort names a buffer for enqueue.
type OutPort struct {
	Var    *Var // OutPortVar
	Buffer *Var // ParamVar or ObjectVar
}

// Action is a list of statements that transitions run.
type Action struct {
	Name    string
	Index   int // in Machine.Actions
	Pos     syntax.Pos
	Short   string // abbreviation, unique in the machine
	Body    []Stmt
	Demands []Demand
	Used    bool // by some transition
}

// Demand says how many free slots a resource must have before a transition
// runs: an OutPortVar, or an object named in check_allocate. For an action it
// counts the statements: enqueues and check_allocates outside of the bodies of
// other enqueues, in both branches of ifs and inside peeks.
type Demand struct {
	Resource *Var
	Slots    int
}

// StallAction is the name of the action that makes a transition stall:
// nothing else of the transition is done.
const StallAction = "z_stall"

// Next says what state a transition leads to.
type Next uint8

// The ways to give the next state.
const (
	Stay     Next = iota // no state given: the state does not change
	GoTo                 // the state NextState
	Wildcard             // '*': what GetNextState says before the actions run
)

// Transition is one row of a machine's table.
type Transition struct {
	State     int // ordinals in Machine.State and Machine.Event
	Event     int
	Next      Next
	NextState int // the state itself for Stay; -1 for Wildcard
	Actions   []*Action
	Demands   []Demand
	// RequestTypes are the ordinals in Machine.RequestTypes for which
	// Machine.CheckResource is asked before the transition runs.
	RequestTypes []int
	Stall        bool // has an action named z_stall
	// Decl is the declaration, which may make several rows.
	Decl *syntax.Transition
}

// Transition finds the transition of a machine from a state on an event, all by
// their names; nil if there is none.
func (p *Protocol) Transition(machine, state, event string) *Transition {
	m := find(p.Machines, func(m *Machine) bool { return m.Name == machine })
	if m == nil {
		return nil
	}
	return find(m.Transitions, func(t *Transition) bool {
		return m.State.Enums[t.State].Name == state && m.Event.Enums[t.Event].Name == event
	})
}
