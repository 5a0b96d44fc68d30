package agent

import (
	"fmt"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/memory"
)

// Code is what was loaded into lines that are fetched.
type Code map[memory.Addr]*Words

// Words is the code in a line: those of its words that belong to no location of the program,
// which nothing stores to.
type Words struct {
	memory.Block
	loaded [memory.WordsPerLine]bool
}

// Assemble makes code for lines of a program, a different value for each word, none of
// them zero.
func Assemble(p *gen.Program, lines []memory.Addr) Code {
	code := Code{}
	for _, line := range lines {
		w := new(Words)
		for i := range w.Block {
			w.Block[i], w.loaded[i] = uint64(line)+uint64(i)*gen.WordBytes+1, true
		}
		code[line] = w
	}
	for l := range p.Locations {
		at := memory.Base + memory.Addr(p.Offset(gen.LocID(l)))
		if w := code[at.Line()]; w != nil {
			w.Block[at.Word()], w.loaded[at.Word()] = 0, false
		}
	}
	return code
}

// check compares what was fetched with what was loaded. The error is a *memory.Fault.
func (c Code) check(line memory.Addr, b *memory.Block) error {
	w := c[line]
	if w == nil {
		return nil
	}
	for i, ok := range w.loaded {
		if ok && b[i] != w.Block[i] {
			return memory.Failed(sim.OtherCode, fmt.Sprintf("word %d of line %#x: fetched %#x, loaded %#x", i, int64(line), b[i], w.Block[i]))
		}
	}
	return nil
}
