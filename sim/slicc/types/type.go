// Package types is the checked form of a SLICC protocol: what a compiler or
// an interpreter reads after the checker (package compiler) has resolved every
// name and found every type.
//
// A Protocol has Machines; a Machine has parameters, objects, functions,
// ports, actions and a table of transitions. Bodies are lists of typed
// statements whose variables are resolved symbols. Functions that have no body
// in the protocol name a Builtin.
//
// Lists are in the order of the protocol's text. Every value is shared and
// must not be changed.
package types

import (
	"strings"

	"ordeal/sim/slicc/syntax"
)

// Kind says how values of a type are represented.
type Kind uint8

// The kinds of types.
const (
	Invalid Kind = iota // the type of an expression with a fault
	Void                // no value
	Null                // the type of OOD, which fits every pointer type
	Bool
	Int    // int, Addr, Tick, Cycles, NodeID, Scalar and the like
	String // std::string
	Enum   // an enumeration or a state_declaration
	Struct // has fields: messages, entries, TBEs, and plain composites
	Native // known by name only: DataBlock, NetDest, CacheMemory and the like
)

// Type is a type of a protocol.
type Type struct {
	Name    string
	Machine *Machine // nil for a type declared outside the machines
	Pos     syntax.Pos
	Kind    Kind
	Attrs   syntax.Pairs

	Fields  []*Field      // of a Struct
	Enums   []*Enumerator // of an Enum; the ordinal len(Enums) means unset
	Methods []*Func

	// Super is the type whose fields and methods this one also has: what the
	// attribute interface="…" names, if that is declared.
	Super *Type
	// Interface is the value of the attribute interface, or empty.
	Interface string
	// Default is what variables and fields of the type start with: for an
	// Enum the given default, otherwise the ordinal that means unset; for an
	// Int or Bool a number or truth value, zero if none is given.
	Default Value
	// Cells is how many values of simple type a value of this type holds.
	Cells int
}

// Field is a data member of a Struct.
type Field struct {
	Name    string
	Pos     syntax.Pos
	Type    *Type
	Default Value // the field's own default or else the type's
	Init    Expr  // of a field of a global structure; otherwise nil
}

// Enumerator is a value of an Enum.
type Enumerator struct {
	Name    string
	Pos     syntax.Pos
	Ordinal int
	// Permission is the AccessPermission of a state, as the ordinal in that
	// enumeration; -1 for enumerators that are no states.
	Permission int
	Attrs      syntax.Pairs
}

// String is the name of the type as the protocol writes it.
func (t *Type) String() string { return t.Name }

// CName is the name gem5 gives the type in C++, which default="…" texts and
// the functions NAME_to_string use: the machine's name in front, if it has
// one.
func (t *Type) CName() string {
	if t.Machine == nil || t.Attrs.Has("external") || t.Attrs.Has("primitive") {
		return t.Name
	}
	return t.Machine.Name + "_" + t.Name
}

// IsMessage reports whether values of the type travel through buffers.
func (t *Type) IsMessage() bool { return t.Interface == "Message" }

// The types of entries.
const cacheEntry, directoryEntry = "AbstractCacheEntry", "AbstractEntry"

// IsEntry reports whether the type is an entry of a cache or of a directory, which
// gem5 called an AbstractEntry until 2020.
func (t *Type) IsEntry() bool {
	is := func(name string) bool { return name == cacheEntry || name == directoryEntry }
	return is(t.Interface) || is(t.Name)
}

// IsTBE reports whether the type is a machine's transaction buffer entry.
func (t *Type) IsTBE() bool { return t.Name == "TBE" && t.Machine != nil }

// IsPointer reports whether variables of the type hold references, which may be
// invalid: cache entries and TBEs do, everything else is a value.
func (t *Type) IsPointer() bool { return t.IsEntry() || t.IsTBE() || t.Kind == Null }

// Field finds a field by name, also one inherited from Super; nil if there is
// none.
func (t *Type) Field(name string) *Field {
	for ; t != nil; t = t.Super {
		if f := find(t.Fields, func(f *Field) bool { return f.Name == name }); f != nil {
			return f
		}
	}
	return nil
}

// EnumNames are the names of the values of an enumeration in their order.
func (t *Type) EnumNames() []string {
	names := make([]string, len(t.Enums))
	for i := range t.Enums {
		names[i] = t.Enums[i].Name
	}
	return names
}

// Enum finds an enumerator by name; nil if there is none.
func (t *Type) Enum(name string) *Enumerator {
	return find(t.Enums, func(e *Enumerator) bool { return e.Name == name })
}

// TypeList writes types with commas between them.
func TypeList(list []*Type) string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
