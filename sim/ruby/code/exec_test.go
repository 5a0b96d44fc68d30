package code

import (
	"math/rand/v2"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// The types of the expressions of TestConditions.
var (
	intType  = &types.Type{Name: "int", Kind: types.Int}
	boolType = &types.Type{Name: "bool", Kind: types.Bool}
)

// condition draws a condition about variables, three levels deep at most.
func condition(r *rand.Rand, vars []*types.Var, depth int) types.Expr {
	node := types.Node{Of: boolType}
	if depth == 0 || r.IntN(4) == 0 {
		left := &types.Use{Node: types.Node{Of: intType}, Var: vars[r.IntN(len(vars))]}
		var right types.Expr = &types.Use{Node: types.Node{Of: intType}, Var: vars[r.IntN(len(vars))]}
		if r.IntN(2) == 0 {
			right = &types.Const{Node: types.Node{Of: intType}, Value: types.Value{Kind: types.IntValue, Int: r.Int64N(3)}}
		}
		op := []syntax.Op{syntax.Eq, syntax.Ne, syntax.Lt}[r.IntN(3)]
		return &types.Binary{Node: node, Op: op, Left: left, Right: right}
	}
	if r.IntN(3) == 0 {
		return &types.Unary{Node: node, Op: syntax.Not, X: condition(r, vars, depth-1)}
	}
	op := []syntax.Op{syntax.And, syntax.Or}[r.IntN(2)]
	return &types.Binary{Node: node, Op: op, Left: condition(r, vars, depth-1), Right: condition(r, vars, depth-1)}
}

// holds evaluates a condition without compiling it.
func holds(x types.Expr, values map[*types.Var]int64) bool {
	value := func(x types.Expr) int64 {
		if use, ok := x.(*types.Use); ok {
			return values[use.Var]
		}
		return x.(*types.Const).Value.Int
	}
	if not, ok := x.(*types.Unary); ok {
		return !holds(not.X, values)
	}
	switch b := x.(*types.Binary); b.Op {
	case syntax.And:
		return holds(b.Left, values) && holds(b.Right, values)
	case syntax.Or:
		return holds(b.Left, values) || holds(b.Right, values)
	case syntax.Eq:
		return value(b.Left) == value(b.Right)
	case syntax.Ne:
		return value(b.Left) != value(b.Right)
	default:
		return value(b.Left) < value(b.Right)
	}
}

// TestConditions compares branches and values of random conditions with what
// the conditions say, under all values of their variables.
func TestConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		code := &Machine{Decl: &types.Machine{}, Place: map[*types.Var]int{}, Globals: map[string]int{}, Compared: map[*types.Var][]int64{}}
		g := newGenerator(&Program{}, code)
		vars := []*types.Var{{Name: "a", Type: intType}, {Name: "b", Type: intType}, {Name: "c", Type: intType}}
		for _, v := range vars {
			v.Kind = types.LocalVar
			g.where(v)
		}
		x := condition(r, vars, 3)
		branch, value := g.newWords([]uint64{0}), 0
		entry := g.routine(func() {
			skip := g.jumpIf(x, false)
			g.emit(syntax.Pos{}, Instruction{Op: OpCopy, A: uint32(branch), B: uint32(g.constant(1))})
			g.land(skip...)
			value = g.place(x)
		})
		g.link()
		for n := range int64(27) {
			values := map[*types.Var]int64{}
			for i, v := range []int64{n % 3, n / 3 % 3, n / 9} {
				values[vars[i]], code.Words[g.where(vars[i])] = v, uint64(v)
			}
			code.Words[branch] = 0
			interpret(code, entry.Entry)
			want := uint64(oneIf(holds(x, values)))
			if got := [2]uint64{code.Words[branch], code.Words[value]}; got != [2]uint64{want, want} {
				t.Fatalf("branch, value %v, want %d", got, want)
			}
		}
	}
}

// interpret executes jumps, copies and comparisons up to a return.
func interpret(code *Machine, at int) {
	w := code.Words
	for {
		in := code.Text[at]
		at++
		jumps := false
		switch in.Op {
		case OpReturn:
			return
		case OpCopy:
			w[in.A] = w[in.B]
		case OpJump:
			jumps = true
		case OpJumpZero:
			jumps = w[in.A] == 0
		case OpJumpOne:
			jumps = w[in.A] != 0
		case OpJumpEqual:
			jumps = w[in.A] == w[in.B]
		case OpJumpOther:
			jumps = w[in.A] != w[in.B]
		case OpJumpLess:
			jumps = int64(w[in.A]) < int64(w[in.B])
		case OpJumpNotLess:
			jumps = int64(w[in.A]) >= int64(w[in.B])
		default:
			panic(in.Op)
		}
		if jumps {
			at += int(int32(in.C))
		}
	}
}

// TestOperands checks that operands out of range are noticed: each operand of each
// instruction of a protocol in turn.
func TestOperands(t *testing.T) {
	tree, err := protocols.Load("mesi-two-level")
	if err != nil {
		t.Fatal(err)
	}
	checked, err := compiler.Check(tree)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(checked, func(string) (args int, ok bool) { return 0, true }, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range p.Codes {
		for i := range code.Text {
			in := code.Text[i]
			if err := code.checkInstruction(i, &in); err != nil {
				t.Fatal(err)
			}
			for k, what := range operands[in.Op] {
				if what == unused {
					continue
				}
				bad := in
				*[...]*uint32{&bad.A, &bad.B, &bad.C}[k] = 1 << 24
				if code.checkInstruction(i, &bad) == nil {
					t.Errorf("operand %d of %+v may be anything", k, in)
				}
			}
		}
	}
	code := p.Codes[0]
	long := Instruction{Op: OpCopyAll, N: 2, A: uint32(len(code.Words) - 1)}
	if code.checkInstruction(0, &long) == nil {
		t.Error("words past the last one may be written")
	}
}
