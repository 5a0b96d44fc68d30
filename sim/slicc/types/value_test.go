package types

import "testing"

// Texts of default="…" as gem5's protocols write them, and what they mean to
// a C++ compiler.
func TestParseDefault(t *testing.T) {
	integer := &Type{Name: "int", Kind: Int}
	boolean := &Type{Name: "bool", Kind: Bool}
	machine := &Machine{Name: "L1Cache"}
	state := &Type{Name: "State", Kind: Enum, Machine: machine, Enums: []*Enumerator{
		{Name: "I"}, {Name: "M", Ordinal: 1},
	}}
	kind := &Type{Name: "Kind", Kind: Enum, Enums: []*Enumerator{{Name: "NULL"}}}
	for _, row := range []struct {
		text string
		typ  *Type
		want Value
		ok   bool
	}{
		{"0", integer, Value{Kind: IntValue}, true},
		{"-3", integer, Value{Kind: IntValue, Int: -3}, true},
		{"(8)", integer, Value{Kind: IntValue, Int: 8}, true},
		{"Cycles(500)", integer, Value{Kind: IntValue, Int: 500}, true},
		{"(Cycles(500))", integer, Value{Kind: IntValue, Int: 500}, true},
		{"RubySystem::getBlockSizeBits()", integer, Value{Kind: IntValue, Int: 6}, true},
		{"RubySystem::getBlockSizeBytes()", integer, Value{Kind: IntValue, Int: 64}, true},
		{"m_ruby_system->getBlockSizeBits()", integer, Value{Kind: IntValue, Int: 6}, true},
		{"m_ruby_system->getBlockSizeBytes()", integer, Value{Kind: IntValue, Int: 64}, true},
		{"log2(m_n)", integer, Value{Kind: TextValue, Str: "log2(m_n)"}, true},
		{"max_tokens()", integer, Value{Kind: TextValue, Str: "max_tokens()"}, true},
		{")", integer, Value{Kind: TextValue, Str: ")"}, true},
		{"false", boolean, Value{Kind: BoolValue}, true},
		{"true", boolean, Value{Kind: BoolValue, Int: 1}, true},
		{"0", boolean, Value{Kind: BoolValue}, true},
		{"4", boolean, Value{Kind: BoolValue, Int: 1}, true},
		{"nullptr", &Type{Name: "RequestPtr", Kind: Native}, Value{Kind: NullValue}, true},
		{"L1Cache_State_M", state, Value{Kind: EnumValue, Int: 1}, true},
		{"State_M", state, Value{Kind: EnumValue, Int: 1}, true},
		{"L1Cache_State_NUM", state, Value{Kind: EnumValue, Int: 2}, true},
		{"L1Cache_State_Z", state, Value{Kind: EnumValue, Int: 2}, false},
		{"M", state, Value{Kind: EnumValue, Int: 2}, false},
		{"Kind_NULL", kind, Value{Kind: EnumValue}, true},
	} {
		got, ok := ParseDefault(row.text, row.typ)
		if got != row.want || ok != row.ok {
			t.Errorf("%s for %s: got %+v, %v, want %+v, %v", row.text, row.typ, got, ok, row.want, row.ok)
		}
	}
}
