package reduction

import (
	"bytes"
	"context"
	"errors"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/litmus"
	"ordeal/sim"
)

// record executes runs on cores with an injected bug until one fails, and
// returns its directory.
func record(t *testing.T, core, bug string) run.Dir {
	t.Helper()
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 4, 60, 6, 10
	cfg.Machine = config.Machine{Core: core, Protocol: "ideal-cached", CoreBugs: []string{bug}, StoreBuffer: 8, Window: 8}
	if core == "" {
		cfg.Machine = config.Machine{}
	}
	runner, err := run.NewRunner(config.SimBuiltin, &cfg)
	must.Succeed(t, err)
	return recordOn(t, config.SimBuiltin, runner, cfg)
}

func recordOn(t *testing.T, simulator string, runner sim.Runner, cfg config.Config) run.Dir {
	t.Helper()
	models, err := cfg.Models()
	must.Succeed(t, err)
	executor := run.Executor{Runner: runner, Check: run.CheckOptions{Models: models}}
	for number := range 50 {
		p, err := cfg.Programs.Program(5, number)
		must.Succeed(t, err)
		dir := run.Dir(filepath.Join(t.TempDir(), "run"))
		done, err := executor.Run(t.Context(), dir, p, &run.Spec{
			Seed: 5, Number: number, Sim: simulator, Config: cfg, Timeout: config.Duration(time.Minute),
		})
		must.Succeed(t, err)
		must.Succeed(t, dir.Finish(done))
		if done.Failed() {
			return dir
		}
	}
	t.Fatal("nothing fails")
	return ""
}

// TestReduce reduces failures of injected bugs of cores to the programs that the
// bugs need: message passing for loads and stores out of order, store buffering
// with fences or atomics, and less for a wrong forwarding.
func TestReduce(t *testing.T) {
	for bug, most := range map[string]int{
		"buffer-out-of-order": 4, "load-not-squashed": 4, "forward-oldest": 3, "fence-no-drain": 6, "split-rmw": 3,
	} {
		dir := record(t, "ooo", bug)
		before := listing(t, dir)
		res, err := Reduce(t.Context(), dir, Options{})
		if err != nil {
			t.Errorf("%s: %v", bug, err)
			continue
		}
		if res.After > most {
			t.Errorf("%s: %d operations left, want at most %d:\n%s", bug, res.After, most, res.Program.Text())
		}
		if diff := cmp.Diff([]any{true, true, 1}, []any{res.Minimal, res.Hits > 0, res.Spec.Config.Rounds}); diff != "" {
			t.Errorf("%s: minimal, hits, rounds (-want +got):\n%s", bug, diff)
		}
		if got := listing(t, dir); got != before {
			t.Errorf("%s: the recorded run was changed:\n%s\n%s", bug, before, got)
		}
		again, err := Reduce(t.Context(), dir, Options{})
		must.Succeed(t, err)
		if diff := cmp.Diff([]any{string(res.Program.Text()), res.Runs}, []any{string(again.Program.Text()), again.Runs}); diff != "" {
			t.Errorf("%s: program and runs of the same reduction differ (-first +second):\n%s", bug, diff)
		}
		checkWritten(t, res, bug)
	}
}

// listing is what a directory holds.
func listing(t *testing.T, dir run.Dir) string {
	t.Helper()
	entries, err := os.ReadDir(string(dir))
	must.Succeed(t, err)
	var sb strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(string(dir), e.Name()))
		must.Succeed(t, err)
		sb.WriteString(e.Name() + " " + string(data) + "\n")
	}
	return sb.String()
}

// shownOp is an operation with its letter, as text and pictures name it.
var shownOp = regexp.MustCompile(`\b[a-z]+: ((M\[|sync|\{)[^"<\n]*?)(  |"|<|\n)`)

// checkShown demands that the text, both pictures and core.axe of a result show
// the same operations, by the same letters, and that all are of its log.
func checkShown(t *testing.T, dir run.Dir, model string) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(string(dir), name))
		must.Succeed(t, err)
		return html.UnescapeString(string(text))
	}
	ops := func(text string) []string {
		var list []string
		for _, m := range shownOp.FindAllStringSubmatch(text, -1) {
			list = append(list, strings.TrimSpace(strings.TrimRight(m[0], "\"<\n")))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	want := ops(read("witness-" + model + ".txt"))
	if len(want) < 2 {
		t.Errorf("%s: the text shows %q", dir, want)
	}
	history, core := read("history.axe"), read("core.axe")
	for _, op := range want {
		_, op, _ := strings.Cut(op, ": ")
		if !strings.Contains(history, ": "+op+"\n") || !strings.Contains(core, ": "+op+"\n") {
			t.Errorf("%s: %q is shown and not in the log or not in core.axe", dir, op)
		}
	}
	for _, name := range []string{"witness.svg", "witness.dot"} {
		if diff := cmp.Diff(want, ops(read(name))); diff != "" {
			t.Errorf("%s: %s (-text +picture):\n%s", dir, name, diff)
		}
	}
}

// checkWritten writes a result and repeats it from its directory alone.
func checkWritten(t *testing.T, res *Result, bug string) {
	t.Helper()
	out := run.Dir(filepath.Join(t.TempDir(), "reduced"))
	must.Succeed(t, res.Write(t.Context(), out, []string{"test"}))
	report, err := Repeat(t.Context(), out, RepeatOptions{Tries: 2})
	must.Succeed(t, err)
	if report.Hits != 2 || report.LogsSame != 2 {
		t.Errorf("%s: %d hits and %d equal logs in 2 repetitions", bug, report.Hits, report.LogsSame)
	}
	for _, name := range []string{"program.c", "program.litmus", "program.elf", "history.axe"} {
		if info, err := os.Stat(filepath.Join(string(out), name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %s: %v", bug, name, err)
		}
	}
	if res.Identity.Model == "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(string(out), "program.litmus"))
	must.Succeed(t, err)
	if !bytes.Contains(text, []byte("lock addl")) { // which returns nothing there that a condition could name
		if !bytes.Contains(text, []byte("exists (")) {
			t.Errorf("%s: no condition:\n%s", bug, text)
		}
		checkCondition(t, res, bug, text)
	}
	checkShown(t, out, res.Identity.Model)
	f, err := os.Open(filepath.Join(string(out), "core.axe"))
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	trace, err := axe.NewReader(f, "core.axe").Next()
	if err != nil {
		t.Errorf("%s: core.axe: %v", bug, err)
		return
	}
	models, err := config.ParseModels(res.Identity.Model)
	must.Succeed(t, err)
	v, err := check.Check(t.Context(), trace.History, models[0], check.Options{})
	if err != nil || v.Answer != check.Forbidden {
		t.Errorf("%s: core.axe is %v under %s (%v)", bug, v.Answer, res.Identity.Model, err)
	}
}

// checkCondition enumerates the outcomes of a litmus test that the model allows:
// its condition holds in none.
func checkCondition(t *testing.T, res *Result, bug string, text []byte) {
	t.Helper()
	machine, err := outcomes.Parse(res.Identity.Model)
	must.Succeed(t, err)
	test, err := litmus.Parse("program.litmus", text)
	if err != nil {
		t.Fatalf("%s: %v", bug, err)
	}
	list, err := outcomes.Enumerate(test.Program, machine, 1<<20)
	must.Succeed(t, err)
	for _, o := range list {
		if s := test.State(o.Reads, o.Final); s.Holds() {
			t.Errorf("%s: %s reaches %s of\n%s", bug, res.Identity.Model, s, text)
		}
	}
}

// TestSizes reduces a machine that is larger than the failure needs.
// A device is beside the threads, and takes no core of the four.
func TestSizes(t *testing.T) {
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds, cfg.Layout = "a", 4, 60, 6, 10, gen.Spread
	cfg.DMA = 1
	cfg.Machine = config.Machine{
		Core: "ooo", Protocol: "mi", Cores: 4, PrivateCache: "4x2", Window: 32, StoreBuffer: 8,
		Mutant: "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu",
	}
	runner, err := run.NewRunner(config.SimBuiltin, &cfg)
	must.Succeed(t, err)
	res, err := Reduce(t.Context(), recordOn(t, config.SimBuiltin, runner, cfg), Options{})
	must.Succeed(t, err)
	m := res.Spec.Config.Machine
	if diff := cmp.Diff([]any{0, "", true}, []any{m.Cores, m.PrivateCache, m.Mutant != ""}); diff != "" {
		t.Errorf("cores, private cache, has mutant (-want +got):\n%s", diff)
	}
	if m.Window > 8 || m.StoreBuffer > 2 {
		t.Errorf("window %d, store buffer %d, want at most 8 and 2", m.Window, m.StoreBuffer)
	}
}

// unreliable fails on one run in three.
type unreliable struct {
	fake.Runner
	runs int
}

func (u *unreliable) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	u.Fault = fake.None
	if u.runs++; u.runs%3 == 1 {
		u.Fault = fake.Crash
	}
	return u.Runner.Run(ctx, job)
}

// TestUnreliable reduces a crash of one run in three, and measures its rate.
func TestUnreliable(t *testing.T) {
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 3, 20, 2, 5
	dir := recordOn(t, "fake", &unreliable{}, cfg)
	runner := &unreliable{}
	res, err := Reduce(t.Context(), dir, Options{Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil }})
	must.Succeed(t, err)
	if diff := cmp.Diff([]int{1, reliabilityTries}, []int{res.After, res.Tries}); diff != "" {
		t.Errorf("operations left, tries (-want +got):\n%s", diff)
	}
	if res.Hits < res.Tries/4 || res.Hits > res.Tries/2 {
		t.Errorf("%d hits of %d, want a third", res.Hits, res.Tries)
	}
}

// TestBudget returns the best program so far when the runs are used up or the
// reduction is interrupted.
func TestBudget(t *testing.T) {
	dir := record(t, "ooo", "load-not-squashed")
	whole, err := Reduce(t.Context(), dir, Options{})
	must.Succeed(t, err)
	res, err := Reduce(t.Context(), dir, Options{Runs: 3})
	must.Succeed(t, err)
	if res.Minimal || res.Runs > 3 {
		t.Errorf("minimal %v after %d runs, want false after at most 3", res.Minimal, res.Runs)
	}
	if res.After < whole.After {
		t.Errorf("%d operations left, without the limit %d", res.After, whole.After)
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err = Reduce(ctx, dir, Options{OnProgress: func(Progress) { cancel() }})
	must.Succeed(t, err)
	if diff := cmp.Diff([]any{false, 0, sim.Violation}, []any{res.Minimal, res.Tries, res.Run.Outcome}); diff != "" {
		t.Errorf("interrupted: minimal, tries, outcome (-want +got):\n%s", diff)
	}
	if res.After >= res.Before {
		t.Errorf("interrupted: %d operations left of %d", res.After, res.Before)
	}
}

// TestReduceRefusals has run directories that cannot be reduced.
func TestReduceRefusals(t *testing.T) {
	dir := record(t, "ooo", "split-rmw")
	remove := func(name string) func() error {
		return func() error { return os.Remove(filepath.Join(string(dir), name)) }
	}
	good := func(string, *config.Config) (sim.Runner, error) { return &fake.Runner{}, nil }
	absent := func(string, *config.Config) (sim.Runner, error) { return &fake.Runner{Fault: fake.Absent}, nil }
	for _, row := range []struct {
		corrupt func() error
		o       Options
		want    string
	}{
		{nil, Options{Runner: good}, "does not fail any more"},
		{nil, Options{Runner: absent}, "cannot be repeated: cannot start: no such simulator"},
		{remove(run.ResultFile), Options{}, "did not end"},
		{func() error {
			spec, err := dir.Spec()
			if err != nil {
				return err
			}
			p, err := dir.Program(spec)
			if err != nil {
				return err
			}
			p.Threads[0] = append(p.Threads[0], gen.Op{Kind: gen.FullFence})
			return os.WriteFile(filepath.Join(string(dir), run.ProgramFile), p.Text(), 0o644)
		}, Options{}, "not the recorded program"},
		{remove(run.ProgramFile), Options{}, "program.txt"},
		{remove(run.SpecFile), Options{}, "run.json"},
	} {
		if row.corrupt != nil {
			must.Succeed(t, row.corrupt())
		}
		if _, err := Reduce(t.Context(), dir, row.o); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("error is %v, want %q", err, row.want)
		}
	}
}

// The rounds after the refutation are cut off in one run, and runs at a time give
// the seed that runs one by one would.
func TestCutAndWidth(t *testing.T) {
	dir := recordFake(t, &fake.Runner{Fault: fake.Stale})
	spec, p, _, err := dir.Recorded()
	must.Succeed(t, err)
	failing := map[uint64]bool{spec.Seed: true, spec.Seed + 3: true, spec.Seed + 4: true}
	runner := &fake.Runner{Fault: fake.Stale, When: func(job sim.Job) bool { return failing[job.Seed] }}
	s := &reducer{
		o: Options{Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil }}.withDefaults(dir), started: time.Now(),
	}
	must.Succeed(t, s.load(t.Context(), dir))
	whole := reduce.Candidate{Program: p, Rounds: spec.Config.Rounds}
	first, err := s.first(t.Context(), &whole)
	must.Succeed(t, err)
	last := lastRound(p, first)
	if last < 0 || last >= whole.Rounds {
		t.Fatalf("the refutation ends in round %d of %d", last, whole.Rounds)
	}
	runs, rounds := s.runs, whole.Rounds
	_, err = s.cut(t.Context(), &whole, first)
	must.Succeed(t, err)
	if last+1 < rounds && (whole.Rounds != last+1 || s.runs != runs+1) {
		t.Errorf("%d rounds are left after %d runs, want %d after 1", whole.Rounds, s.runs-runs, last+1)
	}

	delete(failing, spec.Seed)
	for _, simulator := range []string{"fake", config.SimGem5} {
		s.spec.Sim, s.spec.Config.Stagger, s.seed = simulator, 1, 0
		hit, err := s.fails(t.Context(), &whole)
		must.Succeed(t, err)
		if !hit || s.seed != spec.Seed+3 {
			t.Errorf("%s: hit %v with seed %d, want %d", simulator, hit, s.seed, spec.Seed+3)
		}
	}
	s.o.Runs = s.runs
	if _, err := s.fails(t.Context(), &whole); !errors.Is(err, reduce.ErrBudget) {
		t.Errorf("without a budget: %v", err)
	}
}

// TestReduceExclusives: a store-conditional that should have failed. The litmus test
// asks for its success and for what its load-linked read.
func TestReduceExclusives(t *testing.T) {
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 3, 30, 2, 10
	cfg.ISA, cfg.Mix, cfg.Expect = gen.AArch64, gen.Mix{Load: 4, Store: 4, Pair: 4}, "armv8"
	cfg.Machine = config.Machine{Core: "arm", CoreBugs: []string{"reservation-ignored"}}
	runner, err := run.NewRunner(config.SimBuiltin, &cfg)
	must.Succeed(t, err)
	res, err := Reduce(t.Context(), recordOn(t, config.SimBuiltin, runner, cfg), Options{})
	must.Succeed(t, err)
	var text bytes.Buffer
	must.Succeed(t, res.litmus(t.Context(), &text))
	reads := regexp.MustCompile(`[01]:X4=0 /\\ [01]:X5=0 /\\ `)
	if res.After != 3 || !strings.Contains(text.String(), "STXR") || !reads.MatchString(text.String()) {
		t.Errorf("%d operations\n%s\n%s", res.After, res.Program.Text(), text.String())
	}
	if forbidden, err := res.forbids(t.Context(), text.Bytes()); !forbidden || err != nil {
		t.Errorf("forbidden: %v, %v", forbidden, err)
	}
	weaker := reads.ReplaceAllString(text.String(), "")
	if forbidden, err := res.forbids(t.Context(), []byte(weaker)); forbidden || err != nil {
		t.Errorf("%s: forbidden: %v, %v", weaker, forbidden, err)
	}
}
