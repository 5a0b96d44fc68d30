package mutate

import (
	"maps"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// effects has what a piece of a protocol reads and writes, by name: fields of
// the TBE and the cache entry ("tbe.Dirty"), the pointers themselves ("tbe"),
// queues ("in.requestPort", "out.responsePort"), caches and tables ("TBEs"),
// the replacement order ("mru"), messages that wait ("waiting") and the cores
// ("cpu"). The name "*" stands for everything.
type effects struct {
	reads, writes map[string]bool
	// repeats is false where doing it twice may differ from doing it once.
	repeats bool
	// called has the number of names read when a function was last entered, which adds nothing until there are more.
	called map[*syntax.Func]int
}

// eviction is written by eviction notifications of cores. Other calls of cores
// write "cpu", so that the two do not commute.
const eviction = "cpu.eviction"

func newEffects() *effects {
	return &effects{reads: map[string]bool{}, writes: map[string]bool{}, repeats: true, called: map[*syntax.Func]int{}}
}

// overlap reports whether a name of one set may mean the same as one of another.
func overlap(a, b map[string]bool) bool {
	for x := range a {
		for y := range b {
			if x == "*" || y == "*" || x == y || strings.HasPrefix(x, y+".") || strings.HasPrefix(y, x+".") || aliases(x, y) || aliases(y, x) {
				return true
			}
		}
	}
	return false
}

// aliases reports whether a field of some object may be one of the TBE or the
// cache entry: fields of the same name may be the same.
func aliases(object, other string) bool {
	field, ok := strings.CutPrefix(object, "obj.")
	return ok && strings.HasSuffix(other, "."+field)
}

// commutes reports whether two pieces may run in either order.
func (e *effects) commutes(other *effects) bool {
	return !overlap(lacking(e.writes, liveEntry), lacking(other.writes, liveEntry)) &&
		!overlap(e.writes, other.reads) && !overlap(e.reads, other.writes)
}

// liveEntry is written by what deallocates an entry of a cache, and read by what
// uses the entry, whose pointer is then stale. Entries may be deallocated in
// either order.
const liveEntry = "entry"

func lacking(set map[string]bool, name string) map[string]bool {
	rest := maps.Clone(set)
	delete(rest, name)
	return rest
}

// anything marks effects that are unknown.
func (e *effects) anything() {
	e.writes["*"], e.repeats = true, false
}

func (m *machine) actionEffects(name string) *effects {
	e := newEffects()
	a := m.actions[name]
	if a == nil {
		e.anything()
		return e
	}
	(&reader{m, e}).block(a.Body)
	return e
}

type reader struct {
	machine *machine
	*effects
}

func (r *reader) block(b *syntax.Block) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		r.stmt(s)
	}
}

func (r *reader) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Block:
		r.block(s)
	case *syntax.ExprStmt:
		r.expr(s.X)
	case *syntax.Assign:
		r.expr(s.Right)
		r.assign(s.Left)
	case *syntax.Enqueue:
		r.exprs([]syntax.Expr{s.Latency, s.Bypass})
		r.block(s.Body)
		r.writes["out."+s.Port.Name], r.repeats = true, false
	case *syntax.Peek:
		r.reads["in."+s.Port.Name] = true
		r.block(s.Body)
	case *syntax.PortStmt:
		r.reads["in."+s.Port.Name] = true
		r.writes["in."+s.Port.Name], r.writes["waiting"], r.repeats = true, true, false
	case *syntax.CheckAllocate: // asked before any action runs
	case *syntax.Return:
		r.expr(s.X)
	case *syntax.If:
		repeats := r.repeats
		r.expr(s.Cond)
		r.block(s.Then)
		if frees(s) {
			r.repeats = repeats // the second time, there is nothing left
		}
		if s.Else != nil {
			r.stmt(s.Else)
		}
	default:
		r.anything()
	}
}

// place names what an expression denotes; local says that nothing outlives
// the action.
func place(x syntax.Expr) (name string, local bool) {
	switch x := x.(type) {
	case *syntax.Name:
		switch x.Name {
		case "out_msg":
			return "", true
		case "tbe", "cache_entry", "in_msg":
			return x.Name, false
		}
		return "var." + x.Name, false
	case *syntax.Member:
		base, local := place(x.X)
		if local || base == "in_msg" {
			return base, local
		}
		if base != "tbe" && base != "cache_entry" && !strings.HasPrefix(base, "tbe.") && !strings.HasPrefix(base, "cache_entry.") {
			return "obj." + x.Field.Name, false // of an object that may be any
		}
		return base + "." + x.Field.Name, false
	case *syntax.Local:
		return "", true
	}
	return "*", false
}

func (r *reader) assign(left syntax.Expr) {
	switch name, local := place(left); {
	case local:
	case name == "*":
		r.maybeInner(left)
		r.anything()
	default:
		if strings.HasPrefix(name, "obj.") {
			r.maybeInner(left)
		}
		r.writes[name] = true
		r.uses(name)
		if r.reads[name] {
			r.repeats = false // a count, say
		}
	}
}

// frees reports whether a statement takes a line out of a cache if it is there,
// and does nothing else.
func frees(s *syntax.If) bool {
	cond, ok := s.Cond.(*syntax.MethodCall)
	if !ok || cond.Method.Name != "isTagPresent" || s.Else != nil || len(s.Then.Stmts) != 1 {
		return false
	}
	x, ok := s.Then.Stmts[0].(*syntax.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.X.(*syntax.MethodCall)
	if !ok || call.Method.Name != "deallocate" || len(call.Args) != 1 || len(cond.Args) != 1 {
		return false
	}
	same := func(a, b syntax.Expr) bool {
		x, ok := a.(*syntax.Name)
		y, ok2 := b.(*syntax.Name)
		return ok && ok2 && x.Name == y.Name
	}
	return same(cond.X, call.X) && same(cond.Args[0], call.Args[0])
}

// maybeInner reads what the place of an assignment needs.
func (r *reader) maybeInner(x syntax.Expr) {
	if member, ok := x.(*syntax.Member); ok {
		r.expr(member.X)
	}
}

// uses notes that what is named needs the entry of the line, if it does.
func (r *reader) uses(name string) {
	if strings.HasPrefix(name, "cache_entry") {
		r.reads[liveEntry] = true
	}
}

func (r *reader) exprs(list []syntax.Expr) {
	for _, x := range list {
		r.expr(x)
	}
}

func (r *reader) expr(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Name:
		name, local := place(x)
		if !local && name != "in_msg" {
			r.reads[name] = true
			r.uses(name)
		}
	case *syntax.Member:
		switch name, local := place(x); {
		case local || name == "in_msg":
		default:
			if strings.HasPrefix(name, "obj.") {
				r.expr(x.X) // which object
			}
			r.reads[name] = true
			r.uses(name)
		}
	case *syntax.Call:
		r.call(x)
	case *syntax.MethodCall:
		r.method(x)
	case *syntax.Unary:
		r.expr(x.X)
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			r.assign(x.X)
			r.repeats = false
		}
	default:
		r.exprs(syntax.Operands(x))
	}
}

// reports are the functions that neither depend on the state of the machine nor
// change it but for a message to the user or a statistic. So do builtins that
// are const.
var reports = []string{"assert", "error", "DPRINTF", "APPEND_TRANSITION_COMMENT", "profileMsgDelay"}

func (r *reader) call(x *syntax.Call) {
	name := x.Func.Name
	if name != "DPRINTF" { // its first argument is no expression
		r.exprs(x.Args)
	}
	switch name {
	case "set_tbe", "unset_tbe":
		r.writes["tbe"] = true
		return
	case "set_cache_entry", "unset_cache_entry":
		r.writes["cache_entry"] = true
		return
	case "wakeUpBuffers", "wakeUpAllBuffers": // a second time, no message waits
		r.writes["waiting"] = true
		for port := range r.machine.stalling { // messages come back ahead of others
			r.writes["in."+port] = true
		}
		return
	case "dequeueMemRespQueue":
		r.writes["in.memory"], r.repeats = true, false
		return
	}
	if slices.Contains(reports, name) || types.IsConst(name, false) {
		return
	}
	if f := r.machine.funcs[name]; f != nil {
		if n, ok := r.called[f]; !ok || n < len(r.reads) {
			r.called[f] = len(r.reads)
			r.block(f.Body)
		}
		return
	}
	r.anything()
}

func (r *reader) method(x *syntax.MethodCall) {
	r.exprs(x.Args)
	on, local := place(x.X)
	switch method := x.Method.Name; {
	case strings.HasPrefix(method, "profile"):
	case method == "setMRU":
		r.writes["mru"] = true
	case method == "recordRequestType", method == "checkResourceAvailable":
	case method == "evictionCallback":
		r.writes[eviction] = true
	case strings.HasSuffix(method, "Callback"):
		r.writes["cpu"], r.repeats = true, false
		if len(x.Args) > 1 { // a store writes into the block
			r.assign(x.Args[1])
		}
	case method == "dequeue", method == "recycle":
		r.writes["in."+strings.TrimPrefix(on, "var.")], r.repeats = true, false
	case method == "isReady":
		r.reads["in."+strings.TrimPrefix(on, "var.")] = true
	case method == "changePermission":
		r.writes["permission"] = true
	case local:
	case types.IsConst(method, true):
		r.expr(x.X)
	case strings.HasPrefix(on, "tbe.") || strings.HasPrefix(on, "cache_entry."):
		r.reads[on], r.writes[on] = true, true // a set that gains or loses an element
		r.uses(on)
	case method == "allocate" && r.machine.directories[strings.TrimPrefix(on, "var.")]:
		// An entry of a directory comes to be when it is first looked at.
	case method == "deallocate":
		r.reads[on], r.writes[on], r.repeats = true, true, false
		r.writes[liveEntry] = true
	case method == "allocate" || method == "allocateVoid":
		r.reads[on], r.writes[on], r.repeats = true, true, false
		r.writes["cache_entry"] = true // its object may be deallocated
	default:
		r.anything()
	}
}
