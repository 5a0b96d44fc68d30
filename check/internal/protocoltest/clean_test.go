package protocoltest

import (
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim/builtin/latency"
)

// jitters are spreads of latency from none to longer than a miss takes.
var jitters = []latency.Model{{Base: 5}, {Base: 5, Jitter: 10}, {Base: 1, Jitter: 60}, {Base: 1, Jitter: 300}}

func TestMIModels(t *testing.T)   { keepModels(t, "mi") }
func TestMESIModels(t *testing.T) { keepModels(t, "mesi-two-level") }
func TestAMDModels(t *testing.T)  { keepModels(t, "moesi-amd-base") }

// keepModels runs programs on all kinds of core, with threads that fill pairs
// of cores and threads that do not: every run keeps the model of the cores, and
// most runs of cores weaker than sequential consistency break the next stronger
// model.
func keepModels(t *testing.T, protocol string) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for _, p := range promise {
		t.Run(p.kind.String(), func(t *testing.T) {
			t.Parallel()
			ran, broken := 0, 0
			for _, threads := range []int{1, 2, 3, 4, 8} {
				for _, jitter := range jitters {
					l := load{
						core: p.kind, latency: jitter, threads: threads, ops: 60, lines: 12,
						layout: gen.Spread, rounds: 3,
					}
					r := l.runner(t, protocol)
					for seed := range seeds {
						l.layout = gen.Layouts()[seed%uint64(len(gen.Layouts()))]
						j := l.run(t, r, seed)
						if j.verdict != passed {
							t.Fatalf("%s, seed %d: %s: %s", l, seed, j.verdict, j.why)
						}
						if threads < 2 || p.breaks.Name == "" {
							continue
						}
						ran++
						if answer(t, j.history, p.breaks) == check.Forbidden {
							broken++
						}
					}
				}
			}
			if 2*broken < ran {
				t.Errorf("only %d of %d runs break %s", broken, ran, p.breaks.Name)
			}
		})
	}
}

func TestMISoak(t *testing.T)   { runLong(t, "mi") }
func TestMESISoak(t *testing.T) { runLong(t, "mesi-two-level") }
func TestAMDSoak(t *testing.T)  { runLong(t, "moesi-amd-base") }

// runLong is the long clean campaign: ten million operations of each kind of
// core, of which most miss their tiny caches.
func runLong(t *testing.T, protocol string) {
	if !*soak {
		t.Skip("takes half an hour: want -soak")
	}
	const enough = 10_000_000
	for _, p := range promise {
		t.Run(p.kind.String(), func(t *testing.T) {
			covered := map[string]bool{}
			ops := 0
			seed := uint64(0)
			for ; ops < enough; seed++ {
				l := load{
					core: p.kind, latency: jitters[seed%4], threads: []int{4, 8, 3, 6}[seed/4%4], ops: 200,
					lines: []int{12, 24, 40}[seed/16%3], rounds: 20,
					layout: gen.Layouts()[seed/48%uint64(len(gen.Layouts()))],
				}
				j := l.run(t, l.runner(t, protocol), seed)
				if j.verdict != passed {
					t.Fatalf("%s, seed %d: %s: %s", l, seed, j.verdict, j.why)
				}
				ops += len(j.history.Ops)
				for _, c := range j.report.Coverage {
					row := c.Machine + " " + c.State + " " + c.Event
					covered[row] = covered[row] || c.Count > 0
				}
			}
			taken := 0
			var never []string
			for row, ok := range covered {
				if ok {
					taken++
				} else {
					never = append(never, row)
				}
			}
			slices.Sort(never)
			t.Logf("%d operations, seeds 0 to %d, %d of %d transitions; never: %q", ops, seed-1, taken, len(covered), never)
		})
	}
}
