package mutate

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// equivalent gives the reason why an edit, of a statement for edits of bodies, cannot be
// noticed, as far as the text of the protocol shows it.
func (p *Catalogue) equivalent(m *machine, s site, e edit, stmt syntax.Stmt) string {
	if s.name != "" {
		return p.equivalentBody(m, s, e, stmt)
	}
	if has(s.row.Actions, types.StallAction) && e.op != Copy && e.op != Pop && e.op != Delete {
		if e.op != Drop || e.arg != types.StallAction {
			return "the transition stalls: nothing else of it is done"
		}
	}
	switch e.op {
	case Swap:
		if m.actionEffects(e.arg).commutes(m.actionEffects(e.what)) {
			return "neither action writes what the other reads or writes"
		}
	case Next:
		if m.heldNowhere(s) {
			return "nothing holds the line afterwards, so that its state is written nowhere"
		}
	case Drop, Dup:
		if e.op == Drop && m.waitsAtHead(s) {
			return "the message waits at the head of its queue, not beside it"
		}
		effects := m.actionEffects(e.arg)
		if e.arg == types.StallAction && e.op == Drop {
			return "" // its name is its effect
		}
		if reason := effects.invisible(); reason != "" {
			return reason
		}
		if e.op == Dup && effects.repeats {
			return "doing it twice is doing it once"
		}
	}
	return ""
}

// invisible is why nothing shows whether the effects happen.
func (e *effects) invisible() string {
	if len(e.writes) == 0 {
		return "it counts or reports, nothing else"
	}
	if len(e.writes) == 1 && e.writes["mru"] {
		return "it changes which line is replaced next, not what is right"
	}
	return ""
}

// evictionsOnly reports whether all that an edit leaves out is notifications of
// cores that they lose a line.
func (m *machine) evictionsOnly(s site, e edit, stmt syntax.Stmt) bool {
	var effects *effects
	switch {
	case s.name == "" && e.op == Drop:
		effects = m.actionEffects(e.arg)
	case s.name != "" && (e.op == Skip || e.op == Negate):
		effects = newEffects()
		r := reader{machine: m, effects: effects}
		r.stmt(stmt)
	default:
		return false
	}
	return len(effects.writes) == 1 && effects.writes[eviction]
}

// equivalentBody is equivalent for edits of actions, ports and functions.
func (p *Catalogue) equivalentBody(m *machine, s site, e edit, stmt syntax.Stmt) string {
	if _, ok := s.decl.(*syntax.Action); ok && !m.runs(s.name) {
		return fmt.Sprintf("no transition of machine %s runs the action", m.name)
	}
	if e.op == Set || e.op == Skip {
		if at := strings.LastIndexByte(e.arg, '.'); at >= 0 && !strings.Contains(e.arg, "(") && !p.fields[e.arg[at+1:]] {
			return "nothing reads the field " + e.arg[at+1:]
		}
	}
	x, ok := stmt.(*syntax.ExprStmt)
	if !ok || e.op != Skip || onlyLocal(x.X) {
		return ""
	}
	effects := newEffects()
	r := reader{machine: m, effects: effects}
	r.expr(x.X)
	return effects.invisible()
}

// onlyLocal reports whether a call changes a message in the making, which is an
// effect though nothing that outlives the action is written.
func onlyLocal(x syntax.Expr) bool {
	call, ok := x.(*syntax.MethodCall)
	if !ok {
		return false
	}
	_, local := place(call.X)
	return local || !strings.HasPrefix(call.Method.Name, "profile") && call.Method.Name != "setMRU" &&
		call.Method.Name != "recordRequestType"
}

func (m *machine) runs(action string) bool {
	return slices.ContainsFunc(m.transitions, func(t *syntax.Transition) bool {
		return has(t.Actions, action) && !has(t.Actions, types.StallAction)
	})
}

// nativeFields are read by the simulator: where a message goes, what is asked
// of memory.
var nativeFields = []string{"Destination", "addr", "Addr", "Type", "Sender", "DataBlk", "Len"}

func (p *Catalogue) readFields() {
	for _, name := range nativeFields {
		p.fields[name] = true
	}
	for _, m := range p.machines {
		for _, s := range m.bodies {
			p.fieldsOf(s.body)
		}
		for _, f := range m.funcs {
			if f.Name.Name != "functionalRead" && f.Name.Name != "functionalWrite" {
				p.fieldsOf(f.Body)
			}
		}
	}
}

func (p *Catalogue) fieldsOf(b *syntax.Block) {
	for s := range b.All() {
		switch s := s.(type) {
		case *syntax.ExprStmt:
			p.fieldsRead(s.X)
		case *syntax.Assign:
			p.fieldsRead(s.Right)
			if member, ok := s.Left.(*syntax.Member); ok {
				p.fieldsRead(member.X)
			}
		case *syntax.Return:
			p.fieldsRead(s.X)
		case *syntax.If:
			p.fieldsRead(s.Cond)
		case *syntax.Enqueue:
			p.fieldsRead(s.Latency)
		case *syntax.Peek:
			if key, ok := s.Pairs.Get("block_on"); ok {
				p.fields[key] = true
			}
		}
	}
}

func (p *Catalogue) fieldsRead(x syntax.Expr) {
	if member, ok := x.(*syntax.Member); ok {
		p.fields[member.Field.Name] = true
	}
	for _, operand := range syntax.Operands(x) {
		p.fieldsRead(operand)
	}
}
