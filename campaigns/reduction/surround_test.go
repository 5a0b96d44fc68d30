package reduction

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/sim"
	"ordeal/sim/protocols"
)

// TestSurround reduces a violation that few operations show only with some
// backgrounds, or only in many rounds, to such operations, which fail under most other
// seeds. One that they never show, and one of another simulator, are left to other steps.
func TestSurround(t *testing.T) {
	for name, test := range map[string]struct {
		every uint64 // of so many backgrounds one shows it; 0: none
		seeds uint64 // of quorumSeeds under which few operations fail then; 0: all
		sim   string
		long  bool          // many rounds show it
		runs  int           // the budget
		spent time.Duration // of an hour
		found bool
	}{
		"some":            {every: 5, sim: config.SimGem5, found: true},
		"fewer seeds":     {every: 5, seeds: quorumKept - 1, sim: config.SimGem5, found: true},
		"none":            {sim: config.SimGem5},
		"many rounds":     {sim: config.SimGem5, long: true, found: true},
		"none by quarter": {sim: config.SimGem5, spent: 16 * time.Minute},
		"none by half":    {sim: config.SimGem5, spent: 31 * time.Minute},
		"other simulator": {every: 1, sim: "fake"},
		"small budget":    {every: 1, sim: config.SimGem5, runs: searchRuns - 1},
	} {
		runner := func(_ string, c *config.Config) (sim.Runner, error) {
			shows := test.every > 0 && c.Background > 0 && c.BackgroundSeed%test.every == 0 && c.Stagger > 0 && c.Sync == config.SyncRound
			free := test.long && c.Background == 0 && c.Stagger > 0 && c.Sync == config.SyncFree
			return &fake.Runner{Fault: fake.Stale, When: func(job sim.Job) bool {
				few := job.Program.Ops()*job.Rounds <= surroundedOps
				return shows && (!few || test.seeds == 0 || job.Seed%quorumSeeds < test.seeds) || job.Program.Ops() > 40 ||
					free && job.Rounds >= 30
			}}, nil
		}
		cfg := config.DefaultConfig()
		cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 3, 20, 2, 5
		dir := recordOn(t, test.sim, &fake.Runner{Fault: fake.Stale}, cfg)
		if !test.found {
			s := &reducer{o: Options{Runner: runner, Runs: test.runs}.withDefaults(dir)}
			must.Succeed(t, s.load(t.Context(), dir))
			whole := reduce.Candidate{Program: s.program, Rounds: cfg.Rounds}
			first, err := s.first(t.Context(), &whole)
			must.Succeed(t, err)
			before := s.runs
			if test.spent > 0 {
				s.o.Time, s.started = time.Hour, time.Now().Add(-test.spent)
			}
			found, err := s.surround(t.Context(), &whole, first)
			must.Succeed(t, err)
			want := vainDraws + drawnPrograms
			if test.spent > time.Hour/2 {
				want = drawStep + drawnPrograms
			}
			if test.spent > 0 && (s.runs < before+want || s.runs > before+want+mostShapes) {
				t.Errorf("%s: %d runs, want %d and those of shapes", name, s.runs-before, want)
			}
			if found || whole.Program != s.program || s.spec.Config.Background+s.spec.Config.Stagger > 0 {
				t.Errorf("%s: found %v, with %+v", name, found, s.spec.Config.Gem5)
			}
			continue
		}
		res, err := Reduce(t.Context(), dir, Options{Runner: runner})
		must.Succeed(t, err)
		c := &res.Spec.Config
		if test.long {
			if diff := cmp.Diff([]any{0, config.SyncFree, true, true}, []any{c.Background, c.Sync, c.Rounds >= 30, res.Program.Ops() <= surroundedOps}); diff != "" {
				t.Errorf("%s: background, sync, many rounds, few operations (-want +got):\n%s", name, diff)
			}
			if res.Hits*9 < res.Tries*5 {
				t.Errorf("%s: %d of %d runs fail", name, res.Hits, res.Tries)
			}
			continue
		}
		if diff := cmp.Diff([]any{true, uint64(0), surroundStagger}, []any{c.Background > 0, c.BackgroundSeed % test.every, c.Stagger}); diff != "" {
			t.Errorf("%s: a background, seed, stagger (-want +got):\n%s", name, diff)
		}
		reduced := test.seeds == 0
		if res.After > surroundedOps || res.Hits*9 < res.Tries*5 || (res.After < surroundedOps/2) != reduced {
			t.Errorf("%s: %d operations fail in %d of %d runs:\n%s", name, res.After, res.Hits, res.Tries, res.Program.Text())
		}
		most := searchRuns + 1
		if reduced {
			most += keptRuns + 2*quorumSeeds
		}
		if res.Runs > most {
			t.Errorf("%s: %d runs, more than %d", name, res.Runs, most)
		}
	}
}

// TestShapes makes shapes of threads all of whose operations meet others.
func TestShapes(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y z\nthread 0\nstore x 1\nstore y 2\nthread 1\nload y\nload x\nthread 2\nstore x 3\nthread 3\nload z\nload x\nthread 4\nstore x 11\nstore y 12\nstore x 13\nstore y 14\nstore x 15\nstore y 16\nstore x 17\nstore y 18\nstore x 19\nstore y 20\n"))
	must.Succeed(t, err)
	for _, test := range []struct {
		threads []int
		shared  bool
		wide    []string // its threads
	}{
		{[]int{0, 1}, true, append([]string{"x1 y2 x3 y4"}, slices.Repeat([]string{"y x"}, 8)...)},
		{[]int{0, 2}, false, []string{"x1 y2 x4 y5", "x3"}},
		{[]int{1, 2}, false, append([]string{"y x", "x3"}, slices.Repeat([]string{"y x"}, 7)...)},
		{[]int{1, 3}, false, slices.Repeat([]string{"y x", "z x"}, 5)[:9]},
		{[]int{0, 1, 2}, true, append([]string{"x1 y2 x4 y5", "y x", "x3"}, slices.Repeat([]string{"y x"}, 6)...)},
		{[]int{4, 1}, true, append([]string{"x11 y12 x13 y14 x15 y16 x17 y18 x19 y20", "y x"}, slices.Repeat([]string{"y x"}, 4)...)},
	} {
		var part gen.Program
		part.Layout, part.Locations = p.Layout, p.Locations
		for _, n := range test.threads {
			part.Threads = append(part.Threads, p.Threads[n])
		}
		if got := shared(&part); got != test.shared {
			t.Errorf("threads %v: shared is %v", test.threads, got)
		}
		var got []string
		for _, ops := range wide(&part).Threads {
			var words []string
			for _, op := range ops {
				word := part.Locations[op.Loc]
				if op.Kind == gen.Store {
					word += fmt.Sprint(op.Value)
				}
				words = append(words, word)
			}
			got = append(got, strings.Join(words, " "))
		}
		if diff := cmp.Diff(test.wide, got); diff != "" {
			t.Errorf("threads %v, wide (-want +got):\n%s", test.threads, diff)
		}
		must.Succeed(t, wide(&part).ValidateRounds(4))
	}
	if got := subsets([]int{3}); len(got) != 1 || !slices.Equal(got[0], []int{3}) {
		t.Errorf("subsets of one thread: %v", got)
	}
	want := [][]int{{4, 5}, {4, 7}, {5, 7}, {4, 5, 7}}
	if got := subsets([]int{4, 5, 7}); !slices.EqualFunc(want, got, slices.Equal) {
		t.Errorf("subsets %v, want %v", got, want)
	}
}

// TestCycles lists the cycles of witnesses: of the message that two threads pass,
// beside operations that only show the order of others; of the store buffer last.
func TestCycles(t *testing.T) {
	const x, y, z = 0, 1, 2
	store := func(thread gen.ThreadID, number int, loc gen.LocID) diagnose.Operation {
		return diagnose.Operation{Thread: thread, Number: number, Loc: loc, Writes: true}
	}
	load := func(thread gen.ThreadID, number int, loc gen.LocID) diagnose.Operation {
		return diagnose.Operation{Thread: thread, Number: number, Loc: loc, Reads: true}
	}
	for _, test := range []struct {
		ops  []diagnose.Operation
		want []reduce.Hint
	}{
		{[]diagnose.Operation{store(0, 5, x), load(0, 7, x), load(0, 8, y), load(0, 9, z), store(2, 1, z), store(2, 2, x), store(2, 3, y)}, []reduce.Hint{
			{{7, 9}, nil, {1, 2}}, // x before z here, z before x there
			{{8, 9}, nil, {1, 3}},
			{{5, 9}, nil, {1, 2}}, // a store before a load
		}},
		{[]diagnose.Operation{store(0, 0, x), load(0, 1, y), store(1, 0, y), load(1, 1, x)}, []reduce.Hint{{{0, 1}, {0, 1}}}},
		{[]diagnose.Operation{load(0, 0, x), load(0, 1, y), load(1, 0, y), load(1, 1, x)}, nil}, // no store
		{[]diagnose.Operation{store(0, 0, x), store(0, 1, y), load(1, 0, x), load(1, 1, y)}, nil},
		{[]diagnose.Operation{store(0, 0, x), store(0, 1, x), load(1, 0, x), load(1, 1, x)}, nil},
	} {
		threads := 0
		for _, op := range test.ops {
			threads = max(threads, int(op.Thread)+1)
		}
		if diff := cmp.Diff(test.want, cycles(test.ops, threads)); diff != "" {
			t.Errorf("%v: hints (-want +got):\n%s", test.ops, diff)
		}
	}
	var many []diagnose.Operation
	for n := range 4 {
		many = append(many, store(0, n, gen.LocID(n)), store(1, n, gen.LocID(3-n)))
	}
	if got := cycles(many, 2); len(got) != mostCycles {
		t.Errorf("%d cycles, want %d", len(got), mostCycles)
	}
}

// TestReproducing takes the shape that a mutant of the tree's protocol makes fail on
// the embedded simulator, and none where there is no such protocol.
func TestReproducing(t *testing.T) {
	tree := t.TempDir()
	must.Succeed(t, os.CopyFS(filepath.Join(tree, protocols.Folder), protocols.Files()))
	var shapes []*gen.Program
	for _, text := range []string{
		"ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nload x\nthread 1\nstore y 2\nload y\n",
		"ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nstore y 2\nthread 1\nload y\nload x\nthread 2\nload y\nload x\n",
	} {
		p, err := gen.Parse("p", []byte(text))
		must.Succeed(t, err)
		shapes = append(shapes, p)
	}
	s := &reducer{identity: Identity{Model: "tso"}, spec: &run.Spec{Config: config.DefaultConfig(), Timeout: config.Duration(time.Minute)}}
	models, err := config.ParseModels("tso")
	must.Succeed(t, err)
	s.check.Models = models
	c := &s.spec.Config
	c.Tree, c.Protocol, c.CPU = tree, "MI_example", "o3"
	for mutant, want := range map[string][]*gen.Program{
		"MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu": shapes[1:], "": nil, "nonsense": nil,
	} {
		c.Mutant = mutant
		got, err := s.reproducing(t.Context(), shapes)
		must.Succeed(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("mutant %q: %d shapes, want %d", mutant, len(got), len(want))
		}
	}
	c.Tree, c.Mutant = t.TempDir(), ""
	if got, err := s.reproducing(t.Context(), shapes); err != nil || got != nil {
		t.Errorf("without the protocol: %d shapes, %v", len(got), err)
	}
}

// TestSettings draws settings that differ, the first of them without a background.
func TestSettings(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nthread 1\nload x\n"))
	must.Succeed(t, err)
	seeds := map[uint64]int{}
	for draw := range mostDraws {
		for _, s := range settings([]*gen.Program{p, p}, 8, draw) {
			seeds[s.around.Seed]++
		}
	}
	if diff := cmp.Diff([]int{2*drawn - 2 + 1, 2}, []int{len(seeds), seeds[0]}); diff != "" {
		t.Errorf("seeds, settings without a background (-want +got):\n%s", diff)
	}
}

// TestCount counts seeds under which a candidate fails, to the last one where they
// can still be enough, and no further where they cannot.
func TestCount(t *testing.T) {
	const all = 1<<quorumSeeds - 1
	for fails, want := range map[int]struct{ least, hits, first, runs int }{
		all:          {least: 9, hits: 9, first: 0, runs: 9},
		all << 1:     {least: 8, hits: 8, first: 1, runs: 9},
		all << 2:     {least: 7, hits: 7, first: 2, runs: 9},
		1 << 8:       {least: 1, hits: 1, first: 8, runs: 9},
		0b101_000001: {least: 3, hits: 3, first: 0, runs: 9},
		0b1:          {least: 3, hits: 1, first: 0, runs: 8}, // the last cannot make it three
		0:            {least: 7, hits: 0, first: -1, runs: 3},
	} {
		var from uint64
		runner := &batching{}
		s, c := gem5Reducer(t, runner, func(seed uint64) bool { return fails>>(seed-from)&1 != 0 })
		from = s.best + freshSeeds
		r, err := s.runner(&c)
		must.Succeed(t, err)
		hits, seed, err := s.count(t.Context(), r, &c, want.least)
		must.Succeed(t, err)
		first := -1
		if hits > 0 {
			first = int(seed - from)
		}
		// Runs are made as many at a time as there are processors.
		width := s.width()
		runs := min((want.runs+width-1)/width*width, quorumSeeds)
		if diff := cmp.Diff([]int{want.hits, want.first, runs}, []int{hits, first, s.runs}); diff != "" {
			t.Errorf("%b, at least %d: hits, first seed, runs (-want +got):\n%s", fails, want.least, diff)
		}
		if s.next != quorumSeeds {
			t.Errorf("%b: the next seed is %d later, want %d", fails, s.next, quorumSeeds)
		}
	}
}

// TestSurroundAgents leaves programs of gem5's tester alone: backgrounds are of executables. The
// tester's cores draw from the seed if they have store buffers.
func TestSurroundAgents(t *testing.T) {
	whole := &reduce.Candidate{Rounds: 1, Program: &gen.Program{Layout: gen.Spread, Locations: []string{"x"}, Threads: [][]gen.Op{slices.Repeat([]gen.Op{{Kind: gen.Load}}, 2*surroundedOps)}}}
	for agent, seedless := range map[string]bool{"inorder": true, "tso": false, "ooo": false} {
		s := &reducer{identity: Identity{Model: "tso"}, spec: &run.Spec{Sim: config.SimGem5, Config: config.DefaultConfig()}}
		s.spec.Config.Agent = agent
		if done, err := s.surround(t.Context(), whole, nil); done || err != nil {
			t.Errorf("%s: %v, %v", agent, done, err)
		}
		if s.seedless() != seedless {
			t.Errorf("%s: seedless is %v", agent, !seedless)
		}
	}
}
