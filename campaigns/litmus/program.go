package litmus

import (
	"fmt"
	"math/rand/v2"

	"ordeal/campaigns/config"
	"ordeal/gen"
)

// size is how much a run executes.
type size struct {
	copies      int // of the test in the program
	repetitions int // of the program
	// observe has the threads load all locations before each repetition.
	observe bool
}

// Sizes of runs. On hardware a run takes some milliseconds before its first
// round, on the embedded simulator nothing, and on gem5 everything takes long.
var (
	hostSize    = size{copies: 64, repetitions: 128}
	builtinSize = size{copies: 64, repetitions: 1}
	gem5Size    = size{copies: 128, repetitions: 1}
)

// sizeOf is the size of a test's runs: no more rounds than asked for.
func sizeOf(t *Test, o *Options) size {
	s := builtinSize
	switch o.Sim {
	case config.SimGem5:
		s = gem5Size
	case config.SimHost:
		s = hostSize
	}
	s.copies = max(1, min(s.copies, gen.MaxLocations/len(t.Program.Locations), o.Rounds))
	s.repetitions = max(1, min(s.repetitions, o.Rounds/s.copies))
	s.observe = t.NeedsFinal && s.repetitions > 1
	return s
}

// program is the program of run number n: copies of the test with delays.
func (x *experiment) program(n int) (*gen.Program, error) {
	test := x.test.Program
	random := rand.New(rand.NewPCG(x.o.Seed^test.Hash64(), uint64(n)))
	layouts := gen.Layouts()
	p := &gen.Program{ISA: test.ISA, Layout: layouts[n%len(layouts)], Threads: make([][]gen.Op, len(test.Threads))}
	if x.o.Layout != gen.AnyLayout {
		p.Layout = x.o.Layout
	}
	delay := func(t int) {
		if x.o.MaxDelay > 0 {
			p.Threads[t] = append(p.Threads[t], gen.Op{Kind: gen.Delay, Value: 1 + gen.Value(random.IntN(x.o.MaxDelay))})
		}
	}
	for i := range x.size.copies {
		for _, name := range test.Locations {
			p.Locations = append(p.Locations, fmt.Sprintf("%s_%d", name, i))
		}
	}
	if x.size.observe {
		for l := range p.Locations {
			t := l % len(p.Threads) // so that all begin at about the same time
			p.Threads[t] = append(p.Threads[t], gen.Op{Kind: gen.Load, Loc: gen.LocID(l)})
		}
	}
	stride := test.Stride()
	for i := range x.size.copies {
		for t, ops := range test.Threads {
			if random.IntN(2) == 0 {
				delay(t)
			}
			places := make([]int, len(ops)) // of operations of the copy in the thread
			for j, op := range ops {
				if j > 0 && random.IntN(8) == 0 && (test.ISA == gen.X86 || len(ops) <= gen.MaxBack/2) { // no dependency comes to reach too far
					delay(t)
				}
				places[j] = len(p.Threads[t])
				if op.Kind.Reads() || op.Kind.Writes() {
					op.Loc += gen.LocID(i * len(test.Locations))
				}
				if op.Kind.Writes() {
					op.Value += gen.Value(i) * stride
				}
				if op.Back > 0 { // delays may have come between
					op.Back = uint8(places[j] - places[j-int(op.Back)])
				}
				p.Threads[t] = append(p.Threads[t], op)
			}
		}
	}
	if err := p.ValidateRounds(x.size.repetitions); err != nil {
		return nil, err
	}
	return p, nil
}
