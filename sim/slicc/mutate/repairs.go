package mutate

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// The operators of repairs on bodies, besides Set with any value that the machine assigns
// elsewhere. What they put in stands somewhere in the machine already. They are too many to
// be listed as mutants; Find makes them, and Repairs lists them.
const (
	Add  Operator = "add"  // add:STATEMENT@OTHER runs a statement after another one, a call or an assignment that stands after such a one elsewhere
	Call Operator = "call" // call:A>B calls a function with other arguments, or another one in place of error
	Case Operator = "case" // case:TYPE:A>TYPE:B compares with another value in a condition
	Omit Operator = "omit" // omit:X leaves one side of || or && out, or the condition of an if of an action or a function
	Make Operator = "make" // make:X == Y assigns what is asserted
	Also Operator = "also" // also:X == Z@X == Y compares with Z, too, where Y is the last of several values of X
)

// Amendment is an edit of a body or a state that may repair a protocol.
type Amendment struct {
	Mutant
	Pos   syntax.Pos // of the statement
	Guard string     // what a guard calls, see Put; empty for others
	// Assigns reports that it adds an assignment, of what its body never assigns.
	Assigns bool
	// Asserts reports that it leaves an assertion out, State is the state that a condition
	// holds in as well, or that has another permission, and Events are those that a port triggers if the condition of the
	// statement holds.
	Asserts bool
	State   string
	Events  []string
}

// Repairs lists the edits of bodies and states that may repair a protocol, those of the
// functions of gem5's functional accesses included.
func (p *Catalogue) Repairs() []Amendment {
	var list []Amendment
	for _, m := range p.machines {
		for _, s := range m.amended() {
			seen := map[string]int{}
			for _, point := range m.bodyPoints(s) {
				seen[point.edit.text()]++
			}
			for _, point := range m.repairPoints(s) {
				name := point.edit.text()
				if seen[name]++; seen[name] > 1 {
					point.edit.nth = seen[name]
				}
				stmt, op := point.change.stmt, point.edit.op
				_, assign := stmt.(*syntax.Assign)
				at := point.pos
				if stmt != nil {
					at = stmt.Position()
				}
				a := Amendment{Mutant: p.mutant(m, s, point), Pos: at, Guard: point.guard, Assigns: assign && op == Add, Asserts: op == Skip}
				if op == Also {
					a.State = point.edit.arg[strings.LastIndexByte(point.edit.arg, ':')+1:]
				}
				if under, ok := stmt.(*syntax.If); ok {
					a.Events = m.triggered(site{decl: s.decl, body: under.Then})
				}
				list = append(list, a)
			}
		}
		list = append(list, p.permits(m)...)
	}
	return list
}

// At is the machine and the action, port or function with a statement at a line of a file;
// ok is false if there is none.
func (p *Catalogue) At(file string, line int) (machine, place string, ok bool) {
	for _, m := range p.machines {
		for _, s := range m.amended() {
			for stmt := range s.body.All() {
				if at := stmt.Position(); at.File == file && int(at.Line) == line {
					return m.name, s.name, true
				}
			}
		}
	}
	return "", "", false
}

// amended are the sites of repairs: of functions that no mutant edits, only those of gem5's functional
// reads, and the assertions of the others.
func (m *machine) amended() []site {
	list := slices.Clone(m.bodies)
	for _, f := range m.plumbing {
		list = append(list, site{name: f.Name.Name, decl: f, body: f.Body})
	}
	return list
}

// onlyAsserts reports whether repairs leave no more out of a body than assertions.
func (s site) onlyAsserts() bool { return isPlumbing(s.name) && s.name != "functionalRead" }

// repairPoints are the repairs of a body.
func (m *machine) repairPoints(s site) []point {
	known := m.known()
	var list []point
	for stmt := range s.body.All() {
		add := func(e edit, old, with syntax.Expr, whole ...syntax.Stmt) {
			c := s.inBody(stmt, whole...)
			c.expr, c.with = old, with
			list = append(list, point{edit: e, change: c})
		}
		switch stmt := stmt.(type) {
		case *syntax.Assign:
			if s.onlyAsserts() {
				break
			}
			left := syntax.PrintExpr(stmt.Left)
			for _, right := range known.assigned[left] {
				if what := syntax.PrintExpr(right); what != syntax.PrintExpr(stmt.Right) {
					add(edit{op: Set, arg: left, what: what}, stmt.Right, right, &syntax.Assign{Left: stmt.Left, Right: right})
				}
			}
			if isLocal(stmt) {
				break
			}
			for _, after := range known.follows[left] { // what it never assigns
				if next := syntax.PrintExpr(after.Left); !s.says(func(other syntax.Stmt) bool {
					a, ok := other.(*syntax.Assign)
					return ok && syntax.PrintExpr(a.Left) == next
				}) {
					add(edit{op: Add, arg: text(after), what: text(stmt)}, nil, nil, stmt, after)
				}
			}
		case *syntax.ExprStmt:
			old := syntax.PrintExpr(stmt.X)
			if called(stmt.X) == "assert" {
				add(edit{op: Skip, arg: old}, nil, nil)
			}
			if s.onlyAsserts() {
				break
			}
			if made := asserted(stmt.X); made != nil {
				add(edit{op: Make, arg: syntax.PrintExpr(stmt.X.(*syntax.Call).Args[0])}, nil, nil, made)
			}
			guards := m.guardPoints(s, stmt)
			for _, other := range append(known.instead(stmt.X, s.body), m.receivers(stmt.X)...) {
				e := edit{op: Call, arg: old, what: syntax.PrintExpr(other)}
				if !slices.ContainsFunc(guards, func(p point) bool { return p.edit == e }) {
					add(e, stmt.X, other, &syntax.ExprStmt{X: other})
				}
			}
			list = append(list, guards...)
			for _, after := range known.after[old] {
				if slices.ContainsFunc(guards, func(p point) bool { return p.edit.arg == syntax.PrintExpr(after) }) {
					continue
				}
				add(edit{op: Add, arg: syntax.PrintExpr(after), what: old}, nil, nil, stmt, &syntax.ExprStmt{X: after})
			}
		case *syntax.If:
			if s.onlyAsserts() {
				break
			}
			others := append(known.conditions(stmt.Cond), m.wider(stmt.Cond)...)
			if _, port := s.decl.(*syntax.InPort); !port {
				others = append(others, condition{edit{op: Omit, arg: syntax.PrintExpr(stmt.Cond)}, &syntax.Bool{Value: true}})
			}
			for _, c := range others {
				changed := *stmt
				changed.Cond = c.with
				add(c.edit, stmt.Cond, c.with, &changed)
			}
		}
	}
	if !s.onlyAsserts() {
		list = append(list, m.underPoints(s)...)
		list = append(list, m.portPoints(s)...)
	}
	return list
}

// asserted is the assignment that makes what an expression asserts true: that of a value to a
// field. It is nil for others.
func asserted(x syntax.Expr) syntax.Stmt {
	call, ok := x.(*syntax.Call)
	if !ok || call.Func.Name != "assert" || len(call.Args) != 1 {
		return nil
	}
	equal, ok := call.Args[0].(*syntax.Binary)
	if !ok || equal.Op != syntax.Eq {
		return nil
	}
	if _, ok := equal.Left.(*syntax.Member); !ok {
		return nil
	}
	return &syntax.Assign{Left: equal.Left, Right: equal.Right}
}

// vocabulary is what the bodies of a machine say, each once, in the order of the text.
type vocabulary struct {
	assigned map[string][]syntax.Expr     // right sides, by the left side
	calls    map[string][]syntax.Expr     // statements that call a function, by its name
	after    map[string][]syntax.Expr     // calls that stand after a call
	follows  map[string][]*syntax.Assign  // assignments that stand after one, by the left side of that
	values   map[string][]*syntax.EnumLit // of a type, in expressions
}

func (m *machine) vocabulary() *vocabulary {
	v := &vocabulary{map[string][]syntax.Expr{}, map[string][]syntax.Expr{}, map[string][]syntax.Expr{}, map[string][]*syntax.Assign{}, map[string][]*syntax.EnumLit{}}
	for _, s := range m.amended() {
		if !s.onlyAsserts() {
			v.block(s.body)
		}
	}
	return v
}

func (v *vocabulary) block(b *syntax.Block) {
	if b == nil {
		return
	}
	for i, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *syntax.Assign:
			v.read(stmt.Right)
			if !isLocal(stmt) {
				once(v.assigned, syntax.PrintExpr(stmt.Left), stmt.Right)
				if i > 0 {
					v.follow(b.Stmts[i-1], stmt)
				}
			}
		case *syntax.ExprStmt:
			v.read(stmt.X)
			if !hasEffect(stmt.X) {
				continue
			}
			once(v.calls, called(stmt.X), stmt.X)
			if i > 0 {
				if before, ok := b.Stmts[i-1].(*syntax.ExprStmt); ok && hasEffect(before.X) {
					once(v.after, syntax.PrintExpr(before.X), stmt.X)
				}
			}
		case *syntax.If:
			v.read(stmt.Cond)
			v.block(stmt.Then)
			if stmt.Else != nil {
				v.block(&syntax.Block{Stmts: []syntax.Stmt{stmt.Else}})
			}
		case *syntax.Block:
			v.block(stmt)
		case *syntax.Enqueue:
			v.block(stmt.Body)
		case *syntax.Peek:
			v.block(stmt.Body)
		}
	}
}

// follow notes that an assignment stands after another statement.
func (v *vocabulary) follow(before syntax.Stmt, stmt *syntax.Assign) {
	first, ok := before.(*syntax.Assign)
	if !ok || isLocal(first) {
		return
	}
	left := syntax.PrintExpr(first.Left)
	if !slices.ContainsFunc(v.follows[left], func(other *syntax.Assign) bool { return text(other) == text(stmt) }) {
		v.follows[left] = append(v.follows[left], stmt)
	}
}

// isLocal reports whether an assignment declares a variable.
func isLocal(stmt *syntax.Assign) bool {
	_, local := stmt.Left.(*syntax.Local)
	return local
}

// read notes the enumerators in an expression.
func (v *vocabulary) read(x syntax.Expr) {
	if lit, ok := x.(*syntax.EnumLit); ok && !slices.ContainsFunc(v.values[lit.Type.Name], func(known *syntax.EnumLit) bool { return known.Value.Name == lit.Value.Name }) {
		v.values[lit.Type.Name] = append(v.values[lit.Type.Name], lit)
	}
	for _, y := range syntax.Operands(x) {
		v.read(y)
	}
}

// once adds an expression to those of a key, unless it is there.
func once(list map[string][]syntax.Expr, key string, x syntax.Expr) {
	text := syntax.PrintExpr(x)
	if !slices.ContainsFunc(list[key], func(y syntax.Expr) bool { return syntax.PrintExpr(y) == text }) {
		list[key] = append(list[key], x)
	}
}

// called is the name of the function or the method that an expression calls; empty for
// others.
func called(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Call:
		return x.Func.Name
	case *syntax.MethodCall:
		return "." + x.Method.Name
	}
	return ""
}

// instead are the calls that may stand in place of one: of the same function, or where it
// is error, those of its body.
func (v *vocabulary) instead(x syntax.Expr, body *syntax.Block) (list []syntax.Expr) {
	name, text := called(x), syntax.PrintExpr(x)
	if name == "" || name == "trigger" || name != "error" && !hasEffect(x) {
		return nil
	}
	others := v.calls[name]
	if name == "error" {
		others = nil
		for stmt := range body.All() {
			if y, ok := stmt.(*syntax.ExprStmt); ok && hasEffect(y.X) {
				others = append(others, y.X)
			}
		}
	}
	seen := map[string]bool{text: true}
	for _, y := range others {
		if other := syntax.PrintExpr(y); !seen[other] {
			seen[other] = true
			list = append(list, y)
		}
	}
	return list
}

// condition is another condition, and the edit that makes it.
type condition struct {
	edit edit
	with syntax.Expr
}

// conditions are those with another value, or without one side of an operator.
func (v *vocabulary) conditions(x syntax.Expr) (list []condition) {
	switch x := x.(type) {
	case *syntax.EnumLit:
		name := syntax.PrintExpr(x)
		for _, other := range v.values[x.Type.Name] {
			if other.Value.Name != x.Value.Name {
				list = append(list, condition{edit{op: Case, arg: name, what: syntax.PrintExpr(other)}, other})
			}
		}
	case *syntax.Unary:
		for _, c := range v.conditions(x.X) {
			changed := *x
			changed.X = c.with
			list = append(list, condition{c.edit, &changed})
		}
	case *syntax.Binary:
		if x.Op == syntax.Or || x.Op == syntax.And {
			list = append(list, condition{edit{op: Omit, arg: syntax.PrintExpr(x.Left)}, x.Right}, condition{edit{op: Omit, arg: syntax.PrintExpr(x.Right)}, x.Left})
		}
		for _, c := range v.conditions(x.Left) {
			changed := *x
			changed.Left = c.with
			list = append(list, condition{c.edit, &changed})
		}
		for _, c := range v.conditions(x.Right) {
			changed := *x
			changed.Right = c.with
			list = append(list, condition{c.edit, &changed})
		}
	}
	return list
}
