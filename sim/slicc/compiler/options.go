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
		o.LoadLinked = linkedByName(c.protocol.File, d.Name)
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

// linkedByName reports whether linked loads are requests of their own in a protocol of between v24.0 and v24.1: then
// Sequencer.cc knew two by name, which had got the event (PR 1399).
func linkedByName(file *syntax.File, protocol string) bool {
	return (protocol == "MESI_Two_Level" || protocol == "MESI_Three_Level") && hasEvent(file, "Load_Linked")
}

// hasEvent reports whether a machine of a protocol has an event.
func hasEvent(file *syntax.File, name string) bool {
	return slices.ContainsFunc(file.Decls, func(d syntax.Decl) bool {
		switch d := d.(type) {
		case *syntax.Include:
			return d.File != nil && hasEvent(d.File, name)
		case *syntax.Machine:
			return hasEvent(&syntax.File{Decls: d.Body}, name)
		case *syntax.Enum:
			return d.Name.Name == "Event" && slices.ContainsFunc(d.Values, func(v syntax.EnumValue) bool { return v.Name.Name == name })
		}
		return false
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
