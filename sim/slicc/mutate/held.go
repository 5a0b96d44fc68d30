package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// holding says what holds the state of a line: bit i says that holder i of the
// machine is there.
type holding uint8

// nowhere says that nothing holds the state: the line is in the default state.
const nowhere holding = 0

// holdings is a set of holding, one bit for each.
type holdings uint8

func (s holdings) has(h holding) bool { return s&(1<<h) != 0 }

// holderNames are the pointers through which setState writes a state, each under
// the condition that it is valid.
var holderNames = []string{"tbe", "cache_entry"}

// held is, for each state, what may hold it when a transition begins; nil
// where setState and setAccessPermission may write a state elsewhere. It
// follows the table from the default state on, whichever events may come, as
// if an entry were there if and only if its pointer is valid.
func (m *machine) held() map[string]holdings {
	if !m.onlyHolders("setState") || !m.onlyHolders("setAccessPermission") || !m.defaults() {
		return nil
	}
	at := map[string]holdings{m.initial: 1 << nowhere}
	for changed := true; changed; {
		changed = false
		for _, t := range m.transitions {
			for _, s := range t.States {
				for h := range holding(1 << len(holderNames)) {
					if !at[s.Name].has(h) {
						continue
					}
					after := m.holdAfter(t, h)
					next := s.Name
					if t.Next != nil {
						next = t.Next.Name
					}
					for g := range holding(1 << len(holderNames)) {
						to := next
						if !after.has(g) {
							continue
						} else if g == nowhere {
							to = m.initial
						}
						if !at[to].has(g) {
							at[to] |= 1 << g
							changed = true
						}
					}
				}
			}
		}
	}
	return at
}

// heldNowhere reports whether nothing holds the state after a row.
func (m *machine) heldNowhere(s site) bool {
	before := m.heldStates[s.state]
	for h := range holding(1 << len(holderNames)) {
		if before.has(h) && m.holdAfter(s.row, h) != 1<<nowhere {
			return false
		}
	}
	return before != 0
}

// holdAfter returns what may hold a state after the actions of a row.
func (m *machine) holdAfter(t *syntax.Transition, before holding) holdings {
	set, seen := holdings(1<<before), calls{}
	if m.waits(t) {
		return set
	}
	for _, id := range t.Actions {
		a := m.actions[id.Name]
		if a == nil {
			return ^holdings(0) // unknown
		}
		set = m.holdBlock(a.Body, set, seen)
	}
	return set
}

// calls has what may hold a state after a function, by what may before.
type calls map[called]holdings

type called struct {
	*syntax.Func
	before holdings
}

func (m *machine) holdBlock(b *syntax.Block, set holdings, seen calls) holdings {
	if b == nil {
		return set
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *syntax.Block:
			set = m.holdBlock(s, set, seen)
		case *syntax.Peek:
			set = m.holdBlock(s.Body, set, seen)
		case *syntax.If:
			otherwise := set
			if s.Else != nil {
				otherwise = m.holdBlock(&syntax.Block{Stmts: []syntax.Stmt{s.Else}}, set, seen)
			}
			set = m.holdBlock(s.Then, set, seen) | otherwise
		case *syntax.ExprStmt:
			set = m.holdCall(s.X, set, seen)
		}
	}
	return set
}

// holdCall follows a call that makes a pointer valid or invalid.
func (m *machine) holdCall(x syntax.Expr, set holdings, seen calls) holdings {
	call, ok := x.(*syntax.Call)
	if !ok {
		return set
	}
	for i, name := range holderNames {
		unset := call.Func.Name == "unset_"+name
		if !unset && call.Func.Name != "set_"+name {
			continue
		}
		var moved holdings
		for h := range holding(1 << len(holderNames)) {
			if set.has(h) && unset {
				moved |= 1 << (h &^ (1 << i))
			} else if set.has(h) {
				moved |= 1 << (h | 1<<i)
			}
		}
		return moved
	}
	f := m.funcs[call.Func.Name]
	if f == nil {
		return set
	}
	entry := called{f, set}
	if _, ok := seen[entry]; !ok {
		seen[entry] = set                                  // what calls itself ends
		seen[entry] = set | m.holdBlock(f.Body, set, seen) // it may return early
	}
	return seen[entry]
}

// defaults reports whether getState ends with the default state.
func (m *machine) defaults() bool {
	f := m.funcs["getState"]
	if f == nil || len(f.Body.Stmts) == 0 || m.initial == "" {
		return false
	}
	last, ok := f.Body.Stmts[len(f.Body.Stmts)-1].(*syntax.Return)
	if !ok {
		return false
	}
	value, ok := last.X.(*syntax.EnumLit)
	return ok && value.Value.Name == m.initial
}

// onlyHolders reports whether a function uses its last parameter, the state, only
// where a holder is known to be valid.
func (m *machine) onlyHolders(name string) bool {
	f := m.funcs[name]
	if f == nil || len(f.Params) == 0 {
		return false
	}
	return !usesOutside(f.Body, f.Params[len(f.Params)-1].Name.Name)
}

// usesOutside reports whether a block names a variable outside of the
// conditional blocks of holders.
func usesOutside(b *syntax.Block, variable string) bool {
	if b == nil {
		return false
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *syntax.If:
			inside := holderCondition(s.Cond)
			if names(s.Cond, variable) || !inside && usesOutside(s.Then, variable) ||
				s.Else != nil && usesOutside(&syntax.Block{Stmts: []syntax.Stmt{s.Else}}, variable) {
				return true
			}
		case *syntax.Block:
			if usesOutside(s, variable) {
				return true
			}
		case *syntax.ExprStmt:
			if names(s.X, variable) {
				return true
			}
		case *syntax.Assign:
			if names(s.Left, variable) || names(s.Right, variable) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// holderCondition reports whether a condition is that a holder is valid.
func holderCondition(x syntax.Expr) bool {
	valid, ok := x.(*syntax.Valid)
	if !ok || valid.Not {
		return false
	}
	name, ok := valid.X.(*syntax.Name)
	return ok && slices.Contains(holderNames, name.Name)
}

func names(x syntax.Expr, variable string) bool {
	if name, ok := x.(*syntax.Name); ok && name.Name == variable {
		return true
	}
	for _, operand := range syntax.Operands(x) {
		if names(operand, variable) {
			return true
		}
	}
	return false
}
