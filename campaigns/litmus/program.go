package litmus

import (
	"fmt"
	"math/rand/v2"

	"ordeal/campaigns"
	"ordeal/gen"
)

// size is how much a run executes.
type size struct {
	copies      int // of the test in the program
	repetitions int // of the program
	counted     int // of the repetitions, the last ones
}

// Sizes of runs. On hardware a run takes some milliseconds before its first
// round; repetitions that are not counted warm the caches up, without which one
// thread runs ahead of the others. Of tests that ask for final values, on two
// processors, 1024 copies in 8 repetitions made 41,000 rounds a second and saw
// SB's outcome in 0.9 % of them, 2048 in 4 made 74,000 and saw it in 0.7 %,
// 4096 in 2 made 56,000 and 0.2 %. The embedded simulator starts in no time, and
// gem5 takes long for anything.
var (
	hostSize    = size{copies: 64, repetitions: 128, counted: 128}
	hostFinal   = size{copies: 2048, repetitions: 4, counted: 1}
	builtinSize = size{copies: 64, repetitions: 1, counted: 1}
	gem5Size    = size{copies: 128, repetitions: 1, counted: 1}
)

// sizeOf is the size of a test's runs: no more than asked for.
func sizeOf(t *Test, o *Options) size {
	s := builtinSize
	switch {
	case o.Sim == campaigns.SimGem5:
		s = gem5Size
	case o.Sim == campaigns.SimHost && t.NeedsFinal:
		s = hostFinal
	case o.Sim == campaigns.SimHost:
		s = hostSize
	}
	s.copies = max(1, min(s.copies, gen.MaxLocations/len(t.Program.Locations), o.Rounds))
	if s.counted > 1 {
		s.repetitions = max(1, min(s.repetitions, o.Rounds/s.copies))
		s.counted = s.repetitions
	}
	return s
}

// program is the program of run number n: copies of the test with delays.
func (x *experiment) program(n int) (*gen.Program, error) {
	test := x.test.Program
	random := rand.New(rand.NewPCG(x.o.Seed^test.Hash64(), uint64(n)))
	layouts := gen.Layouts()
	p := &gen.Program{Layout: layouts[n%len(layouts)], Threads: make([][]gen.Op, len(test.Threads))}
	if x.o.Layout != campaigns.AnyLayout {
		var err error
		if p.Layout, err = gen.ParseLayout(x.o.Layout); err != nil {
			return nil, err
		}
	}
	delay := func(t int) {
		if x.o.MaxDelay > 0 {
			p.Threads[t] = append(p.Threads[t], gen.Op{Kind: gen.Delay, Value: 1 + gen.Value(random.IntN(x.o.MaxDelay))})
		}
	}
	stride := test.Stride()
	for i := range x.size.copies {
		for _, name := range test.Locations {
			p.Locations = append(p.Locations, fmt.Sprintf("%s_%d", name, i))
		}
		for t, ops := range test.Threads {
			if random.IntN(2) == 0 {
				delay(t)
			}
			for j, op := range ops {
				if j > 0 && random.IntN(8) == 0 {
					delay(t)
				}
				if op.Kind != gen.FullFence {
					op.Loc += gen.LocID(i * len(test.Locations))
				}
				if op.Kind.Writes() {
					op.Value += gen.Value(i) * stride
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
