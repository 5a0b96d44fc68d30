package run_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore"
	"ordeal/sim/explore/machine"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

var (
	corpus = flag.Bool("corpus", false, "run the fixed corpus of make corpus")
	accept = flag.Bool("accept", false, "write the hashes of the corpus in place of comparing them")
)

const corpusFile = "testdata/corpus.txt"

// TestCorpus compares what the simulator, the explorer and the mutator give on a fixed corpus
// with hashes that are stored: a change that is meant to keep behaviour keeps
// all of them. A change of behaviour writes them anew with -accept, and its commit says which
// lines differ, and why. Lines of gem5's protocols are compared where ORDEAL_GEM5_TREE
// names a tree of the version they are about.
func TestCorpus(t *testing.T) {
	if !*corpus {
		t.Skip("only with -corpus: see make corpus")
	}
	got := map[string]string{}
	quickRuns(t, got)
	for _, name := range protocols.Names() {
		tree, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		explored(t, got, name, tree)
		mutants(t, got, name, tree)
	}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" {
		for _, name := range stockProtocols {
			file, err := protocols.LoadFile(filepath.Join(tree, "src/mem/ruby/protocol", name+".slicc"))
			if err != nil {
				t.Fatal(err)
			}
			key := stockKey(tree, name)
			mutants(t, got, key, file)
			file, _ = mutate.Corrected(file)
			stockRuns(t, got, key, file)
			explored(t, got, key, file)
		}
	}
	compareCorpus(t, got)
}

// compareCorpus compares hashes with those of the file, or writes them there.
func compareCorpus(t *testing.T, got map[string]string) {
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
	compared := 0
	for key, value := range got {
		switch want, ok := stored[key]; {
		case *accept:
			stored[key] = value
		case !ok:
			t.Logf("%s: no hash is stored", key)
		case value != want:
			t.Errorf("%s: %s, want %s", key, value, want)
		default:
			compared++
		}
	}
	if !*accept {
		t.Logf("%d of %d stored hashes compared", compared, len(stored))
		return
	}
	var text strings.Builder
	for _, key := range slices.Sorted(keys(stored)) {
		fmt.Fprintf(&text, "%s: %s\n", key, stored[key])
	}
	if err := os.WriteFile(corpusFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func keys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// sum is the beginning of a hash, long enough that no two differ by chance.
func sum(h hash.Hash) string { return fmt.Sprintf("%x", h.Sum(nil)[:12]) }

// quickRuns hashes each configuration of quick.yaml: all programs, and of the embedded simulator
// the results of their runs.
func quickRuns(t *testing.T, got map[string]string) {
	campaign, err := config.Load("../quick.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	hashes, runners := map[string]hash.Hash{}, map[string]sim.Runner{}
	for n := range campaign.Schedule() {
		c, p, seed, err := campaign.Number(n)
		if err != nil {
			t.Fatal(err)
		}
		if hashes[c.Name] == nil {
			hashes[c.Name] = sha256.New()
		}
		h, simulator := hashes[c.Name], campaign.SimOf(c)
		fmt.Fprintf(h, "%s\n", p.Text())
		if simulator != config.SimBuiltin {
			continue
		}
		if runners[c.Name] == nil {
			if runners[c.Name], err = run.NewRunner(simulator, c); err != nil {
				t.Fatal(err)
			}
		}
		hashRun(t, h, runners[c.Name], sim.Job{Program: p, Rounds: c.Rounds, Seed: seed})
	}
	got["quick runs"] = fmt.Sprint(len(campaign.Schedule()))
	for name, h := range hashes {
		got["quick "+name] = sum(h)
	}
}

// hashRun adds all that a run gives but its time and its title, whose text may change.
func hashRun(t *testing.T, h hash.Hash, r sim.Runner, job sim.Job) sim.Outcome {
	t.Helper()
	job.Timeout = time.Hour
	result, err := r.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(h, "%s %q\n%s\n", result.Outcome, result.Detail, result.Log)
	for _, row := range result.Coverage {
		fmt.Fprintln(h, row.Machine, row.State, row.Event, row.Count, row.Stalls)
	}
	return result.Outcome
}

// stockProtocols are those of gem5 for processors.
var stockProtocols = []string{
	"MI_example", "MESI_Two_Level", "MESI_Three_Level", "MESI_Three_Level_HTM", "MOESI_hammer", "MOESI_AMD_Base",
	"MOESI_CMP_directory", "MOESI_CMP_token", "chi/CHI",
}

// stockKey names a protocol of a gem5 tree by the hash of the tree's protocol files.
func stockKey(tree, name string) string {
	h := sha256.New()
	for _, pattern := range []string{"*", "chi/*"} {
		files, _ := filepath.Glob(filepath.Join(tree, "src/mem/ruby/protocol", pattern))
		for _, file := range files {
			data, _ := os.ReadFile(file)
			h.Write(data)
		}
	}
	return fmt.Sprintf("gem5 %x %s", h.Sum(nil)[:4], name)
}

// stockRuns runs ten seeds on each of five kinds of core. What else the machine has
// depends on the seed.
func stockRuns(t *testing.T, got map[string]string, key string, file *syntax.File) {
	p, err := ruby.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []core.Kind{core.InOrder, core.TSO, core.OOO, core.PSO, core.RMO} {
		h := sha256.New()
		for seed := range uint64(10) {
			programs := gen.Defaults()
			programs.Threads, programs.Ops, programs.Locations = 2+int(seed)%5, 60, 6+4*int(seed%4)
			programs.Layout = gen.Layouts()[seed%uint64(len(gen.Layouts()))]
			o := builtin.Options{Compiled: p, Protocol: p.Name(), Core: kind, Budget: 400_000}
			vary(&o, &programs, p, seed)
			program, err := gen.Random(rand.New(rand.NewPCG(seed, 7)), programs)
			if err != nil {
				t.Fatal(err)
			}
			r, err := builtin.New(o)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", key, seed, err)
			}
			job := sim.Job{Program: program, Rounds: 4, Seed: seed}
			hashRun(t, h, r, job)
			if seed%5 == 0 {
				steps := func(s ruby.Step) { fmt.Fprintln(h, s.Machine, s.Number, s.State, s.Event, s.Next, s.At, s.Line) }
				if _, err := r.Observe(t.Context(), job, steps, func(core.Access) {}); err != nil {
					t.Fatal(err)
				}
			}
		}
		got[fmt.Sprintf("%s runs %s", key, kind)] = sum(h)
	}
}

// vary has the runs of some seeds use what only few machines have.
func vary(o *builtin.Options, programs *gen.Options, p *ruby.Protocol, seed uint64) {
	switch seed {
	case 1:
		o.Directories = 2
		o.Private, o.Shared = cache.Geometry{Sets: 1, Ways: 1, IndexBit: 6}, cache.Geometry{Sets: 1, Ways: 2, IndexBit: 6}
	case 2:
		o.Reorder, o.MemoryReorder, o.MemoryChannels = ruby.ReorderUnordered, true, 2
	case 3:
		if p.Devices() {
			programs.DMA = 2
		}
		programs.Fetch = 1
	case 4:
		o.Bounds = []string{"network=3"}
	case 5:
		if p.Prefetches() {
			o.Prefetch = 40
		}
		if p.Streams() {
			o.PrefetchStreams = 2
		}
	case 6:
		if p.CheckFunctional() == nil {
			o.Functional = 30
		}
		if p.Flushes() {
			o.Flush = 50
		}
	case 7:
		if p.Links() && o.Core.Allows(core.LinkedLoad) {
			o.RMW = core.LinkedLoad
		}
	case 8:
		o.Occupancy, o.TBEs = 4, 2
	}
}

// explored hashes what small machines can do: all their states, or the first ones.
func explored(t *testing.T, got map[string]string, key string, file *syntax.File) {
	p, err := ruby.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []struct{ cores, lines, limit int }{{2, 1, 20_000}, {2, 2, 1_500}, {3, 1, 1_500}} {
		way := cache.Geometry{Sets: 1, Ways: 1}
		c := explore.Config{
			Protocol: p, Lines: size.lines, Symmetry: true, Outstanding: size.lines,
			System: ruby.Options{Cores: size.cores, Hardware: ruby.Hardware{Private: way, Shared: way}},
		}
		limit := size.limit
		if strings.HasPrefix(key, "gem5") {
			limit /= 10
		}
		got[fmt.Sprintf("%s explored %d cores %d lines", key, size.cores, size.lines)] = visit(t, c, limit)
	}
}

// visit counts the states that a breadth-first search reaches, up to a limit.
func visit(t *testing.T, c explore.Config, limit int) string {
	m, err := explore.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var e machine.Expansion
	queue := []machine.State{m.Initial()}
	seen := map[machine.Fingerprint]bool{m.Fingerprint(m.Initial()): true}
	states, steps, expanded := 0, 0, 0
	titles := map[string]string{}
	for ; expanded < len(queue) && expanded < limit; expanded++ {
		m.Expand(queue[expanded], &e)
		states, steps = states+e.Orbit, steps+e.Steps*e.Orbit
		for _, f := range e.Faults {
			titles[f.Property.String()+": "+f.Detail] = ""
		}
		for n, print := range e.Prints {
			if !seen[print] {
				seen[print] = true
				queue = append(queue, slices.Clone(machine.State(e.States[n*m.Width():(n+1)*m.Width()])))
			}
		}
	}
	h := sha256.New()
	for _, title := range slices.Sorted(keys(titles)) {
		fmt.Fprintln(h, title)
	}
	for _, row := range m.Coverage() {
		fmt.Fprintln(h, row.Machine, row.State, row.Event, row.Count > 0, row.Stalls > 0)
	}
	return fmt.Sprintf("%d orbits, %d of %d expanded, %d steps, %d faults, %s", states, expanded, len(queue), steps, len(titles), sum(h))
}

// mutants hashes the names of all mutants of a protocol.
func mutants(t *testing.T, got map[string]string, key string, file *syntax.File) {
	list, err := mutate.NewCatalogue(file)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, m := range list.Mutants() {
		fmt.Fprintln(h, m.ID, m.Equivalent != "", m.Evictions)
	}
	got[key+" mutants"] = fmt.Sprintf("%d, %s", len(list.Mutants()), sum(h))
	got[key+" faults"] = mutantFaults(t, list)
}

// mutantFaults runs and explores a few mutants: most fail, in many ways.
func mutantFaults(t *testing.T, list *mutate.Catalogue) string {
	h, failed := sha256.New(), 0
	all := list.Mutants()
	for i := 0; i < len(all); i += max(len(all)/40, 1) {
		p, err := ruby.Compile(list.Tree(all[i]))
		if err != nil {
			fmt.Fprintln(h, err)
			continue
		}
		r, err := builtin.New(builtin.Options{Compiled: p, Protocol: p.Name(), Core: core.OOO, Budget: 100_000, Watchdog: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		programs := gen.Defaults()
		programs.Threads, programs.Ops, programs.Locations = 3, 60, 8
		program, err := gen.Random(rand.New(rand.NewPCG(uint64(i), 7)), programs)
		if err != nil {
			t.Fatal(err)
		}
		if hashRun(t, h, r, sim.Job{Program: program, Rounds: 2, Seed: 1}) != sim.Passed {
			failed++
		}
		way := cache.Geometry{Sets: 1, Ways: 1}
		small := explore.Config{Protocol: p, Symmetry: true, System: ruby.Options{Cores: 2, Hardware: ruby.Hardware{Private: way, Shared: way}}}
		fmt.Fprintln(h, visit(t, small, 60))
	}
	return fmt.Sprintf("%d runs fail, %s", failed, sum(h))
}
