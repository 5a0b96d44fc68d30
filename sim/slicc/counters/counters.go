// Package counters finds the numbers of a protocol whose values make no difference to
// what it does, or make none above a limit: counts of retries and statistics, which would
// give a machine infinitely many states. A number is a field of a structure or a variable
// of a machine. The analysis does not look at the order of statements or at which object a
// field belongs to.
package counters

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Numbers is the result for a protocol.
type Numbers struct {
	flow
	limits map[node]int64
}

// node is a number: a *types.Field, a *types.Var, or the *types.Func whose result it is.
type node any

// flow is where the values of numbers go.
type flow struct {
	reads   map[node][]read
	called  map[*types.Func]bool
	opaque  map[node]bool // something else reads it
	unread  map[node]bool
	methods map[string]bool // names of fields that methods of their structures read
	limited func(*types.Var) (most int64, ok bool)
}

// read is a place where a number is read.
type read struct {
	to node // what is assigned; nil for any other effect
	// against is the constant that it is compared with, if compared; copied says that to becomes
	// it as it is, and grows that it is to, which becomes no less.
	compared, copied, grows bool
	against                 int64
}

// Analyze finds the numbers of a protocol. Fields of the structures in outside are read by
// others. Parameter gives the greatest value of a parameter of a machine; false if it is
// unknown.
func Analyze(p *types.Protocol, outside func(*types.Type) bool, parameter func(*types.Var) (most int64, ok bool)) *Numbers {
	n := &Numbers{limits: map[node]int64{}}
	n.flow = flow{reads: map[node][]read{}, called: map[*types.Func]bool{}, opaque: map[node]bool{}, unread: map[node]bool{}, methods: map[string]bool{}, limited: parameter}
	all := append([]*types.Type(nil), p.Types...)
	funcs := append([]*types.Func(nil), p.Funcs...)
	for _, m := range p.Machines {
		all, funcs = append(all, m.Types...), append(funcs, m.Funcs...)
		for _, port := range m.InPorts {
			n.block(port.Body, nil)
		}
		for _, a := range m.Actions {
			n.block(a.Body, nil)
		}
	}
	for _, t := range all {
		funcs = append(funcs, t.Methods...)
		for _, f := range t.Fields {
			if outside(t) {
				n.opaque[f] = true
			}
			if f.Init != nil {
				n.value(f.Init, nil)
			}
		}
	}
	for _, f := range funcs {
		n.block(f.Body, f)
	}
	for _, f := range funcs {
		n.opaque[f] = !n.called[f]
	}
	for _, t := range all {
		for _, f := range t.Fields {
			n.opaque[f] = n.opaque[f] || n.methods[f.Name]
		}
	}
	n.settle()
	return n
}

// settle finds what is read, and then the limits.
func (n *Numbers) settle() {
	for x := range n.reads {
		n.unread[x] = true
	}
	isRead := func(x node) bool {
		if n.opaque[x] {
			return true
		}
		for _, r := range n.reads[x] {
			if r.to == nil || r.to != x && !n.Unread(r.to) {
				return true
			}
		}
		return false
	}
	// What is read takes what flows into it along.
	for changed := true; changed; {
		changed = false
		for x := range n.reads {
			if n.unread[x] && isRead(x) {
				delete(n.unread, x)
				changed = true
			}
		}
	}
	n.limit()
}

// limit finds the limits of what is read: no less than those of what becomes a copy.
func (n *Numbers) limit() {
	for x := range n.reads {
		if !n.opaque[x] && !n.unread[x] {
			n.limits[x] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		for x, before := range n.limits {
			limit, ok := n.limitOf(x)
			if !ok {
				delete(n.limits, x)
			} else if limit > before {
				n.limits[x] = limit
			}
			changed = changed || !ok || limit > before
		}
	}
}

// limitOf is the limit of a number, with those that are known of others.
func (n *Numbers) limitOf(x node) (limit int64, ok bool) {
	for _, r := range n.reads[x] {
		switch {
		case r.compared:
			limit = max(limit, r.against+1)
		case r.grows || r.to != nil && r.to != x && n.Unread(r.to):
		case r.copied:
			of, limited := n.limits[r.to]
			if !limited {
				return 0, false
			}
			limit = max(limit, of)
		default:
			return 0, false
		}
	}
	return limit, true
}

// Unread reports whether nothing that the protocol does depends on a number, a *types.Field or
// a *types.Var.
func (n *Numbers) Unread(x any) bool {
	if _, read := n.reads[x]; !read {
		return isNumber(x) && !n.opaque[x]
	}
	return n.unread[x]
}

// Limit is a value of a number which the protocol does not tell from any greater one; false if
// there is none.
func (n *Numbers) Limit(x any) (int64, bool) {
	limit, ok := n.limits[x]
	return limit, ok
}

// isNumber reports whether a field or variable is a number whose reads are followed, or a
// function gives one.
func isNumber(x node) bool {
	var t *types.Type
	switch x := x.(type) {
	case *types.Field:
		t = x.Type
	case *types.Var:
		if x.ByRef || x.Kind != types.ObjectVar && x.Kind != types.LocalVar {
			return false
		}
		t = x.Type
	case *types.Func:
		t = x.Result
	}
	if t == nil || t.Kind != types.Int {
		return false
	}
	switch t.Name {
	case "int", "Cycles", "Tick", "Scalar", "uint32_t", "uint64_t":
		return true
	}
	return false
}

func (n *flow) block(list []types.Stmt, in *types.Func) {
	for _, s := range list {
		n.stmt(s, in)
	}
}

func (n *flow) stmt(s types.Stmt, in *types.Func) {
	switch s := s.(type) {
	case *types.Declare:
		if s.Init != nil {
			n.assign(s.Init, target(s.Var))
		}
	case *types.Assign:
		n.place(s.Left)
		n.assign(s.Right, n.named(s.Left))
	case *types.Eval:
		n.value(s.X, nil)
	case *types.If:
		n.value(s.Cond, nil)
		n.block(s.Then, in)
		n.block(s.Else, in)
	case *types.Return:
		switch {
		case s.X == nil:
		case in == nil:
			n.value(s.X, nil)
		default:
			n.value(s.X, target(in))
		}
	case *types.Trigger:
		for _, x := range []types.Expr{s.Event, s.Addr, s.Entry, s.TBE} {
			if x != nil {
				n.value(x, nil)
			}
		}
	case *types.Peek:
		n.block(s.Body, in)
	case *types.Enqueue:
		if s.Latency != nil {
			n.value(s.Latency, nil)
		}
		n.block(s.Body, in)
	case *types.PortAddr:
		if s.Addr != nil {
			n.value(s.Addr, nil)
		}
	}
}

// assign reads what is assigned to a number, or to anything else: nil. The sum of the number
// itself and a constant is no less than it was.
func (n *flow) assign(x types.Expr, to node) {
	if to != nil && n.named(x) != nil {
		n.note(x, read{to: to, copied: true})
		return
	}
	if sum, ok := x.(*types.Binary); ok && sum.Op == syntax.Add && to != nil {
		for _, side := range [][2]types.Expr{{sum.Left, sum.Right}, {sum.Right, sum.Left}} {
			if c, ok := side[1].(*types.Const); ok && c.Value.Kind == types.IntValue && c.Value.Int >= 0 && n.named(side[0]) == to {
				n.note(side[0], read{to: to, grows: true})
				return
			}
		}
	}
	n.value(x, to)
}

// target is a number that is assigned; nil for anything else.
func target(x node) node {
	if isNumber(x) {
		return x
	}
	return nil
}

// named is the number that an expression names; nil if it is none.
func (n *flow) named(x types.Expr) node {
	switch x := x.(type) {
	case *types.Use:
		return target(x.Var)
	case *types.Member:
		return target(x.Field)
	}
	return nil
}

// place reads what lies before the name of an expression that is assigned to.
func (n *flow) place(x types.Expr) {
	if m, ok := x.(*types.Member); ok {
		n.value(m.X, nil)
	}
}

// note adds a place where the number that an expression names is read.
func (n *flow) note(x types.Expr, r read) {
	n.place(x)
	at := n.named(x)
	n.reads[at] = append(n.reads[at], r)
}

// value reads an expression for a number that is assigned, or nil for any other effect.
func (n *flow) value(x types.Expr, to node) {
	if n.named(x) != nil {
		n.note(x, read{to: to})
		return
	}
	switch x := x.(type) {
	case *types.Use:
		if x.Var.Kind == types.FieldVar {
			n.methods[x.Var.Name] = true
		}
	case *types.Member:
		n.value(x.X, nil)
	case *types.Call:
		n.call(x, to)
	case *types.Valid:
		n.value(x.X, nil)
	case *types.Cast:
		n.value(x.X, to)
	case *types.Unary:
		if x.Op == syntax.Inc && n.named(x.X) != nil {
			n.note(x.X, read{to: n.named(x.X), grows: true})
			return
		}
		n.value(x.X, to)
	case *types.Binary:
		n.binary(x, to)
	}
}

func (n *flow) binary(x *types.Binary, to node) {
	switch x.Op {
	case syntax.Eq, syntax.Ne, syntax.Lt, syntax.Gt, syntax.Le, syntax.Ge:
		for _, side := range [][2]types.Expr{{x.Left, x.Right}, {x.Right, x.Left}} {
			if c, ok := n.constant(side[1]); ok && n.named(side[0]) != nil {
				n.note(side[0], read{compared: true, against: c})
				return
			}
		}
	}
	n.value(x.Left, to)
	n.value(x.Right, to)
}

// constant is the greatest value of an expression that no state changes.
func (n *flow) constant(x types.Expr) (int64, bool) {
	switch x := x.(type) {
	case *types.Const:
		return x.Value.Int, x.Value.Kind == types.IntValue
	case *types.Use:
		if x.Var.Kind == types.ParamVar && x.Var.Type.Kind == types.Int {
			return n.limited(x.Var)
		}
	}
	return 0, false
}

// call reads the arguments of a call: those of a function of the protocol are assigned to its
// parameters, and those of a builtin without effect go where its result goes. When a time
// is over makes no difference: it may be over at any time.
func (n *flow) call(x *types.Call, to node) {
	if x.X != nil {
		n.value(x.X, nil)
	}
	f := x.Func
	n.called[f] = true
	b := f.Builtin
	for i, arg := range x.Args {
		switch {
		case b != nil && b.Recv == "TimerTable" && b.Name == "set" && i == 1:
			n.value(arg, ignored)
		case b != nil && b.Const && x.X == nil:
			n.value(arg, to)
		case f.Defined && i < len(f.Params):
			n.assign(arg, target(f.Params[i]))
		default:
			n.value(arg, nil)
		}
	}
	if f.Defined && isNumber(f) {
		n.reads[f] = append(n.reads[f], read{to: to})
	}
}

// ignored is a number that nothing reads.
var ignored node = &types.Var{Name: "ignored", Kind: types.LocalVar, Type: &types.Type{Name: "int", Kind: types.Int}}
