package compiler

import (
	"maps"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// knownAttributes are the keys of pairs that gem5's compiler or its protocols use.
var knownAttributes = []string{
	"abstract_chip_ptr", "block_on", "buffer", "buffer_type", "c_sharp", "constructor", "default", "desc", "external", "factory", "format", "in_trans",
	"inport", "interface", "main", "network", "non_obj", "ordered", "out_trans", "outport", "primitive", "prot_stall_handler", "rank",
	"return_by_pointer", "return_by_ref", "rsc_stall_handler", "run_on_input_cycle_end", "short", "template", "virtual_network", "vnet_type", "wake_up",
}

// attributes warns of pairs that nothing reads and that are like one that is
// read, as netwrk="To": gem5's compiler ignores them, too.
func (c *checker) attributes(pairs syntax.Pairs) {
	for i := range pairs {
		p := &pairs[i]
		if slices.Contains(knownAttributes, p.Key) {
			continue
		}
		if hint := syntax.Suggestion(p.Key, knownAttributes); hint != "" {
			c.warn(p.Pos, "attribute %s has no effect%s", p.Key, hint)
		}
	}
}

// fields lists the names of the fields of a type, and methods those of its methods.
func fields(t *types.Type) []string {
	var list []string
	for _, f := range t.Fields {
		list = append(list, f.Name)
	}
	return list
}

func methods(t *types.Type) []string {
	var list []string
	for _, f := range t.Methods {
		list = append(list, f.Name)
	}
	return list
}

// names lists what is declared now, in order.
func names[V any](c *checker, of func(*scope) map[string]V) []string {
	all := map[string]bool{}
	for s := c.scope; s != nil; s = s.outer {
		for name := range of(s) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
