package ruby

import (
	"slices"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
)

// TestFusions runs protocols with instructions that do the work of several, all of which
// occur, and without: the events and the transitions are the same.
func TestFusions(t *testing.T) {
	all := fusions
	defer func() { fusions = all }()
	occur := map[opcode]bool{}
	run := func(name string) (uint64, sim.Coverage) {
		tree, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range p.program.codes {
			for _, in := range code.text {
				occur[in.op] = true
			}
		}
		o := Options{Cores: 4}
		if p.Devices() {
			o.Devices = 1
		}
		q := event.New(event.Shuffled, 1)
		s := New(q, p, o.WithDefaults())
		stress(q, s)
		if err := q.Run(50_000); err != nil {
			t.Fatal(err)
		}
		return q.Hash(), s.Coverage()
	}
	for _, name := range protocols.Names() {
		fusions = all
		hash, counts := run(name)
		fusions = nil
		if h, c := run(name); h != hash || !slices.Equal(c, counts) {
			t.Errorf("%s: events or transitions differ", name)
		}
	}
	ofGem5 := []opcode{opOneZero, opLoadCachedPoint, opNilPermitEnd} // only its protocols have them
	for _, f := range all {
		if !occur[f.fused] && !slices.Contains(ofGem5, f.fused) {
			t.Errorf("no protocol has %v in one", f.of)
		}
	}
}

// TestTwoJumps has a jump if one word is not 0, and then one if another is.
func TestTwoJumps(t *testing.T) {
	for n := range uint64(4) {
		first, second := n%2, n/2
		text := []instruction{
			{op: opJumpOne, a: 0, c: 3}, {op: opJumpZero, a: 1, c: 4},
			{op: opCopy, a: 2, b: 3}, {op: opReturn},
			{op: opCopy, a: 2, b: 4}, {op: opReturn},
			{op: opCopy, a: 2, b: 5}, {op: opReturn},
		}
		fuse(text)
		if text[0].op != opOneZero {
			t.Fatalf("two jumps are %d", text[0].op)
		}
		c := &controller{code: &machineCode{text: text}, words: []uint64{first, second, 0, 10, 20, 30}}
		c.exec(0)
		want := uint64(20)
		if first == 0 {
			want = 30 - 20*second
		}
		if c.words[2] != want {
			t.Errorf("words %d and %d: %d, want %d", first, second, c.words[2], want)
		}
	}
}
