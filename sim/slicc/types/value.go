package types

import (
	"strconv"
	"strings"
)

// ValueKind says what a Value is.
type ValueKind uint8

// The kinds of values.
const (
	NoValue     ValueKind = iota // nothing given
	IntValue                     // Int
	BoolValue                    // Int is 0 or 1
	EnumValue                    // Int is the ordinal
	StringValue                  // Str
	NullValue                    // the invalid pointer
	TextValue                    // Str is C++ text with no meaning of its own here, such as "log2(m_n)"
)

// Value is a constant: a literal, or what a variable or field starts with.
type Value struct {
	Kind ValueKind
	Int  int64
	Str  string
}

// The sizes of a cache line that default="…" texts may name.
const (
	BlockBits  = 6
	BlockBytes = 1 << BlockBits
)

// Functions of gem5's RubySystem were static until 2024 (4f7b3ed827), those of an object since.
const (
	systemClass   = "RubySystem::"
	systemPointer = "m_ruby_system->"
)

// ParseDefault reads the text of a default="…" attribute, which gem5 copies
// into C++, for a variable of type t. Text it does not understand becomes a
// TextValue; ok is false if the type is an enumeration and the text names
// none of its values.
func ParseDefault(text string, t *Type) (v Value, ok bool) {
	text = strings.TrimSpace(text)
	if t.Kind == Enum {
		return parseEnumDefault(text, t)
	}
	switch strings.Replace(text, systemPointer, systemClass, 1) {
	case "true":
		return Value{Kind: BoolValue, Int: 1}, true
	case "false":
		return Value{Kind: BoolValue}, true
	case "nullptr", "NULL":
		return Value{Kind: NullValue}, true
	case systemClass + "getBlockSizeBits()":
		return Value{Kind: IntValue, Int: BlockBits}, true
	case systemClass + "getBlockSizeBytes()":
		return Value{Kind: IntValue, Int: BlockBytes}, true
	}
	if n, err := strconv.ParseInt(innermost(text), 10, 64); err == nil {
		if t.Kind == Bool {
			return Value{Kind: BoolValue, Int: truth(n)}, true
		}
		return Value{Kind: IntValue, Int: n}, true
	}
	return Value{Kind: TextValue, Str: text}, true
}

// innermost strips parentheses and conversions from a number: "Cycles(500)"
// and "(8)" are numbers.
func innermost(text string) string {
	for strings.HasSuffix(text, ")") {
		text = strings.TrimPrefix(text, "Cycles")
		text = strings.TrimPrefix(text, "Tick")
		if !strings.HasPrefix(text, "(") {
			break
		}
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	return text
}

// parseEnumDefault reads "TYPE_VALUE", where TYPE is the type's name in C++,
// or "TYPE_NUM" for unset.
func parseEnumDefault(text string, t *Type) (Value, bool) {
	unset := Value{Kind: EnumValue, Int: int64(len(t.Enums))}
	name, ok := strings.CutPrefix(text, t.CName()+"_")
	if !ok {
		name, ok = strings.CutPrefix(text, t.Name+"_")
	}
	if !ok {
		return unset, false
	}
	if e := t.Enum(name); e != nil {
		return Value{Kind: EnumValue, Int: int64(e.Ordinal)}, true
	}
	return unset, name == "NUM"
}

// truth is C++'s conversion of a number to bool.
func truth(n int64) int64 {
	if n != 0 {
		return 1
	}
	return 0
}
