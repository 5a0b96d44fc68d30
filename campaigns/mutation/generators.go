package mutation

import (
	"ordeal/campaigns/config"
	"ordeal/gen"
)

// Generators are the families of programs that mutants are measured with
// unless others are given: short, and different in what they stress. Together
// they run some thousand operations. The last has devices besides, and is left out for
// protocols that have no machine for them.
func Generators() []config.Programs {
	family := func(edit func(p *config.Programs)) config.Programs {
		p := config.DefaultPrograms()
		p.Threads, p.Ops, p.Locations, p.Rounds = 4, 40, 6, 5
		edit(&p)
		return p
	}
	return []config.Programs{
		family(func(p *config.Programs) {}),
		family(func(p *config.Programs) { p.Layout, p.Locations = gen.Conflict, 8 }),
		family(func(p *config.Programs) { p.ShapeShare, p.Layout = 0.8, gen.Spread }),
		family(func(p *config.Programs) { p.Threads, p.Locations, p.Layout = 3, 16, gen.Pairs }),
		family(func(p *config.Programs) { p.DMA = 2 }),
	}
}

// Machines are those that mutants are measured on unless others are given: the
// default, and one with smaller caches still and messages that overtake.
func Machines() []config.Machine {
	return []config.Machine{{}, {PrivateCache: "2x1", SharedCache: "2x2", Latency: 1, Jitter: 40}}
}
