package protocoltest

import (
	"testing"

	"ordeal/sim/builtin"
	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

func TestAMDShapes(t *testing.T) { keepShapes(t, "moesi-amd-base") }

// keepShapes runs programs on machines of odd shapes: several directories,
// caches of one line, room for one transaction in each controller, cores with
// nothing to do. Nothing gets stuck, and every run keeps the model of the
// cores.
func keepShapes(t *testing.T, protocol string) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	one, flat := cache.Geometry{Sets: 1, Ways: 1, IndexBit: 6}, cache.Geometry{Sets: 8, Ways: 1, IndexBit: 6}
	for name, o := range map[string]builtin.Options{
		"directories":      {Directories: 3},
		"one line":         {Private: one, Shared: one},
		"small below":      {Private: flat, Shared: one},
		"one transaction":  {TBEs: 1},
		"idle cores":       {Cores: 9},
		"all that at once": {Directories: 2, Private: one, Shared: one, TBEs: 1, Cores: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range promise {
				o.Protocol, o.Core, o.Latency = protocol, p.kind, latency.Model{Base: 1, Jitter: 40}
				r, err := builtin.New(o)
				if err != nil {
					t.Fatal(err)
				}
				l := load{core: p.kind, threads: 5, ops: 60, lines: 10, rounds: 3}
				for seed := range seeds {
					if j := l.run(t, r, seed); j.verdict != passed {
						t.Fatalf("%s, seed %d: %s: %s", l, seed, j.verdict, j.why)
					}
				}
			}
		})
	}
}
