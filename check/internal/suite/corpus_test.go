package suite_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

var (
	corpus = flag.Bool("corpus", false, "decide the fixed corpus of make corpus")
	accept = flag.Bool("accept", false, "write the hashes of the corpus instead of comparing them")
)

const corpusFile = "testdata/corpus.txt"

// answers hashes what the models answer on one part of the corpus.
type answers struct {
	allowed, forbidden, open int
	hash                     hash.Hash
}

// TestCorpus compares the answers of the default procedure under all models, on
// 20,000 random histories and on the tests of Axe, with hashes stored in
// testdata/corpus.txt. check.Check has all evidence accepted by the independent
// checkers before it answers. A change that is meant to keep answers keeps all
// hashes; -accept writes them anew. ORDEAL_AXE_TESTS names the folder tests of a
// clone of Axe (github.com/CTSRD-CHERI/axe) whose archives are unpacked.
func TestCorpus(t *testing.T) {
	if !*corpus {
		t.Skip("only with -corpus: see make corpus")
	}
	got := map[string]*answers{}
	for seed := range uint64(20_000) {
		group, h := corpusHistory(seed)
		models := model.Named()
		if h.Times != nil {
			models = append(models, model.Linearizable)
		}
		decideCorpus(t, got, group, h, models)
	}
	if folder := os.Getenv("ORDEAL_AXE_TESTS"); folder != "" {
		for _, suite := range []string{"litmus", "more-random"} {
			for h := range axeHistories(t, filepath.Join(folder, suite, "tests.axe")) {
				decideCorpus(t, got, "axe "+suite, h, []model.Model{model.SC, model.TSO, model.PSO, model.WMO, model.POW})
			}
		}
	}
	compareCorpus(t, got)
}

// corpusHistory draws history number seed and names the group that it belongs to.
func corpusHistory(seed uint64) (group string, h *parse.History) {
	rng := rand.New(rand.NewPCG(seed, 47))
	switch {
	case seed%1000 == 999:
		return "formula", histgen.FromCNF(histgen.RandomCNF(rng, 6+rng.IntN(8), 30+rng.IntN(30)), rng.IntN(2) == 0)
	case seed%1000 == 998:
		return "staircase", histgen.Staircase(2 + rng.IntN(30))
	case seed%100 == 97:
		return "large", corpusRun(rng, 300+rng.IntN(4000), 2+rng.IntN(40), 1+rng.IntN(64))
	case seed%1000 == 996:
		return "wide", corpusRun(rng, 2000, 150, 100)
	case seed%10 == 5:
		run := histgen.Machine(rng, model.SC, histgen.Params{Threads: 2 + rng.IntN(4), Ops: 4 + rng.IntN(60), Locations: 1 + rng.IntN(4), RMWs: 0.1})
		if rng.IntN(2) == 0 {
			run.History = histgen.Mutate(rng, run, 1)
		}
		return "timed", histgen.Timed(rng, run, rng.Int64N(20), rng.IntN(3) > 0)
	}
	h = draw(rng, 4, 40)
	if rng.IntN(3) > 0 {
		return "random", h
	}
	h.Final, h.StoreOrder = nil, nil
	histgen.Annotate(rng, h, 0.4, rng.IntN(2) == 0)
	return "annotated", h
}

// corpusRun is what a machine did, in most cases with a read or two changed, in
// some with its final memory or the order of its stores known.
func corpusRun(rng *rand.Rand, ops, threads, locations int) *parse.History {
	run := histgen.Machine(rng, totals[rng.IntN(len(totals))], histgen.Params{
		Threads: threads, Ops: ops, Locations: locations, Writes: 0.2 + 0.5*rng.Float64(), RMWs: 0.05 * float64(rng.IntN(2)),
		Fences: 0.03 * float64(rng.IntN(3)), Deps: 0.2 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(8), Depth: 1 + rng.IntN(16),
		Stagger: rng.IntN(2) * rng.IntN(ops/threads+1),
	})
	switch rng.IntN(6) {
	case 0:
		run.History.StoreOrder = run.History.Writes(run.Order)
	case 1:
		run.History.Final = histgen.Final(run.History, run.Order)
	case 2, 3, 4:
		return histgen.Mutate(rng, run, 1+rng.IntN(2))
	}
	return run.History
}

// axeHistories reads the traces of a file of Axe.
func axeHistories(t *testing.T, file string) func(yield func(*parse.History) bool) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return func(yield func(*parse.History) bool) {
		for r := axe.NewReader(f, file); ; {
			trace, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil || trace.Err != nil {
				t.Fatal(err, trace.Err)
			}
			if !yield(trace.History) {
				return
			}
		}
	}
}

func decideCorpus(t *testing.T, got map[string]*answers, group string, h *parse.History, models []model.Model) {
	t.Helper()
	for _, m := range models {
		v, err := check.Check(t.Context(), h, m, check.Options{})
		if err != nil {
			t.Errorf("%s, %s: %v", group, m.Name, err)
			continue
		}
		key := group + " " + m.Name
		if got[key] == nil {
			got[key] = &answers{hash: sha256.New()}
		}
		switch a := got[key]; v.Answer {
		case check.Allowed:
			a.allowed++
		case check.Forbidden:
			a.forbidden++
		default:
			a.open++
		}
		fmt.Fprintln(got[key].hash, v.Answer)
	}
}

// compareCorpus compares hashes with those of the file, or writes them there.
func compareCorpus(t *testing.T, got map[string]*answers) {
	t.Helper()
	data, err := os.ReadFile(corpusFile)
	if err != nil && !*accept {
		t.Fatal(err)
	}
	stored := map[string]string{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		stored[key] = value
	}
	for key, a := range got {
		value := fmt.Sprintf("%d allowed, %d forbidden, %d open, %x", a.allowed, a.forbidden, a.open, a.hash.Sum(nil)[:8])
		if *accept {
			stored[key] = value
		} else if value != stored[key] {
			t.Errorf("%s: %s, want %q", key, value, stored[key])
		}
	}
	t.Logf("%d of %d stored hashes compared", len(got), len(stored))
	if !*accept {
		return
	}
	var lines []string
	for key, value := range stored {
		lines = append(lines, key+": "+value+"\n")
	}
	slices.Sort(lines)
	if err := os.WriteFile(corpusFile, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
