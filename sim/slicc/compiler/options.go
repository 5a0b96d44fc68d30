package compiler

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// options reads the options of a protocol. One of a later version of gem5 is a
// warning: most of such a protocol works without it.
func (c *checker) options(d *syntax.Protocol) {
	o := &c.protocol.Options
	for _, id := range d.Options {
		if !o.Set(id.Name) {
			c.warn(id.Pos, "protocol %s runs without its option %s, which is unknown: known are %s%s", d.Name,
				id.Name, strings.Join(types.OptionNames, ", "), syntax.Suggestion(id.Name, types.OptionNames))
		}
	}
	if len(d.Options) == 0 && !c.implicit() {
		*o = optionsOf(d.Name)
	}
	// Only gem5's tester flushes lines of this one (configs/example/ruby_random_test.py); no
	// version gives it the option.
	o.Flushes = o.Flushes || d.Name == "MOESI_hammer"
}

// implicit reports whether the shared interfaces are included by themselves: the
// protocol is one of gem5 v24.1 or later.
func (c *checker) implicit() bool {
	return slices.ContainsFunc(c.protocol.File.Decls, func(d syntax.Decl) bool {
		include, ok := d.(*syntax.Include)
		return ok && include.Implicit
	})
}

// optionsOf has what gem5 until v24.0 knew by the names of its protocols, which had
// no options (Sequencer.cc, makeRequest).
func optionsOf(protocol string) types.Options {
	return types.Options{
		PartialReads:     protocol == "CHI",
		StoreConditional: strings.HasPrefix(protocol, "MESI_Three_Level"),
	}
}
