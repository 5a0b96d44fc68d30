package diagnose

import (
	"path"
	"strings"

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
	// Name is MACHINE/(STATE,EVENT), or as much of it as the failure names; empty
	// for a statement.
	Name string
}

// Locate is the place that a failure names: the statement, transition, state, event or
// machine; ok is false where it names none, or none of the protocol.
func Locate(p *types.Protocol, f *sim.Failure) (at Place, ok bool) {
	if f.Function != "" && f.At.File != "" {
		return Place{File: f.At.File, Line: f.At.Line, Column: f.At.Column}, true
	}
	return Transition(p, f.Row)
}

// Transition is the place of a transition of a machine, or of its state where there is
// none.
func Transition(p *types.Protocol, n sim.Row) (Place, bool) {
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
		if AnyCore(e.Name) == name {
			return i
		}
	}
	return -1
}

// coreDigit matches the digits by which a controller of two cores tells them
// apart, as in M0 and C1_Load of MOESI_AMD_Base, but not those of L1 and L2.
var coreDigit = lazyregexp.New(`([^L])[01]`)

// AnyCore is a name that is the same for all cores of a controller.
func AnyCore(name string) string { return coreDigit().ReplaceAllString(name, "${1}n") }
