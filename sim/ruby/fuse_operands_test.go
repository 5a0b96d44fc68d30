package ruby

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// plain are the instructions that TestFusedOperands can draw operands for.
var plain = []opcode{
	opLoad, opStore, opCopy, opPoint, opJump, opJumpNil, opJumpOne, opJumpZero, opCached, opDirectory, opTransaction, opPermit, opEnd,
}

// registers are how many words and pointers there are.
const registers = 4

// operandsDrawn is a controller with drawn words, pointers, caches, tables and directories.
func operandsDrawn(rng *rand.Rand) *controller {
	draw := func() *object {
		return &object{words: []uint64{rng.Uint64N(3), rng.Uint64N(3)}, dead: rng.IntN(8) == 0, layout: &layout{typ: new(types.Type)}}
	}
	c := &controller{}
	defer func() { c.words = append(c.words, 0, 1001, 1002, 1003) }() // where it went on, and what says so
	for range registers {
		c.words = append(c.words, rng.Uint64N(3)<<6)
		if c.pointers = append(c.pointers, nil); rng.IntN(3) > 0 {
			c.pointers[len(c.pointers)-1] = draw()
		}
	}
	held, lines := cache.New[*object](cache.Geometry{Sets: 4, Ways: 1, IndexBit: 6}), map[memory.Addr]*object{}
	c.tables = []*table{{}}
	for line := memory.Addr(0); line < 3<<6; line += 1 << 6 {
		if rng.IntN(2) > 0 {
			if err := held.Allocate(line, draw()); err != nil {
				panic(err)
			}
		}
		if rng.IntN(2) > 0 {
			lines[line] = draw()
		}
		if rng.IntN(2) > 0 {
			o := draw()
			o.line = line
			c.tables[0].entries = append(c.tables[0].entries, o)
		}
	}
	c.caches, c.directory = []*cache.Cache[*object]{held}, []*directory{{entries: lines}}
	return c
}

// outcome executes the code and says what it leaves.
func (c *controller) outcome() (text string) {
	var end flow
	defer func() {
		text = fmt.Sprint(recover() != nil, end, c.event, c.words)
		for _, o := range c.pointers {
			if o != nil {
				text += fmt.Sprint(o.line, o.words, o.dead, o.header.Permission)
			}
			text += ";"
		}
	}()
	end = c.exec(0)
	return ""
}

// TestFusedOperands executes the instructions of each fusion with operands that have nothing
// to do with each other, in one and one by one: what they leave and where they go on is the
// same.
func TestFusedOperands(t *testing.T) {
	const after = 6 // instructions behind those of the fusion, where jumps end
	tested := 0
	for _, f := range fusions {
		if slices.ContainsFunc(f.of, func(op opcode) bool { return !slices.Contains(plain, op) }) {
			continue
		}
		tested++
		outcomes := map[string]bool{}
		for seed := range uint64(500) {
			run := func(fused bool) string {
				rng := rand.New(rand.NewPCG(seed, 0))
				c := operandsDrawn(rng)
				word, pointer := func() uint32 { return uint32(rng.IntN(registers)) }, func() uint32 { return uint32(rng.IntN(registers)) }
				var text []instruction
				for i, op := range f.of {
					in := instruction{op: op}
					switch op {
					case opCopy:
						in.a, in.b = word(), word()
					case opPoint:
						in.a, in.b = pointer(), pointer()
					case opLoad:
						in.a, in.b, in.c = word(), pointer(), uint32(rng.IntN(2))
					case opStore:
						in.a, in.b, in.c = pointer(), word(), uint32(rng.IntN(2))
					case opCached, opDirectory, opTransaction:
						in.a, in.c = pointer(), word()
					case opPermit:
						in.a, in.b = pointer(), word()
					case opJump, opJumpNil, opJumpOne, opJumpZero:
						in.a, in.c = word(), uint32(rng.IntN(len(f.of)-i-1+after))
						if f.by != nil && f.by[i] != 0 {
							in.c = uint32(f.by[i])
						}
					}
					text = append(text, in)
				}
				for k := range uint32(after / 2) {
					text = append(text, instruction{op: opCopy, a: registers, b: registers + 1 + k}, instruction{op: opReturn})
				}
				if fused {
					text[0].op = f.fused
				}
				c.code = &machineCode{text: text, at: make([]syntax.Pos, len(text)+1)}
				c.code.closures.permits = [][]cache.Permission{make([]cache.Permission, 4<<6)}
				for i := range c.code.closures.permits[0] {
					c.code.closures.permits[0][i] = cache.Permission(i % 3)
				}
				return c.outcome()
			}
			one, each := run(true), run(false)
			if outcomes[each] = true; one != each {
				t.Fatalf("%v, seed %d: in one\n%s\none by one\n%s", f.of, seed, one, each)
			}
		}
		if len(outcomes) < 50 {
			t.Errorf("%v: %d outcomes of 500", f.of, len(outcomes))
		}
	}
	if tested < 12 {
		t.Errorf("%d fusions have operands that can be drawn", tested)
	}
}
