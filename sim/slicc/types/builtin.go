package types

import "strings"

// Builtin is a function or method that protocols declare without a body: the
// simulator implements it.
type Builtin struct {
	// Key identifies the builtin, overloads apart: "clockEdge()" or
	// "NetDest.add(MachineID)".
	Key    string
	Recv   string // the type of a method, or empty
	Name   string
	Params []string // names of types; "*" is any type
	Result string
}

// AnyType in a builtin's signature fits every type.
const AnyType = "*"

// builtins holds the table by receiver and name, "NetDest.add".
var builtins = readTable(functionTable, methodTable)

// readTable reads tables of lines "result receiver.name(type, type)".
func readTable(tables ...string) map[string][]*Builtin {
	all := map[string][]*Builtin{}
	for _, table := range tables {
		for line := range strings.Lines(table) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			b := readSignature(line)
			all[b.Group()] = append(all[b.Group()], b)
		}
	}
	return all
}

func readSignature(line string) *Builtin {
	result, key, _ := strings.Cut(line, " ")
	name, params, _ := strings.Cut(strings.TrimSuffix(key, ")"), "(")
	b := &Builtin{Key: key, Name: name, Result: result}
	if recv, method, ok := strings.Cut(name, "."); ok {
		b.Recv, b.Name = recv, method
	}
	if params != "" {
		b.Params = strings.Split(params, ", ")
	}
	return b
}

// Group is the key without the parameters, common to all overloads.
func (b *Builtin) Group() string {
	if b.Recv == "" {
		return b.Name
	}
	return b.Recv + "." + b.Name
}

// String writes the signature with its result.
func (b *Builtin) String() string { return b.Result + " " + b.Key }

// Fits tells whether a declaration has the builtin's signature.
func (b *Builtin) Fits(result *Type, params []*Type) bool {
	if len(params) != len(b.Params) || !fits(b.Result, result) {
		return false
	}
	for i, p := range params {
		if !fits(b.Params[i], p) {
			return false
		}
	}
	return true
}

func fits(name string, t *Type) bool { return name == AnyType || name == t.Name }

// Builtins gives the overloads of a builtin by name, and by the name of the
// receiver's type for a method; none if it is unknown.
func Builtins(recv, name string) []*Builtin {
	if recv != "" {
		name = recv + "." + name
	}
	return builtins[name]
}
