package types

import (
	"strings"
	"sync"
)

// Builtin is a function or method that protocols declare without a body: the
// simulator implements it.
type Builtin struct {
	// Key identifies the builtin and distinguishes overloads: "clockEdge()",
	// "NetDest.add(MachineID)".
	Key    string
	Recv   string // the type of a method, or empty
	Name   string
	Params []string // names of types; "*" is any type
	Result string
	// Const is set for a builtin without side effects, see builtinTable.
	Const bool
}

// AnyType in a builtin's signature fits every type.
const AnyType = "*"

// builtins returns the table by Builtin.Group. The first call reads it.
var builtins = sync.OnceValue(func() map[string][]*Builtin { return readBuiltins(builtinTable) })

func readBuiltins(table string) map[string][]*Builtin {
	all := map[string][]*Builtin{}
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		for _, b := range readSignature(line) {
			all[b.Group()] = append(all[b.Group()], b)
		}
	}
	return all
}

func readSignature(line string) []*Builtin {
	line, isConst := strings.CutSuffix(line, " const")
	result, rest, _ := strings.Cut(line, " ")
	name, params, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
	receivers, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		receivers, method = "", name
	}
	var list []*Builtin
	for recv := range strings.SplitSeq(receivers, "|") {
		for _, choice := range choices(params) {
			b := &Builtin{Recv: recv, Name: method, Result: result, Const: isConst}
			if choice != "" {
				b.Params = strings.Split(choice, ", ")
			}
			b.Key = b.Group() + "(" + choice + ")"
			list = append(list, b)
		}
	}
	return list
}

// choices lists what a list of parameters stands for: alternatives of a single
// parameter, or the list up to each bracket.
func choices(params string) []string {
	if strings.Contains(params, "|") {
		return strings.Split(params, "|")
	}
	parts := strings.Split(strings.TrimRight(params, "]"), "[")
	for i := 1; i < len(parts); i++ {
		parts[i] = parts[i-1] + parts[i]
	}
	return parts
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

// Fits reports whether a declaration has the builtin's signature.
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

func fits(name string, t *Type) bool {
	return name == AnyType || name == t.Name || name == cacheEntry && t.Name == directoryEntry
}

// Builtins gives the overloads of a builtin by name, and by the name of the
// receiver's type for a method; none if it is unknown.
func Builtins(recv, name string) []*Builtin {
	return builtins()[(&Builtin{Recv: recv, Name: name}).Group()]
}

// IsConst reports whether a function of this name or, with method, the method
// of this name of some type has no side effects.
func IsConst(name string, method bool) bool {
	if !method {
		list := Builtins("", name)
		return len(list) > 0 && list[0].Const
	}
	return constMethods()[name]
}

var constMethods = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, list := range builtins() {
		for _, b := range list {
			if b.Recv != "" && b.Const {
				names[b.Name] = true
			}
		}
	}
	return names
})
