// Package place finds the lines of a protocol's sources that a finding is about, by
// its title: those of the transition, the state, the event or the statement that
// the title names.
package place

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"ordeal/campaigns/signature"
	"ordeal/sim"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Place is a place in the sources of a protocol.
type Place struct {
	// File is relative to the directory of the protocol's root file; Line and
	// Column count from 1.
	File         string
	Line, Column int
	// Name is MACHINE/(STATE,EVENT), or as much of it as the title names; empty
	// for a statement.
	Name string
}

// forms are titles with the names in them, as sim/ruby, sim/gem5 and
// campaigns/signature write them: the first that matches counts.
var forms = []struct {
	form func() *regexp.Regexp
	say  func(m []string) sim.Row
}{
	{lazyregexp.New(`transition \((\w+), ?(\w+)\) of (\w+)`), func(m []string) sim.Row { return sim.Row{Machine: m[3], State: m[1], Event: m[2]} }},
	{lazyregexp.New(`invalid transition: (\w+) in (\w+) on (\w+)`), func(m []string) sim.Row { return sim.Row{Machine: m[1], State: m[2], Event: m[3]} }},
	{lazyregexp.New(`after (\w+)\((\w+), ?(\w+)\)`), func(m []string) sim.Row { return sim.Row{Machine: m[1], State: m[2], Event: m[3]} }},
	{lazyregexp.New(` in (\w+)\((\w+)\)`), func(m []string) sim.Row { return sim.Row{Machine: m[1], State: m[2]} }},
	{lazyregexp.New(`value lost after (\w+) in (\w+)`), func(m []string) sim.Row { return sim.Row{Machine: m[2], Event: m[1]} }},
	{lazyregexp.New(`(\w+) (?:holds back .+|is busy|has a transaction) in (\w+)`), func(m []string) sim.Row { return sim.Row{Machine: m[1], State: m[2]} }},
	{lazyregexp.New(`, (\w+) in (\w+)$`), func(m []string) sim.Row { return sim.Row{Machine: m[1], State: m[2]} }},
	{lazyregexp.New(`old data brought to (\w+)`), func(m []string) sim.Row { return sim.Row{Machine: m[1]} }},
}

// statement is a file of SLICC and a line in it.
var statement = lazyregexp.New(`([\w.-]+\.s(?:m|licc)):(\d+)(?::(\d+))?`)

// lines are the line, and the column, of a place in a file of a protocol.
var lines = lazyregexp.New(`(\.s(?:m|licc)):\d+(:\d+)?`)

// Unnumbered is a title without the lines of places: an edit of a protocol moves
// them.
func Unnumbered(title string) string { return lines().ReplaceAllString(title, "$1") }

// Find finds the place that a title names; ok is false where it names none, or
// none of the protocol.
func Find(p *types.Protocol, title string) (at Place, ok bool) {
	if m := statement().FindStringSubmatch(title); m != nil {
		line, err := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		return Place{File: m[1], Line: line, Column: column}, err == nil && line > 0
	}
	for _, f := range forms {
		if m := f.form().FindStringSubmatch(title); m != nil {
			return find(p, f.say(m))
		}
	}
	return Place{}, false
}

// Transition is the place of a transition of a machine, or of its state where there is
// none.
func Transition(p *types.Protocol, machine, state, event string) (Place, bool) {
	return find(p, sim.Row{Machine: machine, State: state, Event: event})
}

func find(p *types.Protocol, n sim.Row) (Place, bool) {
	for _, m := range p.Machines {
		if m.Name == n.Machine {
			return inMachine(m, n)
		}
	}
	// gem5 names its objects otherwise: take the machine that has both.
	found, at := 0, Place{}
	for _, m := range p.Machines {
		if x, ok := inMachine(m, n); ok && n.State != "" && n.Event != "" && enum(m.State, n.State) >= 0 && enum(m.Event, n.Event) >= 0 {
			found, at = found+1, x
		}
	}
	return at, found == 1
}

func inMachine(m *types.Machine, n sim.Row) (Place, bool) {
	state, event := enum(m.State, n.State), enum(m.Event, n.Event)
	switch {
	case state >= 0 && event >= 0:
		for _, t := range m.Transitions {
			if t.State == state && t.Event == event {
				return newPlace(t.Decl.Pos, m.Name+"/("+n.State+","+n.Event+")"), true
			}
		}
		return newPlace(m.State.Enums[state].Pos, m.Name+"/("+n.State+","+n.Event+")"), true // there is no such transition
	case state >= 0:
		return newPlace(m.State.Enums[state].Pos, m.Name+"/("+n.State+")"), true
	case event >= 0:
		return newPlace(m.Event.Enums[event].Pos, m.Name+"/(*,"+n.Event+")"), true
	}
	return newPlace(m.Pos, m.Name), true
}

func newPlace(pos syntax.Pos, name string) Place {
	return Place{File: path.Clean(strings.ReplaceAll(pos.File, `\`, "/")), Line: int(pos.Line), Column: int(pos.Col), Name: name}
}

// enum is the ordinal of a name, in which n may stand for the digit that tells the
// cores of a controller apart; -1 if there is none.
func enum(t *types.Type, name string) int {
	if t == nil || name == "" {
		return -1
	}
	for i, e := range t.Enums {
		if e.Name == name {
			return i
		}
	}
	for i, e := range t.Enums {
		if signature.AnyCore(e.Name) == name {
			return i
		}
	}
	return -1
}
