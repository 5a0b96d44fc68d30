package code

import (
	"math/rand/v2"
	"testing"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// follow executes a routine of copies, jumps and tables by the words that jumps look at,
// and lists what it copies.
func follow(g *generator, text []Instruction, words []uint64) (copied []uint32) {
	for i := 0; ; i++ {
		in := &text[i]
		switch in.Op {
		case OpReturn:
			return copied
		case OpCopy:
			copied = append(copied, in.B)
		case OpJump:
			i += int(int32(in.C))
		case OpJumpZero:
			if words[in.A] == 0 {
				i += int(int32(in.C))
			}
		case OpSwitch:
			i += int(g.code.Jumps[in.B][min(words[in.A], 2)])
		}
	}
}

// TestTidy compares random routines of forward jumps with what tidy leaves of them: they
// copy the same, and no jump is left that leads to a jump or to what follows.
func TestTidy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	shorter := 0
	for range 2000 {
		g := newGenerator(&Program{}, &Machine{})
		r := &routine{}
		n := 2 + random.IntN(20)
		by := func(i int) uint32 { return uint32(random.IntN(n - i)) }
		for i := range n {
			in := Instruction{Op: []opcode{OpCopy, OpJump, OpJumpZero, OpSwitch, OpReturn, OpCopy, OpJump}[random.IntN(7)], A: uint32(random.IntN(3)), B: uint32(i), C: by(i)}
			if in.Op == OpSwitch {
				in.B = addTo(&g.code.Jumps, []int32{int32(by(i)), int32(by(i)), int32(by(i))})
			}
			r.text = append(r.text, in)
		}
		r.text = append(r.text, Instruction{Op: OpReturn})
		r.at = make([]syntax.Pos, len(r.text))
		before := append([]Instruction(nil), r.text...)
		g.tidy(r)
		if len(r.text) > len(before) || len(r.at) != len(r.text) || r.text[len(r.text)-1].Op != OpReturn {
			t.Fatalf("%v became %v", before, r.text)
		}
		if len(r.text) < len(before) {
			shorter++
		}
		for i := range r.text {
			for _, to := range g.targets(r.text, i) {
				if r.text[to].Op == OpJump || r.text[i].Op == OpJump && to == i+1 {
					t.Fatalf("instruction %d of %v leads to %d", i, r.text, to)
				}
			}
		}
		for v := range uint64(27) {
			words := []uint64{v % 3, v / 3 % 3, v / 9}
			want, got := follow(g, before, words), follow(g, r.text, words)
			if len(want) != len(got) {
				t.Fatalf("%v copies %v, want %v of %v", r.text, got, want, before)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%v copies %v, want %v of %v", r.text, got, want, before)
				}
			}
		}
	}
	if shorter < 1000 {
		t.Errorf("%d routines became shorter", shorter)
	}
}

// TestTemplate gives a message the constants of the first statements that assign to it, but
// none to a field that a statement before may have changed or read.
func TestTemplate(t *testing.T) {
	field := func(name string) *types.Field { return &types.Field{Name: name, Type: intType} }
	a, b, c := field("a"), field("b"), field("c")
	msg := &types.Var{Name: "out_msg", Kind: types.LocalVar, Type: &types.Type{Name: "M", Kind: types.Struct, Fields: []*types.Field{a, b, c}}}
	other := &types.Var{Name: "x", Kind: types.LocalVar, Type: intType}
	of := func(f *types.Field) types.Expr {
		return &types.Member{Node: types.Node{Of: intType}, X: &types.Use{Var: msg}, Field: f}
	}
	constant := func(v int64) types.Expr {
		return &types.Const{Node: types.Node{Of: intType}, Value: types.Value{Kind: types.IntValue, Int: v}}
	}
	set := func(f *types.Field, x types.Expr) types.Stmt { return &types.Assign{Left: of(f), Right: x} }
	for _, tc := range []struct {
		body []types.Stmt
		want []uint64
		left int
	}{
		{[]types.Stmt{set(a, constant(1)), set(b, constant(2))}, []uint64{1, 2, 0}, 0},
		{[]types.Stmt{set(a, &types.Use{Var: other}), set(b, constant(2))}, []uint64{0, 2, 0}, 1},
		{[]types.Stmt{set(a, &types.Use{Var: other}), set(a, constant(2))}, []uint64{0, 0, 0}, 2},                                      // the last one counts
		{[]types.Stmt{set(a, constant(1)), set(a, constant(2))}, []uint64{2, 0, 0}, 0},                                                 // likewise
		{[]types.Stmt{set(a, of(b)), set(b, constant(2))}, []uint64{0, 0, 0}, 2},                                                       // b is read first
		{[]types.Stmt{set(a, &types.Call{Func: &types.Func{}, Args: []types.Expr{of(b)}}), set(b, constant(2))}, []uint64{0, 0, 0}, 2}, // likewise
		{[]types.Stmt{set(a, constant(1)), &types.If{Cond: of(c)}, set(b, constant(2))}, []uint64{1, 0, 0}, 2},                         // c may be
	} {
		g := newGenerator(&Program{Layouts: map[*types.Type]*Layout{}}, &Machine{Place: map[*types.Var]int{}})
		words, left := g.template(&types.Enqueue{Msg: msg, Body: tc.body})
		if len(words) != 3 || words[0] != tc.want[0] || words[1] != tc.want[1] || words[2] != tc.want[2] || len(left) != tc.left {
			t.Errorf("%v and %d statements, want %v and %d", words, len(left), tc.want, tc.left)
		}
	}
}
