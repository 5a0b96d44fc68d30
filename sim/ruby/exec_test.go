package ruby

import (
	"math/rand/v2"
	"testing"

	"ordeal/sim/protocols"
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
		code := &machineCode{machine: &types.Machine{}, place: map[*types.Var]int{}, globals: map[string]int{}, compared: map[*types.Var][]int64{}}
		g := newGenerator(&program{}, code)
		vars := []*types.Var{{Name: "a", Type: intType}, {Name: "b", Type: intType}, {Name: "c", Type: intType}}
		for _, v := range vars {
			v.Kind = types.LocalVar
			g.where(v)
		}
		x := condition(r, vars, 3)
		branch, value := g.newWords([]uint64{0}), 0
		entry := g.routine(func() {
			skip := g.jumpIf(x, false)
			g.emit(syntax.Pos{}, instruction{op: opCopy, a: uint32(branch), b: uint32(g.constant(1))})
			g.land(skip...)
			value = g.place(x)
		})
		g.link()
		c := &controller{code: code, words: code.words, pointers: make([]*object, code.pointers), returns: make([]int32, code.depth)}
		for n := range int64(27) {
			values := map[*types.Var]int64{}
			for i, v := range []int64{n % 3, n / 3 % 3, n / 9} {
				values[vars[i]], c.words[g.where(vars[i])] = v, uint64(v)
			}
			c.words[branch] = 0
			c.exec(entry.entry)
			want := truth(holds(x, values))
			if got := [2]uint64{c.words[branch], c.words[value]}; got != [2]uint64{want, want} {
				t.Fatalf("branch, value %v, want %d", got, want)
			}
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
	p, err := Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range p.program.codes {
		for i := range code.text {
			in := code.text[i]
			if err := code.checkInstruction(i, &in); err != nil {
				t.Fatal(err)
			}
			for k, what := range operands[in.op] {
				if what == unused {
					continue
				}
				bad := in
				*[...]*uint32{&bad.a, &bad.b, &bad.c}[k] = 1 << 24
				if code.checkInstruction(i, &bad) == nil {
					t.Errorf("operand %d of %+v may be anything", k, in)
				}
			}
		}
	}
	code := p.program.codes[0]
	long := instruction{op: opCopyAll, n: 2, a: uint32(len(code.words) - 1)}
	if code.checkInstruction(0, &long) == nil {
		t.Error("words past the last one may be written")
	}
	code.jumps = append(code.jumps, []int32{1 << 24})
	in := instruction{op: opSwitch, b: uint32(len(code.jumps) - 1)}
	if code.checkInstruction(0, &in) == nil {
		t.Error("a table may jump anywhere")
	}
}
