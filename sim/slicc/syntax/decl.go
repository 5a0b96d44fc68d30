package syntax

import "iter"

// File is one parsed source file.
type File struct {
	Name  string
	Decls []Decl
	// Older says that the file was in the language of before 2015, in which its text
	// differs from the tree: see older.go.
	Older bool
	// Builtins, of a root file, is what stands for functions that the protocol only
	// declares: see ParseBuiltins. It is nil if nothing does.
	Builtins *File
}

// Includes walks the include declarations of the file, those in the bodies of
// machines included, in the order of the text.
func (f *File) Includes() iter.Seq[*Include] {
	return func(yield func(*Include) bool) { includes(f.Decls, yield) }
}

// includes is false once the consumer has had enough.
func includes(list []Decl, yield func(*Include) bool) bool {
	for _, d := range list {
		switch d := d.(type) {
		case *Include:
			if !yield(d) {
				return false
			}
		case *Machine:
			if !includes(d.Body, yield) {
				return false
			}
		}
	}
	return true
}

// Decl is a declaration: of a file, of a machine's body or of a structure.
type Decl interface {
	Position() Pos
	decl()
}

// DeclNode is the part that all declarations have.
type DeclNode struct {
	Pos Pos // where the declaration starts
}

// Position is where the declaration starts.
func (n *DeclNode) Position() Pos { return n.Pos }

func (*DeclNode) decl() {}

// Ident is a name as written, unresolved.
type Ident struct {
	Pos  Pos
	Name string
}

// TypeName is a type as written: one identifier, or several joined by "::" as
// in std::string. The name "void" stands for the result of a function that has
// none.
type TypeName struct {
	Pos  Pos
	Name string
}

// EnumName is "Type:Value", an enumerator with its type.
type EnumName struct {
	Type  Ident
	Value Ident
}

// Protocol is `protocol "NAME" OPTION, …;`, given once in a protocol.
type Protocol struct {
	DeclNode
	Name    string
	Options []Ident // names as written; gem5 has them since v24.1
}

// Include is `include "FILE";`. The declarations of the file stand in its
// place. File is nil until the loader has found it.
type Include struct {
	DeclNode
	Path string
	File *File
	// Implicit marks the shared interfaces, which the loader includes in a root
	// file that does not (gem5 since v24.1). The text has no such declaration.
	Implicit bool
}

// Machine is a controller: its parameters, set by the configuration, and its
// body.
type Machine struct {
	DeclNode
	Name   EnumName // MachineType:L1Cache
	Others []Ident  // further names that types of machines have, in the older language only
	Pairs  Pairs
	Params []*Object
	Body   []Decl
}

// Action is a named list of statements that transitions run.
type Action struct {
	DeclNode
	Name  Ident
	Pairs Pairs
	Body  *Block
}

// InPort is a port a machine polls; Body looks at the head message of Buffer
// and triggers events.
type InPort struct {
	DeclNode
	Name   Ident
	Type   TypeName // of the messages
	Buffer Ident
	Pairs  Pairs
	Body   *Block
}

// OutPort names a buffer for enqueue.
type OutPort struct {
	DeclNode
	Name   Ident
	Type   TypeName // of the messages
	Buffer Ident
	Pairs  Pairs
}

// Transition gives, for every pair of one of States and one of Events, the
// actions to run and the state to go to.
type Transition struct {
	DeclNode
	States       []Ident
	Events       []Ident
	Next         *Ident // nil: the state does not change; "*": ask getNextState
	RequestTypes []Ident
	Actions      []Ident
	NoStall      bool // runs although buffers and tables may be full
}

// StructKind distinguishes the three declarations of a composite type.
type StructKind uint8

// The declarations of a composite type.
const (
	Structure    StructKind = iota // structure(T) {…}
	Global                         // global(T) {…}
	ExternalType                   // external_type(T); it has no members
)

// Struct declares a composite or native type. Members are Objects (the
// fields) and Funcs (the methods).
type Struct struct {
	DeclNode
	Kind    StructKind
	Name    TypeName
	Pairs   Pairs
	Members []Decl
}

// Enum is an enumeration.
type Enum struct {
	DeclNode
	Name   TypeName
	Pairs  Pairs
	Values []EnumValue
}

// EnumValue is one enumerator.
type EnumValue struct {
	Name  Ident
	Pairs Pairs
}

// StateDecl is a machine's state_declaration: an enumeration each of whose
// values has an access permission.
type StateDecl struct {
	DeclNode
	Name   TypeName
	Pairs  Pairs
	States []State
}

// State is one line of a state_declaration.
type State struct {
	Name       Ident
	Permission EnumName
	Pairs      Pairs
}

// Object declares a variable: a machine's parameter, an object of a machine,
// a field of a structure or a global.
type Object struct {
	DeclNode
	Type    TypeName
	Pointer bool // T * x
	Name    Ident
	Pairs   Pairs // empty when Init is given
	Init    Expr  // nil without ":="
}

// Func declares a function or a method, and defines it unless Body is nil.
type Func struct {
	DeclNode
	// Class, in a file of builtins, is the type of a method; As, there, is the function
	// or method that does the same, in the place of a body.
	Class, As Ident
	Result    TypeName
	Name      Ident
	Params    []Param
	Pairs     Pairs
	Body      *Block // nil for a prototype
}

// Qualifier is the mark between a parameter's type and its name.
type Qualifier uint8

// The marks of a parameter.
const (
	ByValue   Qualifier = iota // T x
	ByPointer                  // T * x
	ByRef                      // T & x
)

// Param is a parameter of a function. Prototypes may leave out the names of
// all their parameters; then Name.Name is empty.
type Param struct {
	Type      TypeName
	Qualifier Qualifier
	Name      Ident
	Default   Expr // a literal, or nil
}
