package diagnose_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check/model"
	"ordeal/sim"
)

var soak = flag.Bool("soak", false, "sign the violations of pairs of mutants: some minutes")

// The rule of TestPairs. Pairs are drawn until pairsWanted of them show both
// faults: until among pairSeeds runs there are enough that fail with both planted
// and with the one alone and pass with the other alone, and as many the other way
// round. A fault that does not show in the presence of the other cannot be a
// finding.
const (
	pairsWanted = 20
	pairsApart  = 18
	pairSeeds   = 600
	enough      = 3
	signed      = 20 // runs that are signed, of those of each fault
)

// TestPairs plants two mutants at once: both are findings, and each by itself
// is at most three. A title is a finding of a fault if in the same configuration
// that fault alone has it and the other alone has not. Two faults are apart if
// each has a finding.
func TestPairs(t *testing.T) {
	if !*soak {
		t.Skip("takes minutes: -soak")
	}
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	byProtocol := make(map[string][]*config.Config)
	mutants, many := 0, 0
	for i := range c.Configs {
		cfg := &c.Configs[i]
		if cfg.Bug == nil || cfg.Mutant == "" || !cfg.Bug.Shows(sim.Violation) || cfg.Core != "ooo" || cfg.Expect != "tso" {
			continue
		}
		found := titles(t, cfg, 20, 100)
		if len(found) == 0 {
			continue
		}
		mutants++
		byProtocol[cfg.Protocol] = append(byProtocol[cfg.Protocol], cfg)
		if len(found) > 3 {
			many++
			t.Logf("%s: %d findings: %v", cfg.Name, len(found), found)
		}
	}
	if many > 0 {
		t.Errorf("%d of %d mutants have more than three findings", many, mutants)
	}
	random := rand.New(rand.NewPCG(7, 7))
	protocols := slices.Sorted(maps.Keys(byProtocol))
	apart, drawn := 0, 0
	for shown := 0; shown < pairsWanted; drawn++ {
		if drawn == 10*pairsWanted {
			t.Fatalf("%d of %d pairs show both faults", shown, drawn)
		}
		list := byProtocol[protocols[drawn%len(protocols)]]
		a, b := list[random.IntN(len(list))], list[random.IntN(len(list))]
		if a == b {
			continue
		}
		both, onlyA, onlyB := newPlanted(t, a, a.Mutant, b.Mutant), newPlanted(t, a, a.Mutant), newPlanted(t, a, b.Mutant)
		ofA, ofB := runsOfEach(t, both, onlyA, onlyB)
		if len(ofA) < enough || len(ofB) < enough {
			t.Logf("drawn again: %s and %s: %d and %d runs", a.Name, b.Name, len(ofA), len(ofB))
			continue
		}
		shown++
		found := both.sign(t, slices.Concat(ofA, ofB))
		first, second := onlyA.sign(t, ofA), onlyB.sign(t, ofB)
		findingsOfA, findingsOfB := only(first, second, found), only(second, first, found)
		if len(findingsOfA) > 0 && len(findingsOfB) > 0 {
			apart++
		} else {
			t.Logf("not apart: alone %v and %v, both %v", first, second, found)
		}
		t.Logf("| %s, %s | %s | %s |", a.Name, b.Name, strings.Join(findingsOfA, "; "), strings.Join(findingsOfB, "; "))
	}
	t.Logf("of %d pairs drawn %d show both faults, %d of them as two findings", drawn, pairsWanted, apart)
	if apart < pairsApart {
		t.Errorf("%d of %d pairs are two findings", apart, pairsWanted)
	}
}

// planted is a configuration with mutants planted in it.
type planted struct {
	cfg    config.Config
	runner sim.Runner
	models []model.Model
}

// newPlanted plants mutants in a configuration in place of its own.
func newPlanted(t *testing.T, cfg *config.Config, mutants ...string) *planted {
	t.Helper()
	p := &planted{cfg: *cfg}
	var edits []string
	for _, m := range mutants {
		for _, edit := range strings.Split(m, " + ") {
			if !slices.Contains(edits, edit) {
				edits = append(edits, edit)
			}
		}
	}
	p.cfg.Mutant = strings.Join(edits, " + ")
	var err error
	p.runner, err = run.NewRunner(config.SimBuiltin, &p.cfg)
	must.Succeed(t, err)
	expected, _ := model.ByName(cfg.Expect)
	p.models = []model.Model{expected}
	return p
}

// run is the result of the run of a seed, without its signature.
func (p *planted) run(t *testing.T, seed uint64) *run.Evaluation {
	t.Helper()
	job, simulated := p.simulate(t, seed)
	r, err := run.Evaluate(t.Context(), job.Program, job.Rounds, &simulated, run.CheckOptions{Models: p.models})
	must.Succeed(t, err)
	return r
}

// sign counts the titles of the runs of seeds.
func (p *planted) sign(t *testing.T, seeds []uint64) map[string]int {
	t.Helper()
	x := run.Executor{Runner: p.runner, Check: run.CheckOptions{Models: p.models}}
	found := make(map[string]int)
	for _, seed := range seeds {
		job, simulated := p.simulate(t, seed)
		r, err := x.Evaluate(t.Context(), job, &simulated)
		must.Succeed(t, err)
		found[r.Outcome.Titled(r.FindingTitle())]++
	}
	return found
}

func (p *planted) simulate(t *testing.T, seed uint64) (sim.Job, sim.Result) {
	t.Helper()
	program, err := p.cfg.Program(seed, 0)
	must.Succeed(t, err)
	job := sim.Job{Program: program, Rounds: p.cfg.Rounds, Seed: seed}
	simulated, err := p.runner.Run(t.Context(), job)
	must.Succeed(t, err)
	return job, simulated
}

// runsOfEach lists the first seeds whose runs with both faults fail because of that
// of the first alone, and of the second alone.
func runsOfEach(t *testing.T, both, first, second *planted) (ofFirst, ofSecond []uint64) {
	t.Helper()
	for seed := uint64(1); seed <= pairSeeds && (len(ofFirst) < signed || len(ofSecond) < signed); seed++ {
		if !both.run(t, seed).Failed() {
			continue
		}
		switch one, other := first.run(t, seed).Failed(), second.run(t, seed).Failed(); {
		case one && !other && len(ofFirst) < signed:
			ofFirst = append(ofFirst, seed)
		case other && !one && len(ofSecond) < signed:
			ofSecond = append(ofSecond, seed)
		}
	}
	return ofFirst, ofSecond
}

// only lists the titles of the first that the second lacks, among those that were
// found.
func only(first, second, found map[string]int) []string {
	var list []string
	for _, title := range slices.Sorted(maps.Keys(first)) {
		if second[title] == 0 && found[title] > 0 {
			list = append(list, title)
		}
	}
	return list
}
