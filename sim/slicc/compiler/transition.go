package compiler

import (
	"maps"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

const maxTable = 1_000_000

// finishMachine checks what takes all of a machine to be seen: the
// transitions, and the functions every machine needs.
func (c *checker) finishMachine() {
	m := c.machine
	if m.State == nil {
		c.fault(m.Pos, "machine %s has no state_declaration", m.Name)
	}
	if m.Event == nil {
		c.fault(m.Pos, "machine %s has no enumeration Event", m.Name)
	}
	if m.State == nil || m.Event == nil || c.full() {
		return
	}
	if len(m.State.Enums)*len(m.Event.Enums) > maxTable {
		c.fault(m.Pos, "machine %s has more than %d pairs of a state and an event", m.Name, maxTable)
		return
	}
	c.required()
	c.stallHandlers()
	seen := map[[2]int]*types.Transition{}
	for _, d := range m.transitions {
		c.transition(d, seen)
	}
	for _, a := range m.Actions {
		if !a.Used {
			c.warn(a.Pos, "action %s of machine %s is not used", a.Name, m.Name)
		}
	}
}

// required finds the functions that running a transition takes.
func (c *checker) required() {
	m := c.machine
	addr, permission := c.basic(m.Pos, "Addr"), c.basic(m.Pos, "AccessPermission")
	if addr == invalid || permission == invalid {
		return
	}
	var tbe, entry []*types.Type
	if m.TBE != nil {
		tbe = append(tbe, m.TBE)
	}
	if m.Entry != nil {
		entry = append(entry, m.Entry)
	}
	line, state := []*types.Type{addr}, []*types.Type{addr, m.State}
	void := c.global.types["void"]
	m.GetState = c.require(m.State, "getState", slices.Concat(tbe, entry, line))
	m.SetState = c.require(void, "setState", slices.Concat(tbe, entry, state))
	c.require(permission, "getAccessPermission", line)
	m.SetAccessPermission = c.require(void, "setAccessPermission", slices.Concat(entry, state))
	m.GetNextState = c.definedFunc(m.State, "getNextState", line)
	if boolean := c.findType("bool"); m.RequestTypes != nil && boolean != nil {
		m.CheckResource = c.definedFunc(boolean, "checkResourceAvailable", []*types.Type{m.RequestTypes, addr})
	}
}

func (c *checker) require(result *types.Type, name string, params []*types.Type) *types.Func {
	f := c.definedFunc(result, name, params)
	if f == nil {
		c.fault(c.machine.Pos, "machine %s does not define %s %s(%s)",
			c.machine.Name, result, name, types.TypeList(params))
	}
	return f
}

// definedFunc finds a function with a body; nil if there is none.
func (c *checker) definedFunc(result *types.Type, name string, params []*types.Type) *types.Func {
	for _, f := range c.machine.Funcs {
		if f.Name == name && f.Defined && f.Result == result && slices.Equal(f.ParamTypes(), params) {
			return f
		}
	}
	return nil
}

// transition expands a declaration into one row for every pair of a state and
// an event.
func (c *checker) transition(d *syntax.Transition, seen map[[2]int]*types.Transition) {
	m := c.machine
	states := c.enumerators(d.States, m.State)
	events := c.enumerators(d.Events, m.Event)
	row := types.Transition{Decl: d, Actions: c.actions(d.Actions)}
	if !d.NoStall {
		row.Demands = sumDemands(row.Actions)
	}
	for _, a := range row.Actions {
		row.Stall = row.Stall || a.Name == types.StallAction
	}
	if len(d.RequestTypes) > 0 && m.RequestTypes == nil {
		c.fault(d.RequestTypes[0].Pos, "machine %s has no enumeration RequestType", m.Name)
	} else if len(d.RequestTypes) > 0 {
		row.RequestTypes = c.enumerators(d.RequestTypes, m.RequestTypes)
	}
	row.NextState = -1
	if d.Next != nil {
		row.Next, row.NextState = c.nextState(d.Next)
	}
	for _, state := range states {
		for _, event := range events {
			if c.full() {
				return
			}
			pair := [2]int{state, event}
			if old := seen[pair]; old != nil {
				c.fault(d.Pos, "transition (%s, %s) is already declared at %s",
					m.State.Enums[state].Name, m.Event.Enums[event].Name, old.Decl.Pos)
				continue
			}
			t := row
			t.State, t.Event = state, event
			if t.Next == types.Stay {
				t.NextState = state
			}
			seen[pair] = &t
			m.Transitions = append(m.Transitions, &t)
		}
	}
}

// enumerators resolves a list of values of an enumeration to ordinals.
func (c *checker) enumerators(list []syntax.Ident, t *types.Type) []int {
	var ordinals []int
	for _, id := range list {
		if e := t.Enum(id.Name); e != nil {
			ordinals = append(ordinals, e.Ordinal)
		} else {
			c.fault(id.Pos, "%s is no %s of machine %s%s", id.Name, t, c.machine.Name, syntax.Suggestion(id.Name, t.EnumNames()))
		}
	}
	return ordinals
}

func (c *checker) actions(list []syntax.Ident) []*types.Action {
	var actions []*types.Action
	for _, id := range list {
		if a := c.machine.byName[id.Name]; a != nil {
			a.Used = true
			actions = append(actions, a)
		} else {
			c.fault(id.Pos, "%s is no action of machine %s%s", id.Name, c.machine.Name, syntax.Suggestion(id.Name, slices.Sorted(maps.Keys(c.machine.byName))))
		}
	}
	return actions
}

func (c *checker) nextState(id *syntax.Ident) (types.Next, int) {
	if id.Name == "*" {
		if c.machine.GetNextState == nil {
			c.fault(id.Pos, "next state '*' needs a function State getNextState(Addr)")
		}
		return types.Wildcard, -1
	}
	if e := c.machine.State.Enum(id.Name); e != nil {
		return types.GoTo, e.Ordinal
	}
	c.fault(id.Pos, "%s is no State of machine %s%s", id.Name, c.machine.Name, syntax.Suggestion(id.Name, c.machine.State.EnumNames()))
	return types.GoTo, -1
}
