package ruby

import (
	"slices"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby/cache"
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

// TestApart asserts of three pairs of caches, and of one or two lines, that none of them is
// in both of a pair.
func TestApart(t *testing.T) {
	const one, other = memory.Addr(0), memory.Addr(64)
	for n := range 1 << 7 {
		code := &machineCode{}
		c := &controller{code: code, words: []uint64{uint64(one), uint64(other), 0, 7}}
		for i := range 3 {
			held := cache.New[*object](cache.Geometry{Sets: 2, Ways: 1, IndexBit: 6})
			for line, bit := range map[memory.Addr]int{one: i, other: 3 + i} {
				if n>>bit&1 != 0 {
					if err := held.Allocate(line, &object{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			c.caches = append(c.caches, held)
		}
		second := uint32(n >> 6) // the word of the second line of each pair
		want := uint64(7)
		for i, pair := range [][2]uint16{{0, 1}, {1, 2}, {0, 2}} {
			at := int(second) * 3
			if n>>pair[0]&1 != 0 && n>>(at+int(pair[1]))&1 != 0 {
				want = 0
			}
			code.closures.words = append(code.closures.words, func(c *controller) uint64 {
				c.words[3] = 0
				return 0
			})
			code.text = append(code.text, instruction{op: opJumpUntagged, n: pair[0], a: 0, c: 2},
				instruction{op: opJumpUntagged, n: pair[1], a: second, c: 1}, instruction{op: opDo, b: uint32(i)})
		}
		code.text = append(code.text, instruction{op: opReturn}, instruction{op: opReturn})
		fuse(code.text)
		if code.text[0].op != opApart {
			t.Fatalf("the first instruction is %d", code.text[0].op)
		}
		if c.exec(0); c.words[3] != want {
			t.Errorf("lines in caches %b: %d, want %d", n, c.words[3], want)
		}
	}
}
