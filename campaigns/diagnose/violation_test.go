package diagnose_test

import (
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
)

// bug is a configuration of the catalogue.
func bug(t *testing.T, name string) *config.Config {
	t.Helper()
	return ready(t, "injected.yaml", name)
}

// ready is a configuration of a ready-made campaign.
func ready(t *testing.T, campaign, name string) *config.Config {
	t.Helper()
	c, err := config.Ready(campaign)
	must.Succeed(t, err)
	i := slices.IndexFunc(c.Configs, func(cfg config.Config) bool { return cfg.Name == name })
	if i < 0 {
		t.Fatalf("%s has no %s", campaign, name)
	}
	return &c.Configs[i]
}

// titles counts the titles of the first failures among runs of seeds from 1.
func titles(t *testing.T, cfg *config.Config, failures, seeds int) map[string]int {
	t.Helper()
	runner, err := run.NewRunner(config.SimBuiltin, cfg)
	must.Succeed(t, err)
	expected, _ := model.ByName(cfg.Expect)
	x := run.Executor{Runner: runner, Check: run.CheckOptions{Models: []model.Model{expected}}}
	found := make(map[string]int)
	for seed := uint64(1); failures > 0 && seed <= uint64(seeds); seed++ {
		p, err := cfg.Program(seed, 0)
		must.Succeed(t, err)
		job := sim.Job{Program: p, Rounds: cfg.Rounds, Seed: seed}
		simulated, err := runner.Run(t.Context(), job)
		must.Succeed(t, err)
		r, err := x.Evaluate(t.Context(), job, &simulated)
		must.Succeed(t, err)
		if r.Failed() {
			found[r.FindingTitle()]++
			failures--
		}
	}
	return found
}

// TestNotification has mutants that lose a notification of the load queue in one
// transition: the signature is that transition, which the mutant's name says. It is
// so where the load was forwarded, too, as in the third violation of
// mi-replacement-without-notice.
func TestNotification(t *testing.T) {
	for _, name := range []string{
		"mi-forward-without-notice", "mi-replacement-without-notice", "mesi-invalidation-of-a-sharer-without-notice",
		"mesi-invalidation-of-an-upgrade-without-notice", "mesi-forward-of-a-line-without-notice", "hammer-loss-of-a-copy-without-notice",
	} {
		cfg := bug(t, name)
		parts := strings.Split(cfg.Mutant, "/")
		want := "load not repeated after " + parts[1] + parts[2]
		if found := titles(t, cfg, 3, 60); found[want] != 3 {
			t.Errorf("%s: %v, want 3 of %s", cfg.Mutant, found, want)
		}
	}
}

// TestNotAtomic has cores whose read-modify-writes are a load and a store that another store may
// separate.
func TestNotAtomic(t *testing.T) {
	found := titles(t, bug(t, "core-split-rmw"), 3, 60)
	for title := range found {
		if !strings.HasPrefix(title, "atomic operation torn apart ") {
			t.Errorf("%s, want an atomic operation that is torn apart", title)
		}
	}
	if len(found) == 0 {
		t.Error("no run fails")
	}
}

// TestPlace has mutants of which follows what a violation looks like.
func TestPlace(t *testing.T) {
	for name, want := range map[string]string{
		// The only state in which data that was overtaken is read.
		"mesi-overtaken-data-read": "overtaken data read in L1Cache(IS_I)",
		// The second level ignores the data of a replaced line.
		"mesi-put-without-data": "value lost after L1_Replacement in L1Cache",
		// An invalidated sharer goes on to read.
		"mesi-sharer-keeps-its-copy": "stale copy after L1Cache(S,Inv)",
		// An owner that hands its line over goes on to read.
		"mi-owner-keeps-its-copy": "stale copy after L1Cache(M,Fwd_GETX)",
		// The directory forgets a sharer, which is not invalidated.
		"mesi-reader-of-an-owner-not-listed-data-first": "stale copy in L1Cache(S)",
		// A cache drops the data of a store miss. The first access of the location that
		// shows it is a hit, but the line came after the write.
		"mi-store-into-nothing": "value lost after Fwd_GETX in L1Cache",
		// The other core of a pair writes the line, and this one is not notified.
		"amd-store-of-the-sibling-without-notice": "load not repeated after CorePair(Mn,Cn_Store_L1miss)",
	} {
		cfg := bug(t, name)
		if found := titles(t, cfg, 1, 150); found[want] != 1 {
			t.Errorf("%s: %v, want %s", name, found, want)
		}
	}
}

// TestOvertaken has loads whose line was lost before it was brought. The core has
// no line to lose afterwards, which once made four findings of this fault.
func TestOvertaken(t *testing.T) {
	want := "overtaken data read in L1Cache(IS_I)"
	if found := titles(t, bug(t, "mesi-overtaken-data-read"), 6, 200); found[want] != 6 {
		t.Errorf("%v, want 6 of %s", found, want)
	}
}

// TestStoreOrder has stores that leave the store buffer out of order. Loads
// overtake stores, as they may: that is not what is wrong.
func TestStoreOrder(t *testing.T) {
	want := "store performed before an earlier store"
	if found := titles(t, bug(t, "core-buffer-out-of-order"), 10, 60); found[want] != 10 {
		t.Errorf("%v, want 10 of %s", found, want)
	}
}

// TestNotNotified has cores that repeat no load when they lose its line, as those
// of Arm and RISC-V: the signature of their violations is no transition of the
// protocol, which is right.
func TestNotNotified(t *testing.T) {
	for _, name := range []string{"arm-dependency-ignored", "riscv-dependency-ignored", "riscv-fence-too-weak"} {
		found := titles(t, ready(t, "isa.yaml", name), 4, 100)
		count := 0
		for title, n := range found {
			count += n
			if strings.Contains(title, "L1Cache") {
				t.Errorf("%s: %s", name, title)
			}
		}
		if count != 4 {
			t.Errorf("%s: %v, want 4 violations", name, found)
		}
	}
}

// TestShape has message passing, with a forwarded store, a fence and an atomic,
// a history of single accesses, and threads that read one location or two.
func TestShape(t *testing.T) {
	read := func(x int32) parse.Op { return parse.Op{Kind: parse.Read, Loc: x, RF: parse.Init} }
	write := func(x int32, v int64) parse.Op { return parse.Op{Kind: parse.Write, Loc: x, Write: gen.Value(v)} }
	h := &parse.History{
		Locations: []string{"x", "y"}, ThreadNames: []string{"a", "b", "c"},
		Ops: []parse.Op{
			write(0, 1), read(1), read(0),
			write(0, 2), {Kind: parse.Fence, Loc: -1}, {Kind: parse.RMW, Loc: 1, Write: 3, RF: parse.Init},
			read(0),
		},
		Start: []parse.OpID{0, 3, 6, 7},
	}
	if got := diagnose.Shape(h); got != "RR|WW" {
		t.Errorf("%s, want RR|WW", got)
	}
	h.Start = []parse.OpID{0, 1, 2, 3}
	h.Ops = h.Ops[:3]
	if got := diagnose.Shape(h); got != "coherence" {
		t.Errorf("%s, want coherence", got)
	}
	// Four reads of two threads are independent reads of independent writes, or
	// two reads of one location, which are another bug.
	h.Start = []parse.OpID{0, 2, 4, 4}
	for x, want := range map[int32]string{0: "RRs", 1: "RR"} {
		h.Ops = []parse.Op{read(0), read(x), read(x), read(0)}
		if got := diagnose.Shape(h); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
