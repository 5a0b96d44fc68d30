package compiler

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Lacks says what programs on a protocol will miss when it runs, each at the machine or the
// transition that it concerns: callbacks of cores, devices, and transitions that leave their
// message where it is and do nothing, which spin. gem5 accepts all of these.
func Lacks(p *types.Protocol) syntax.Faults {
	var list syntax.Faults
	device := false
	for _, m := range p.Machines {
		called := methodsCalled(m)
		of := func(class string) *types.Var {
			i := slices.IndexFunc(m.Params, func(v *types.Var) bool { return v.Type.Name == class })
			if i < 0 {
				return nil
			}
			return m.Params[i]
		}
		device = device || of("DMASequencer") != nil
		if v := of("Sequencer"); v != nil {
			for _, c := range []struct{ method, lacks string }{
				{"readCallback", "no load of a core ends: a deadlock"},
				{"writeCallback", "no store of a core ends: a deadlock"},
				{"evictionCallback", "cores that load early get no notice that they lose a line, and break their memory model: use --core inorder or tso"},
			} {
				if !called[c.method] {
					list.Add(v.Pos, "machine %s never calls %s.%s: %s", m.Name, v.Name, c.method, c.lacks)
				}
			}
		}
		spins(m, &list)
	}
	if !device && len(p.Machines) > 0 {
		list.Add(p.Machines[0].Pos, "no machine has a DMASequencer: programs with threads of devices (--dma) are refused")
	}
	list.Sort()
	return list
}

// spins adds the transitions that take no message, wait for none and stay in their state.
func spins(m *types.Machine, list *syntax.Faults) {
	seen := map[*syntax.Transition]bool{} // a declaration may make many rows
	for _, t := range m.Transitions {
		if seen[t.Decl] || t.Stall || t.Next != types.Stay && t.NextState != t.State {
			continue
		}
		moves := false
		var names []string
		for _, a := range t.Actions {
			moves = moves || len(a.Body) > 0
			names = append(names, a.Name)
		}
		if moves {
			continue
		}
		seen[t.Decl] = true
		what := "has no actions"
		if len(names) > 0 {
			what = fmt.Sprintf("has actions that do nothing (%s)", strings.Join(names, ", "))
		}
		list.Add(t.Decl.Pos, "(%s, %s) of %s %s and stays in its state: the message is looked at again until another one changes the state; an action named z_stall waits without that",
			m.State.Enums[t.State].Name, m.Event.Enums[t.Event].Name, m.Name, what)
	}
}

// methodsCalled are the names of the methods that a machine's text calls.
func methodsCalled(m *types.Machine) map[string]bool {
	called := map[string]bool{}
	var expr func(x types.Expr)
	expr = func(x types.Expr) {
		switch x := x.(type) {
		case *types.Call:
			called[x.Func.Name] = true
			for _, arg := range x.Args {
				expr(arg)
			}
		case *types.Cast:
			expr(x.X)
		case *types.Unary:
			expr(x.X)
		case *types.Binary:
			expr(x.Left)
			expr(x.Right)
		}
	}
	var body func(list []types.Stmt)
	body = func(list []types.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *types.Eval:
				expr(s.X)
			case *types.Assign:
				expr(s.Right)
			case *types.Declare:
				expr(s.Init)
			case *types.Return:
				expr(s.X)
			case *types.If:
				expr(s.Cond)
				body(s.Then)
				body(s.Else)
			case *types.Peek:
				body(s.Body)
			case *types.Enqueue:
				body(s.Body)
			}
		}
	}
	for _, t := range m.Transitions {
		for _, a := range t.Actions {
			body(a.Body)
		}
	}
	for _, p := range m.InPorts {
		body(p.Body)
	}
	for _, f := range m.Funcs {
		body(f.Body)
	}
	return called
}
