package code

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
	g.emit(syntax.Pos{}, Instruction{Op: OpReturn})
	g.current = outer
}

// emit adds an instruction, whose faults are at pos, and gives its index.
func (g *generator) emit(pos syntax.Pos, in Instruction) int {
	g.current.text, g.current.at = append(g.current.text, in), append(g.current.at, pos)
	return len(g.current.text) - 1
}

// land has jumps go to what is emitted next.
func (g *generator) land(jumps ...int) {
	for _, i := range jumps {
		g.current.text[i].C = uint32(len(g.current.text) - i - 1)
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

func numberOfConst(x *types.Const) uint64 { return uint64(AsNumber(x.Value).Int) }

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
	if at, ok := g.knownPlace(x); ok {
		return at
	}
	switch x := x.(type) {
	case *types.Cast:
		return g.place(x.X)
	case *types.Call:
		if x.Func.Defined && ShapeOf(x.Of) == Word {
			return g.call(x).Result
		}
		if b := x.Func.Builtin; b != nil {
			if how, _ := g.treated(b); how == conversion {
				return g.place(x.Args[0])
			}
		}
	case *types.Member:
		if at, ok := g.variablePlace(x); ok {
			return at
		}
	}
	at := g.newWords([]uint64{0})
	g.wordInto(at, x)
	return at
}

// wordInto emits what evaluates an expression of one word into a place.
func (g *generator) wordInto(at int, x types.Expr) {
	if from, ok := g.knownPlace(x); ok {
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: uint32(from)})
		return
	}
	if decided(x) {
		otherwise := g.jumpIf(x, false)
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: uint32(g.constant(1))})
		end := g.emit(x.Pos(), Instruction{Op: OpJump})
		g.land(otherwise...)
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: uint32(g.constant(0))})
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
		if ShapeOf(y.Of) == Word {
			g.load(at, y)
			return
		}
	case *types.Unary:
		if y.Op == syntax.Neg {
			g.emit(x.Pos(), Instruction{Op: OpSubtract, A: uint32(at), B: uint32(g.constant(0)), C: uint32(g.place(y.X))})
			return
		}
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: uint32(g.constant(0))}) // statistics
		return
	case *types.Binary:
		if (y.Op == syntax.Add || y.Op == syntax.Sub) && ShapeOf(y.Left.Type()) == Word {
			op := OpAdd
			if y.Op == syntax.Sub {
				op = OpSubtract
			}
			left := g.materialized(y.Left, y.Right)
			g.emit(x.Pos(), Instruction{Op: op, A: uint32(at), B: uint32(left), C: uint32(g.place(y.Right))})
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
	if s := ShapeOf(x.Of); s != Word && s != noValue {
		return false
	}
	if x.Func.Defined {
		g.callInto(at, OpCopy, x)
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
	switch how, _ := g.treated(b); how {
	case skipped, settled:
	case conversion:
		g.wordInto(at, x.Args[0])
	default:
		if k, ok := g.prepare(x); ok {
			g.native(at, k.Name, k)
		}
	}
	return true
}

// load emits the copying of a field of one word.
func (g *generator) load(at int, x *types.Member) {
	if from, ok := g.variablePlace(x); ok {
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: uint32(from)})
		return
	}
	r := g.ref(x)
	if r.Owner == NilPointer {
		g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(at), B: r.At})
		return
	}
	g.emit(r.Pos, Instruction{Op: OpLoad, A: uint32(at), B: r.Owner, C: r.At})
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
		return x.Op == syntax.And || x.Op == syntax.Or || (x.Op == syntax.Eq || x.Op == syntax.Ne || ordered(x.Op)) && ShapeOf(x.Left.Type()) == Word
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
	if ShapeOf(x.X.Type()) != Pointer {
		return 0, 0, false
	}
	return g.pointer(x.X), g.Layout(x.X.Type()).Offset[x.Field], true
}

// Pointer emits what evaluates a pointer, and gives the place of its value until the
// next call of a function.
func (g *generator) pointer(x types.Expr) int {
	switch x := x.(type) {
	case *types.Const:
		return NilPointer
	case *types.Use:
		return g.where(x.Var)
	case *types.Cast:
		return g.pointer(x.X)
	case *types.Call:
		if x.Func.Defined {
			return g.call(x).Result
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
		g.emit(x.Pos(), Instruction{Op: OpPoint, A: uint32(at), B: uint32(g.pointer(x))})
		return
	case *types.Cast:
		g.pointerInto(at, y.X)
		return
	case *types.Call:
		if y.Func.Defined {
			g.callInto(at, OpPoint, y)
			return
		}
		if f := emitter(y); f != nil {
			f(g, y, at)
			return
		}
		if b := y.Func.Builtin; b != nil {
			if k, ok := g.prepare(y); ok {
				g.emit(y.At, Instruction{Op: OpObject, A: uint32(at), B: addTo(&g.code.Calls, k)})
			}
			return
		}
	case *types.New:
		l := g.Layout(y.Of)
		g.emit(y.At, Instruction{Op: OpNew, A: uint32(at), B: uint32(l.Index)})
		return
	}
	g.unsupported(x.Pos(), "this expression of type %s", x.Type())
}

// materializedPointer is pointer for a value that is used after others have been evaluated.
func (g *generator) materializedPointer(x types.Expr, later ...types.Expr) int {
	at := g.pointer(x)
	if at == NilPointer || !slices.ContainsFunc(later, calls) {
		return at
	}
	kept := g.newPointer()
	g.emit(x.Pos(), Instruction{Op: OpPoint, A: uint32(kept), B: uint32(at)})
	return kept
}

// into emits what evaluates an expression into the place of a variable.
func (g *generator) into(pos syntax.Pos, t *types.Type, at int, x types.Expr) {
	switch ShapeOf(t) {
	case Word:
		g.wordInto(at, x)
	case Vector:
		g.vectorInto(at, g.Size(t), x)
	case Pointer:
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
		g.emit(x.At, Instruction{Op: OpCopyAll, N: uint16(size), A: uint32(at), B: start.At})
		return
	case *types.Call:
		if b := x.Func.Builtin; b != nil && !x.Func.Defined {
			if k, ok := g.prepare(x); ok {
				g.emit(x.At, Instruction{Op: OpVector, N: uint16(size), A: uint32(at), B: addTo(&g.code.Calls, k)})
			}
			return
		}
	case *types.Use, *types.Member:
	default:
		g.unsupported(x.Pos(), "this expression of type %s", x.Type())
		return
	}
	r := g.ref(x)
	if r.Owner == NilPointer {
		g.emit(x.Pos(), Instruction{Op: OpCopyAll, N: uint16(size), A: uint32(at), B: r.At})
		return
	}
	g.emit(r.Pos, Instruction{Op: OpLoadAll, N: uint16(size), A: uint32(at), B: r.Owner, C: r.At})
}

// Call emits the passing of the arguments and the call of a function. An argument
// that is a call itself may use the places of the other arguments: such arguments
// come first, into places of their own.
func (g *generator) call(x *types.Call) *Function {
	code := g.pass(x)
	g.callRoutine(code.routine)
	return code
}

// pass emits the passing of the arguments of a call.
func (g *generator) pass(x *types.Call) *Function {
	if x.Func.Recv != nil {
		g.unsupported(x.At, "method %s with a body", x.Func.Name)
		return &Function{routine: g.routine(func() {})}
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
		g.into(arg.Pos(), x.Func.Params[i].Type, code.Params[i], arg)
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
	if len(text) == 1 && text[0].Op == OpCall {
		g.emit(x.At, Instruction{Op: copying, A: uint32(at), B: uint32(code.Result)})
		return
	}
	for i := range text {
		if in := &text[i]; in.A == uint32(code.Result) && in.Op.gives(copying) {
			in.A = uint32(at)
		}
	}
}

// gives reports whether an opcode puts what another one copies, a word or a pointer,
// into its operand a.
func (op opcode) gives(copying opcode) bool {
	switch op {
	case OpCopy, OpLoad, OpAdd, OpSubtract, OpWord, OpTagged:
		return copying == OpCopy
	case OpPoint, OpObject, OpCached, OpDirectory, OpTransaction, OpPeek, OpPeekUnlocked, OpNew:
		return copying == OpPoint
	}
	return false
}

// knownPlace is the place of an expression of one word that nothing has to be emitted for.
func (g *generator) knownPlace(x types.Expr) (at int, ok bool) {
	switch x := x.(type) {
	case *types.Const:
		if x.Of == g.MachineType {
			g.checkMachine(x)
		}
		if ShapeOf(x.Of) == Word {
			return g.constant(numberOfConst(x)), true
		}
	case *types.Use:
		if ShapeOf(x.Var.Type) == Word {
			return g.where(x.Var), true
		}
	case *types.Call:
		if b := x.Func.Builtin; b != nil {
			switch how, key := g.treated(b); how {
			case settled:
				return g.constant(known[key]), true
			case clock:
				return ClockWord, true
			}
		}
	}
	return 0, false
}

// variablePlace is the place of a field of a structure that is a variable.
func (g *generator) variablePlace(x *types.Member) (at int, ok bool) {
	if ShapeOf(x.X.Type()) != Vector {
		return 0, false
	}
	offset := g.Layout(x.X.Type()).Offset[x.Field]
	switch inner := x.X.(type) {
	case *types.Use:
		return g.where(inner.Var) + offset, true
	case *types.Member:
		at, ok = g.variablePlace(inner)
		return at + offset, ok
	}
	return 0, false
}

// materialized is place for a value that is used after others have been evaluated.
func (g *generator) materialized(x types.Expr, later ...types.Expr) int {
	at := g.place(x)
	if _, ok := x.(*types.Const); ok || !slices.ContainsFunc(later, calls) {
		return at
	}
	kept := g.newWords([]uint64{0})
	g.emit(x.Pos(), Instruction{Op: OpCopy, A: uint32(kept), B: uint32(at)})
	return kept
}
