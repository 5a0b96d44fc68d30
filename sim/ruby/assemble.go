package ruby

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// routine compiles what body emits to a routine of its own.
func (g *generator) routine(body func()) *routine {
	r := g.newRoutine()
	r.compile(g, body)
	return r
}

func (g *generator) newRoutine() *routine {
	r := &routine{index: len(g.routines)}
	g.routines = append(g.routines, r)
	return r
}

func (r *routine) compile(g *generator, body func()) {
	outer := g.current
	g.current = r
	body()
	g.emit(syntax.Pos{}, instruction{op: opReturn})
	g.tidy(r)
	g.current = outer
}

// emit adds an instruction, whose faults are at pos, and gives its index.
func (g *generator) emit(pos syntax.Pos, in instruction) int {
	g.current.text, g.current.at = append(g.current.text, in), append(g.current.at, pos)
	return len(g.current.text) - 1
}

// land has jumps go to what is emitted next.
func (g *generator) land(jumps ...int) {
	for _, i := range jumps {
		g.current.text[i].c = uint32(len(g.current.text) - i - 1)
	}
}

// constant is the place of a word that never changes.
func (g *generator) constant(v uint64) int {
	at, ok := g.constants[v]
	if !ok {
		at = g.newWords([]uint64{v})
		g.constants[v] = at
	}
	return at
}

func numberOfConst(x *types.Const) uint64 { return uint64(asNumber(x.Value).Int) }

// addTo adds an element to a list and gives its index.
func addTo[E any](list *[]E, e E) uint32 {
	*list = append(*list, e)
	return uint32(len(*list) - 1)
}

// calls reports whether an expression calls a function of the protocol, which may
// change any place but those of expressions.
func calls(x types.Expr) bool {
	switch x := x.(type) {
	case *types.Member:
		return calls(x.X)
	case *types.Call:
		return x.Func.Defined || x.X != nil && calls(x.X) || slices.ContainsFunc(x.Args, calls)
	case *types.Valid:
		return calls(x.X)
	case *types.Cast:
		return calls(x.X)
	case *types.Unary:
		return calls(x.X)
	case *types.Binary:
		return calls(x.Left) || calls(x.Right)
	}
	return false
}

// place emits what evaluates an expression of one word, and gives the place of its
// value until the next call of a function.
func (g *generator) place(x types.Expr) int {
	if at, ok := g.fixed(x); ok {
		return at
	}
	switch x := x.(type) {
	case *types.Cast:
		return g.place(x.X)
	case *types.Call:
		if x.Func.Defined && shapeOf(x.Of) == word {
			return g.call(x).result
		}
		if b := x.Func.Builtin; b != nil {
			if how, _ := treated(b); how == conversion {
				return g.place(x.Args[0])
			}
		}
	case *types.Member:
		if at, ok := g.within(x); ok {
			return at
		}
	}
	at := g.newWords([]uint64{0})
	g.wordInto(at, x)
	return at
}

// wordInto emits what evaluates an expression of one word into a place.
func (g *generator) wordInto(at int, x types.Expr) {
	if from, ok := g.fixed(x); ok {
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: uint32(from)})
		return
	}
	if decided(x) {
		otherwise := g.jumpIf(x, false)
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: uint32(g.constant(1))})
		end := g.emit(x.Pos(), instruction{op: opJump})
		g.land(otherwise...)
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: uint32(g.constant(0))})
		g.land(end)
		return
	}
	switch y := x.(type) {
	case *types.Cast:
		g.wordInto(at, y.X)
		return
	case *types.Call:
		if g.wordCall(at, y) {
			return
		}
	case *types.Member:
		if shapeOf(y.Of) == word {
			g.load(at, y)
			return
		}
	case *types.Unary:
		if y.Op == syntax.Neg {
			g.emit(x.Pos(), instruction{op: opSubtract, a: uint32(at), b: uint32(g.constant(0)), c: uint32(g.place(y.X))})
			return
		}
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: uint32(g.constant(0))}) // statistics
		return
	case *types.Binary:
		if (y.Op == syntax.Add || y.Op == syntax.Sub) && shapeOf(y.Left.Type()) == word {
			op := opAdd
			if y.Op == syntax.Sub {
				op = opSubtract
			}
			left := g.held(y.Left, y.Right)
			g.emit(x.Pos(), instruction{op: op, a: uint32(at), b: uint32(left), c: uint32(g.place(y.Right))})
			return
		}
		if g.computed(at, y) {
			return
		}
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
}

// wordCall emits a call whose result is one word, or is not wanted; false for another one.
func (g *generator) wordCall(at int, x *types.Call) bool {
	if s := shapeOf(x.Of); s != word && s != noValue {
		return false
	}
	if x.Func.Defined {
		g.callInto(at, opCopy, x)
		return true
	}
	if f := emitter(x); f != nil {
		f(g, x, at)
		return true
	}
	b := x.Func.Builtin
	if b == nil {
		return false
	}
	switch how, _ := treated(b); how {
	case skipped, settled:
	case conversion:
		g.wordInto(at, x.Args[0])
	default:
		if k, ok := g.prepare(x); ok {
			g.native(at, k.name, k)
		}
	}
	return true
}

// load emits the copying of a field of one word.
func (g *generator) load(at int, x *types.Member) {
	if from, ok := g.within(x); ok {
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: uint32(from)})
		return
	}
	r := g.ref(x)
	if r.owner == nilPointer {
		g.emit(x.Pos(), instruction{op: opCopy, a: uint32(at), b: r.at})
		return
	}
	g.emit(r.pos, instruction{op: opLoad, a: uint32(at), b: r.owner, c: r.at})
}

// decided reports whether an expression is a truth value that jumps find out without a
// value of its own.
func decided(x types.Expr) bool {
	switch x := x.(type) {
	case *types.Valid:
		return true
	case *types.Unary:
		return x.Op == syntax.Not
	case *types.Binary:
		return x.Op == syntax.And || x.Op == syntax.Or || (x.Op == syntax.Eq || x.Op == syntax.Ne || ordered(x.Op)) && shapeOf(x.Left.Type()) == word
	}
	return false
}

// ordered reports whether an operator compares the order of numbers.
func ordered(op syntax.Op) bool {
	return op == syntax.Lt || op == syntax.Gt || op == syntax.Le || op == syntax.Ge
}

// field emits what finds the object that a member is a field of, and gives its
// place and the offset there; false if the field is in no object.
func (g *generator) field(x *types.Member) (owner, offset int, ok bool) {
	if shapeOf(x.X.Type()) != pointer {
		return 0, 0, false
	}
	return g.pointer(x.X), g.layout(x.X.Type()).offset[x.Field], true
}

// pointer emits what evaluates a pointer, and gives the place of its value until the
// next call of a function.
func (g *generator) pointer(x types.Expr) int {
	switch x := x.(type) {
	case *types.Const:
		return nilPointer
	case *types.Use:
		return g.where(x.Var)
	case *types.Cast:
		return g.pointer(x.X)
	case *types.Call:
		if x.Func.Defined {
			return g.call(x).result
		}
	}
	at := g.newPointer()
	g.pointerInto(at, x)
	return at
}

// pointerInto emits what evaluates a pointer into a place.
func (g *generator) pointerInto(at int, x types.Expr) {
	switch y := x.(type) {
	case *types.Const, *types.Use:
		g.emit(x.Pos(), instruction{op: opPoint, a: uint32(at), b: uint32(g.pointer(x))})
		return
	case *types.Cast:
		g.pointerInto(at, y.X)
		return
	case *types.Call:
		if y.Func.Defined {
			g.callInto(at, opPoint, y)
			return
		}
		if f := emitter(y); f != nil {
			f(g, y, at)
			return
		}
		if b := y.Func.Builtin; b != nil {
			if k, ok := g.prepare(y); ok {
				g.emit(y.At, instruction{op: opObject, a: uint32(at), b: addTo(&g.code.calls, k)})
			}
			return
		}
	case *types.New:
		l := g.layout(y.Of)
		g.emit(y.At, instruction{op: opNew, a: uint32(at), b: uint32(l.index), c: addTo(&g.code.messages, slices.Clone(l.init))})
		return
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
}

// heldPointer is pointer for a value that is used after others have been evaluated.
func (g *generator) heldPointer(x types.Expr, later ...types.Expr) int {
	at := g.pointer(x)
	if at == nilPointer || !slices.ContainsFunc(later, calls) {
		return at
	}
	kept := g.newPointer()
	g.emit(x.Pos(), instruction{op: opPoint, a: uint32(kept), b: uint32(at)})
	return kept
}

// into emits what evaluates an expression into the place of a variable.
func (g *generator) into(pos syntax.Pos, t *types.Type, at int, x types.Expr) {
	switch shapeOf(t) {
	case word:
		g.wordInto(at, x)
	case vector:
		g.vectorInto(at, g.size(t), x)
	case pointer:
		g.pointerInto(at, x)
	default:
		g.unsupported(pos, "assignment to a %s", t)
	}
}

// vectorInto emits what evaluates an expression of several words into places.
func (g *generator) vectorInto(at, size int, x types.Expr) {
	switch x := x.(type) {
	case *types.New:
		start := g.fixedWords(g.initial(x.At, x.Of, x.Of.Default))
		g.emit(x.At, instruction{op: opCopyAll, n: uint16(size), a: uint32(at), b: start.at})
		return
	case *types.Call:
		if b := x.Func.Builtin; b != nil && !x.Func.Defined {
			if k, ok := g.prepare(x); ok {
				g.emit(x.At, instruction{op: opVector, n: uint16(size), a: uint32(at), b: addTo(&g.code.calls, k)})
			}
			return
		}
	case *types.Use, *types.Member:
	default:
		g.unsupported(x.Pos(), "this expression of type %s", x.Type())
		return
	}
	r := g.ref(x)
	if r.owner == nilPointer {
		g.emit(x.Pos(), instruction{op: opCopyAll, n: uint16(size), a: uint32(at), b: r.at})
		return
	}
	g.emit(r.pos, instruction{op: opLoadAll, n: uint16(size), a: uint32(at), b: r.owner, c: r.at})
}

// call emits the passing of the arguments and the call of a function. An argument
// that is a call itself may use the places of the other arguments: such arguments
// come first, into places of their own.
func (g *generator) call(x *types.Call) *funcCode {
	code := g.pass(x)
	g.callRoutine(code.routine)
	return code
}

// pass emits the passing of the arguments of a call.
func (g *generator) pass(x *types.Call) *funcCode {
	if x.Func.Recv != nil {
		g.unsupported(x.At, "method %s with a body", x.Func.Name)
		return &funcCode{routine: g.routine(func() {})}
	}
	code := g.function(x.Func)
	apart := len(x.Args) > 1 && slices.ContainsFunc(x.Args, calls)
	args := slices.Clone(x.Args)
	for i, arg := range args {
		_, constant := arg.(*types.Const)
		_, variable := arg.(*types.Use)
		if !apart || constant || variable {
			continue
		}
		t := x.Func.Params[i].Type
		temp := &types.Var{Name: x.Func.Params[i].Name, Kind: types.LocalVar, Type: t}
		g.into(arg.Pos(), t, g.where(temp), arg)
		args[i] = &types.Use{Node: types.Node{At: arg.Pos(), Of: t}, Var: temp}
	}
	for i, arg := range args {
		g.into(arg.Pos(), x.Func.Params[i].Type, code.params[i], arg)
	}
	return code
}

// callInto emits a call whose result goes to a place, as copying, which moves a word or
// a pointer, does it. Where the function is copied to here its returns put the result
// there: no more than they do writes the place of the result, or reads it.
func (g *generator) callInto(at int, copying opcode, x *types.Call) {
	code := g.pass(x)
	from := len(g.current.text)
	g.callRoutine(code.routine)
	text := g.current.text[from:]
	if len(text) == 1 && text[0].op == opCall {
		g.emit(x.At, instruction{op: copying, a: uint32(at), b: uint32(code.result)})
		return
	}
	for i := range text {
		if in := &text[i]; in.a == uint32(code.result) && in.op.gives(copying) {
			in.a = uint32(at)
		}
	}
}

// gives reports whether an opcode puts what another one copies, a word or a pointer,
// into its operand a.
func (op opcode) gives(copying opcode) bool {
	switch op {
	case opCopy, opLoad, opAdd, opSubtract, opWord, opTagged:
		return copying == opCopy
	case opPoint, opObject, opCached, opDirectory, opTransaction, opPeek, opPeekUnlocked, opNew:
		return copying == opPoint
	}
	return false
}

// jumpIf emits jumps that are taken if a condition is as wanted; they are to land.
func (g *generator) jumpIf(x types.Expr, want bool) []int {
	switch x := x.(type) {
	case *types.Unary:
		if x.Op == syntax.Not {
			return g.jumpIf(x.X, !want)
		}
	case *types.Valid:
		op := opJumpPointer
		if x.Not == want {
			op = opJumpNil
		}
		return []int{g.emit(x.At, instruction{op: op, a: uint32(g.pointer(x.X))})}
	case *types.Binary:
		switch {
		case x.Op == syntax.And || x.Op == syntax.Or:
			decides := x.Op == syntax.Or // the value of the left side that is the whole one's
			if decides == want {
				return append(g.jumpIf(x.Left, want), g.jumpIf(x.Right, want)...)
			}
			skip := g.jumpIf(x.Left, decides)
			jumps := g.jumpIf(x.Right, want)
			g.land(skip...)
			return jumps
		case (x.Op == syntax.Eq || x.Op == syntax.Ne) && decided(x.Left):
			if k, ok := x.Right.(*types.Const); ok && numberOfConst(k) <= 1 {
				return g.jumpIf(x.Left, (x.Op == syntax.Eq) == (numberOfConst(k) == 1) == want)
			}
			fallthrough
		case (x.Op == syntax.Eq || x.Op == syntax.Ne) && shapeOf(x.Left.Type()) == word:
			return []int{g.jumpEqual(x, (x.Op == syntax.Eq) == want)}
		case ordered(x.Op) && shapeOf(x.Left.Type()) == word:
			return []int{g.jumpLess(x, want)}
		}
	}
	if call, ok := x.(*types.Call); ok && call.Func.Builtin != nil && call.Func.Builtin.Group() == isTagPresent {
		op := opJumpTagged
		if !want {
			op = opJumpUntagged
		}
		return []int{g.emit(call.At, instruction{op: op, n: uint16(g.partOf(call)), a: uint32(g.place(call.Args[0]))})}
	}
	op := opJumpOne
	if !want {
		op = opJumpZero
	}
	return []int{g.emit(x.Pos(), instruction{op: op, a: uint32(g.place(x))})}
}

// jumpEqual emits a jump that is taken if both sides are equal, or if they are not.
func (g *generator) jumpEqual(x *types.Binary, equal bool) int {
	if k, ok := x.Right.(*types.Const); ok {
		if use, ok := x.Left.(*types.Use); ok {
			g.noteChoice(use.Var, int64(numberOfConst(k)))
		}
	}
	if m, ok := x.Left.(*types.Member); ok && !calls(x.Right) {
		if owner, offset, ok := g.field(m); ok {
			op := opJumpFieldOther
			if equal {
				op = opJumpFieldEqual
			}
			right := g.place(x.Right)
			return g.emit(m.X.Pos(), instruction{op: op, n: uint16(offset), a: uint32(owner), b: uint32(right)})
		}
	}
	op := opJumpOther
	if equal {
		op = opJumpEqual
	}
	left := g.held(x.Left, x.Right)
	return g.emit(x.At, instruction{op: op, a: uint32(left), b: uint32(g.place(x.Right))})
}

// jumpLess emits a jump that is taken if the order of both sides is as an operator says, or
// if it is not.
func (g *generator) jumpLess(x *types.Binary, want bool) int {
	left := g.held(x.Left, x.Right)
	right := g.place(x.Right)
	if x.Op == syntax.Gt || x.Op == syntax.Le {
		left, right = right, left
	}
	op := opJumpNotLess
	if (x.Op == syntax.Lt || x.Op == syntax.Gt) == want {
		op = opJumpLess
	}
	return g.emit(x.At, instruction{op: op, a: uint32(left), b: uint32(right)})
}

// fixed is the place of an expression of one word that nothing has to be emitted for.
func (g *generator) fixed(x types.Expr) (at int, ok bool) {
	switch x := x.(type) {
	case *types.Const:
		if shapeOf(x.Of) == word {
			return g.constant(numberOfConst(x)), true
		}
	case *types.Use:
		if shapeOf(x.Var.Type) == word {
			return g.where(x.Var), true
		}
	case *types.Call:
		if b := x.Func.Builtin; b != nil {
			switch how, key := treated(b); how {
			case settled:
				return g.constant(known[key]), true
			case clock:
				return clockWord, true
			}
		}
	}
	return 0, false
}

// within is the place of a field of a structure that is a variable.
func (g *generator) within(x *types.Member) (at int, ok bool) {
	if shapeOf(x.X.Type()) != vector {
		return 0, false
	}
	offset := g.layout(x.X.Type()).offset[x.Field]
	switch inner := x.X.(type) {
	case *types.Use:
		return g.where(inner.Var) + offset, true
	case *types.Member:
		at, ok = g.within(inner)
		return at + offset, ok
	}
	return 0, false
}

// held is place for a value that is used after others have been evaluated.
func (g *generator) held(x types.Expr, later ...types.Expr) int {
	at := g.place(x)
	if _, ok := x.(*types.Const); ok || !slices.ContainsFunc(later, calls) {
		return at
	}
	kept := g.newWords([]uint64{0})
	g.emit(x.Pos(), instruction{op: opCopy, a: uint32(kept), b: uint32(at)})
	return kept
}
