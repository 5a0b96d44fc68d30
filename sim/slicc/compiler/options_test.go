package compiler

import (
	"fmt"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// TestOptions reads options where the protocol has them, or is of a version that has them, and else
// knows them by the protocol's name. What is unknown is a warning.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		text   string
		shared bool // the tree has shared interfaces, which the text does not include
		want   types.Options
		warned string
	}{
		{text: `protocol "Own" use_secondary_load_linked, supports_flushes;`, want: types.Options{LoadLinked: true, Flushes: true}},
		{text: `protocol "Own" partial_func_reads, use_secondary_store_conditional;`, want: types.Options{PartialReads: true, StoreConditional: true}},
		{text: `protocol "Own";`},
		{text: `protocol "MESI_Three_Level_HTM";`, want: types.Options{StoreConditional: true}},
		{text: `protocol "MESI_Three_Level_HTM";`, shared: true},
		{text: `protocol "MOESI_hammer";`, want: types.Options{Flushes: true}},
		{text: `protocol "MOESI_hammer";`, shared: true, want: types.Options{Flushes: true}},
		{text: `protocol "CHI";`, want: types.Options{PartialReads: true}},
		{text: `protocol "Own" support_flushes;`, warned: "own.slicc:1:16: protocol Own runs without its option support_flushes, which is unknown: " +
			"known are partial_func_reads, supports_flushes, use_secondary_load_linked, use_secondary_store_conditional (did you mean supports_flushes?)"},
	} {
		fsys := fstest.MapFS{"own.slicc": {Data: []byte(c.text)}}
		if c.shared {
			fsys["RubySlicc_interfaces.slicc"] = &fstest.MapFile{Data: []byte("external_type(Addr);")}
		}
		p := load(t, fsys, "own.slicc")
		if p.Options != c.want {
			t.Errorf("%s: options %+v, want %+v", c.text, p.Options, c.want)
		}
		if (p.Type("Addr") != nil) != c.shared {
			t.Errorf("%s: type Addr %v", c.text, p.Type("Addr"))
		}
		if got := p.Warnings.Error(); got != c.warned {
			t.Errorf("%s: warnings %q, want %q", c.text, got, c.warned)
		}
	}
}

// TestLinkedByName has the versions of gem5 in which Sequencer.cc knew by two names which protocols have the event of linked
// loads: between those without it and those with options.
func TestLinkedByName(t *testing.T) {
	for _, c := range []struct {
		protocol, event string
		want            bool
	}{
		{"MESI_Three_Level", "Load_Linked", true},
		{"MESI_Two_Level", "Load_Linked", true},
		{"MESI_Two_Level", "Load", false},
		{"MESI_Three_Level_HTM", "Load_Linked", false},
		{"Own", "Load_Linked", false},
	} {
		file, err := syntax.Load(fstest.MapFS{
			"own.slicc": {Data: fmt.Appendf(nil, "protocol \"%s\";\ninclude \"cache.sm\";\n", c.protocol)},
			"cache.sm":  {Data: fmt.Appendf(nil, "machine(MachineType:L1Cache, \"\") : { enumeration(Event) { Store; %s; } }", c.event)},
		}, "own.slicc")
		if err != nil {
			t.Fatal(err)
		}
		if got := linkedByName(file, c.protocol); got != c.want {
			t.Errorf("%s with %s: %v", c.protocol, c.event, got)
		}
	}
}
