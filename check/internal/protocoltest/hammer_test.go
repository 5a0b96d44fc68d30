package protocoltest

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/ruby/cache"
)

func TestHammerModels(t *testing.T) { keepModels(t, "moesi-hammer") }
func TestHammerSoak(t *testing.T)   { runLong(t, "moesi-hammer") }

// TestHammerDirectories divides lines among directories, whose forwards and
// answers overtake each other.
func TestHammerDirectories(t *testing.T) {
	numbers := []int{2, 3, 4}
	if testing.Short() {
		numbers = numbers[:1]
	}
	for _, p := range promise {
		for _, directories := range numbers {
			for seed, jitter := range jitters {
				l := load{
					core: p.kind, latency: jitter, threads: 6, ops: 60, lines: 8, layout: gen.Conflict, rounds: 2,
					directories: directories,
				}
				if seed%2 == 1 {
					l.layout, l.caches = gen.Spread, cache.Geometry{Sets: 2, Ways: 1, IndexBit: 6}
				}
				if j := l.run(t, l.runner(t, "moesi-hammer"), uint64(seed)); j.verdict != passed {
					t.Errorf("%s, %d directories, seed %d: %s: %s", l, directories, seed, j.verdict, j.why)
				}
			}
		}
	}
}
