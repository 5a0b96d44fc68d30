package suite_test

import (
	"iter"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/parse"
)

// fences are those of the small histories: full ones, and store-store ones as
// PSO has them.
var fences = []parse.FenceMask{parse.FullFence, parse.StoreStore}

// small yields the histories of three threads, two locations and up to five
// operations, RMWs and fences among them: about 514,000. Without -soak it
// takes all of up to three operations and a sample of the larger ones.
func small() iter.Seq[*parse.History] {
	return func(yield func(*parse.History) bool) {
		for ops, every := range []int{1: 1, 2: 1, 3: 1, 4: scale.Of(51, 51, 1), 5: scale.Of(0, 2503, 1)} {
			if every == 0 {
				continue
			}
			bound := histgen.Bound{Threads: 3, Locations: 2, Ops: ops, Exact: true, RMW: true, Fences: fences}
			for h := range histgen.Every(every, histgen.All(bound)) {
				if !yield(h) {
					return
				}
			}
		}
	}
}

// Every procedure agrees with brute force on small histories, under every
// model it claims; every tenth history has its final values or its store order
// known, at random.
func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	count := tally{}
	n := 0
	for h := range small() {
		if n++; n%10 == 0 {
			h = histgen.Clone(h)
			if n%20 == 0 {
				histgen.AddFinal(rng, h)
			} else {
				histgen.AddStoreOrder(rng, h)
			}
		}
		for _, m := range models {
			count.expect(t, h, m, bruteAnswer(h, m), 0)
		}
	}
	t.Logf("%d histories", n)
	count.complete(t)
}

// The same for histories of six to nine operations drawn at random, with
// fences of all kinds and dependencies.
func TestSmallRandom(t *testing.T) {
	count := tally{}
	for seed := range scale.Of[uint64](100, 100, 50_000) {
		h := draw(rand.New(rand.NewPCG(seed, 2)), 6, 9)
		for _, m := range models {
			count.expect(t, h, m, bruteAnswer(h, m), 0)
		}
	}
	count.complete(t)
}

// draw makes a history of lo to hi operations: what a machine did, perhaps
// with a few reads changed, or one with reads-from at random.
func draw(rng *rand.Rand, lo, hi int) *parse.History {
	p := histgen.Params{
		Threads: 2 + rng.IntN(3), Ops: lo + rng.IntN(hi-lo+1), Locations: 1 + rng.IntN(3), Writes: 0.3 + 0.3*rng.Float64(),
		RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		Deps: 0.5 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(4), Depth: 1 + rng.IntN(8),
	}
	var h *parse.History
	switch run := histgen.Machine(rng, totals[rng.IntN(len(totals))], p); rng.IntN(8) {
	case 0:
		h = histgen.Random(rng, p)
	case 1, 2, 3:
		h = histgen.Mutate(rng, run, 1+rng.IntN(3))
	case 4:
		h = run.History
		h.StoreOrder = h.Writes(run.Order)
	case 5:
		h = run.History
		h.Final = histgen.Final(h, run.Order)
	default:
		h = run.History
	}
	switch rng.IntN(12) {
	case 0:
		histgen.AddFinal(rng, h)
	case 1:
		histgen.AddFinal(rng, h)
		h.Final[rng.IntN(len(h.Final))] = parse.Init
	case 2:
		histgen.AddStoreOrder(rng, h)
	}
	return h
}

// Saturation refutes under SC, TSO and PSO exactly what its closure forbids,
// and so do TSOtool's rules where they apply: no less, so that a rule left out
// cannot go unnoticed because a search makes up for it.
func TestSaturationIsTheClosure(t *testing.T) {
	same := func(h *parse.History) {
		for i, closure := range closures {
			m, allowed := totals[i], brute.Allowed(h, closure)
			for _, name := range []string{"saturate", "vc"} {
				p := procedure(t, name)
				if !p.Supports(m) {
					continue
				}
				if v := decide(t, p, h, m, 0); allowed != (v.Answer != check.Forbidden) {
					t.Fatalf("%s: %s says %v, %s allows: %v\n%s", m.Name, name, v.Answer, closure.Name, allowed, text(h))
				}
			}
		}
	}
	for h := range small() {
		same(h)
	}
	for seed := range scale.Of[uint64](1500, 1500, 6000) {
		ops := 8 << (seed % 3) // brute force takes up to 64
		same(draw(rand.New(rand.NewPCG(seed, 3)), ops, 2*ops-8))
	}
}

// What a model's machine did the model allows, at any size.
func TestMachines(t *testing.T) {
	count := tally{}
	for seed := range scale.Of[uint64](4, 4, 25) {
		rng := rand.New(rand.NewPCG(seed, 4))
		for i, m := range totals {
			p := histgen.Params{
				Threads: 2 + rng.IntN(4), Ops: 20 + rng.IntN(60), Locations: 1 + rng.IntN(6), RMWs: 0.1 * float64(rng.IntN(2)),
				Fences: 0.1 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
				Deps: 0.3 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(6),
			}
			run := histgen.Machine(rng, m, p)
			h := run.History
			if seed%2 == 0 {
				h.StoreOrder = h.Writes(run.Order)
			}
			for _, weaker := range totals[i:] {
				count.expect(t, h, weaker, check.Allowed, searchBound)
			}
		}
	}
}

// Larger histories: the complete procedures agree with each other, and no
// other contradicts them.
func TestLarge(t *testing.T) {
	count := tally{}
	answers := map[string]int{}
	for seed := range scale.Of[uint64](8, 12, 5000) {
		h := draw(rand.New(rand.NewPCG(seed, 5)), 20, 60)
		if seed%6 == 0 {
			h = draw(rand.New(rand.NewPCG(seed, 6)), 100, 200)
		}
		for _, m := range models {
			want := auto(t, h, m)
			answers[m.Name+" "+want.String()]++
			count.expect(t, h, m, want, searchBound)
		}
	}
	for _, m := range models {
		for _, a := range []check.Answer{check.Allowed, check.Forbidden} {
			if answers[m.Name+" "+a.String()] == 0 {
				t.Errorf("no history is %v under %s", a, m.Name)
			}
		}
	}
	t.Log(answers)
}
