package types

import "ordeal/sim/slicc/syntax"

// VarKind says where a variable lives.
type VarKind uint8

// The kinds of variables.
const (
	GlobalVar  VarKind = iota // every controller has its own: machineID, version, …; Protocol.Objects
	ParamVar                  // a machine's parameter, from the configuration; Machine.Params
	ObjectVar                 // an object in a machine's body, one a controller; Machine.Objects
	InPortVar                 // Machine.InPorts
	OutPortVar                // Machine.OutPorts
	LocalVar                  // a local or an argument
	InMsgVar                  // in_msg of a peek
	OutMsgVar                 // out_msg of an enqueue
	FieldVar                  // a field of the receiver, inside a method; Type.Fields
	AddressVar                // address, inside an action
	TBEVar                    // tbe, inside an action: the transition's current TBE
	EntryVar                  // cache_entry, inside an action: the transition's current entry
)

// Var is a variable.
type Var struct {
	Name  string
	Kind  VarKind
	Index int // of an InPortVar or OutPortVar in its list
	Type  *Type
	Pos   syntax.Pos
	Attrs syntax.Pairs

	// Argument says that a LocalVar is an argument, ByRef that assignments to
	// it reach the caller's variable.
	Argument bool
	ByRef    bool
	// Default is what the variable starts with: for a ParamVar what := gives
	// (NoValue if nothing does: the configuration must), for an ObjectVar the
	// attribute default or the type's.
	Default Value
	// Network is set for a buffer that is attached to the network.
	Network *Network
}

// Direction is the way messages go through a buffer, seen from the machine.
type Direction uint8

// The directions of a network buffer.
const (
	ToNetwork   Direction = iota // network="To"
	FromNetwork                  // network="From"
)

// Network is the attachment of a message buffer to the network.
type Network struct {
	Direction Direction
	VNet      int // virtual network
}

// Func is a function of the protocol, of a machine or of a type.
type Func struct {
	Name   string
	Pos    syntax.Pos
	Recv   *Type  // nil for a function that is no method
	Params []*Var // LocalVars
	Result *Type

	// Builtin is set, and Body is nil, for a function that the protocol only
	// declares; Builtin is nil for an unknown one, which is never called.
	Builtin *Builtin
	// Defined says that the protocol gives a body, Supplied that the file of builtins says
	// what is called instead.
	Defined, Supplied bool
	Body              []Stmt
	// Enum is the enumeration of a NAME_to_string or NAME_to_permission.
	Enum *Type
}

// Signature writes the function as name(types).
func (f *Func) Signature() string {
	name := f.Name
	if f.Recv != nil {
		name = f.Recv.Name + "." + name
	}
	return name + "(" + TypeList(f.ParamTypes()) + ")"
}

// ParamTypes lists the types of the parameters.
func (f *Func) ParamTypes() []*Type {
	list := make([]*Type, len(f.Params))
	for i, p := range f.Params {
		list[i] = p.Type
	}
	return list
}
