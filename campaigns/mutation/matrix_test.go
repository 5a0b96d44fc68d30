package mutation

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/lab"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

var soak = flag.Bool("soak", false, "catch every bug of the catalogue")

// options of a small campaign on the MI protocol.
func options(t testing.TB, names ...string) Options {
	t.Helper()
	o := Options{Cores: []core.Kind{core.OOO}, Seed: 1, Budget: 3000, Seeds: 2, Generators: Generators(), Machines: Machines(), Workers: 2}
	for _, name := range names {
		target, err := Embedded(name)
		must.Succeed(t, err)
		o.Targets = append(o.Targets, target)
	}
	return o
}

// only accepts mutants by name.
func only(ids ...string) func(*mutate.Mutant) bool {
	return func(m *mutate.Mutant) bool {
		for _, id := range ids {
			if m.ID == id {
				return true
			}
		}
		return false
	}
}

func measure(t *testing.T, o Options) []Result {
	t.Helper()
	results, err := Run(t.Context(), o)
	must.Succeed(t, err)
	return results
}

// TestKnown runs mutants whose status is known from the literature or from reading.
func TestKnown(t *testing.T) {
	const (
		lost   = "MI_example/L1Cache/(IM,Data)/swap:u_writeDataToCache,sx_store_hit" // the store is overwritten
		unseen = "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu"      // loads stay that are too old
		// The example of Zennou et al., CAV 2019: the second action only counts.
		control = "MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit"
		gone    = "MI_example/L1Cache/(IM,Data)/delete"
	)
	o := options(t, "mi")
	o.Cores = []core.Kind{core.InOrder, core.OOO}
	o.Budget = 20_000
	o.Accept = only(lost, unseen, control, gone)
	by := map[[2]string]string{}
	for _, r := range measure(t, o) {
		status := "survived"
		if r.Equivalent != "" {
			status = "equivalent"
		} else if r.Killed() {
			for _, s := range r.Seeds {
				if s.Killed {
					status = s.By
				}
			}
		}
		by[[2]string{r.Mutant, r.Core}] = status
	}
	want := map[[2]string]string{
		{lost, "inorder"}: "violation", {lost, "ooo"}: "violation",
		{unseen, "inorder"}: "equivalent", {unseen, "ooo"}: "violation",
		{control, "inorder"}: "equivalent", {control, "ooo"}: "equivalent",
		{gone, "inorder"}: "crash", {gone, "ooo"}: "crash",
	}
	if diff := cmp.Diff(want, by); diff != "" {
		t.Errorf("statuses differ (-want +got):\n%s", diff)
	}
}

// TestDevices runs mutants of the machine for devices, which one family of programs has. A
// protocol without that machine is not run with it.
func TestDevices(t *testing.T) {
	const silent, busy = "MI_example/DMA/(I,Write)/drop:a_issueGETX", "MI_example/DMA/(I,Read)/next:stay"
	o := options(t, "mi", "moesi-amd-base")
	o.Cores, o.Seeds, o.Budget, o.Accept = []core.Kind{core.TSO}, 1, 5000, only(silent, busy)
	by := map[string]string{}
	for _, r := range measure(t, o) {
		by[r.Mutant] = r.Seeds[0].By
	}
	if diff := cmp.Diff(map[string]string{silent: "deadlock", busy: "crash"}, by); diff != "" {
		t.Errorf("how the mutants fail differs (-want +got):\n%s", diff)
	}
}

// TestEquivalent runs mutants that are known to be equivalent: none is killed.
func TestEquivalent(t *testing.T) {
	names := protocols.Names()
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		o := options(t, name)
		o.Cores, o.Equivalent, o.Seeds = []core.Kind{core.TSO, core.OOO}, true, 1
		o.Accept = func(m *mutate.Mutant) bool {
			return equivalent(m, core.TSO) != ""
		}
		o.Sample = 12
		if *soak {
			o.Cores, o.Sample, o.Budget, o.Runs = []core.Kind{core.InOrder, core.TSO, core.OOO}, 0, 100_000, 15
		}
		ran := 0
		for _, r := range measure(t, o) {
			if r.Equivalent != "" && r.Killed() {
				t.Errorf("%s on %s cores is killed by %s: %s, though %s", r.Mutant, r.Core, r.Seeds[0].By, r.Seeds[0].Title, r.Equivalent)
			}
			ran += len(r.Seeds)
		}
		if ran < 20 {
			t.Errorf("%s: only %d runs", name, ran)
		}
	}
}

// TestShortcut compares results with and without the runs that do not take the
// mutated transition.
func TestShortcut(t *testing.T) {
	o := options(t, "mi")
	o.Sample = 60
	m := &matrix{o: o}
	p, of, err := o.Targets[0].read()
	must.Succeed(t, err)
	baselines, err := m.baselines(t.Context(), &o.Targets[0])
	must.Succeed(t, err)
	skipped := 0
	for _, mutant := range m.choose(p) {
		compile := func() (*ruby.Protocol, error) { return ruby.Compile(p.Tree(mutant)) }
		short, err := m.measure(t.Context(), of, baselines[0], &mutant, compile)
		must.Succeed(t, err)
		if short.Equivalent != "" {
			continue
		}
		edited := mutant
		edited.State = ""
		long, err := m.measure(t.Context(), nil, baselines[0], &edited, compile)
		must.Succeed(t, err)
		if short.Taken >= 0 && short.Taken < 1000 {
			skipped++
		}
		if diff := cmp.Diff(long, short, cmpopts.IgnoreFields(Result{}, "Taken"), cmpopts.IgnoreFields(Trial{}, "Elapsed")); diff != "" {
			t.Errorf("%s (-all runs +shortcut):\n%s", mutant.ID, diff)
		}
	}
	if skipped < 5 {
		t.Errorf("only %d mutants of rare transitions", skipped)
	}
}

// TestResume interrupts a campaign and cuts the last line of its results: each
// mutant is measured once, and the results are those without an interruption.
func TestResume(t *testing.T) {
	o := options(t, "mi")
	o.Sample = 40
	whole := measure(t, o)
	path := filepath.Join(t.TempDir(), MatrixFile)
	for part := range 3 {
		var err error
		o.Stored, err = lab.Open[Result](path)
		must.Succeed(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		o.OnResult = func(r Result) {
			if n++; part < 2 && n == 12*(part+1) {
				cancel()
			}
		}
		results, err := Run(ctx, o)
		cancel()
		if part < 2 && !errors.Is(err, context.Canceled) || part == 2 && err != nil {
			t.Fatalf("part %d ends with %v", part, err)
		}
		must.Succeed(t, o.Stored.Close())
		if part == 2 {
			if diff := cmp.Diff(whole, results, cmpopts.IgnoreFields(Trial{}, "Elapsed")); diff != "" {
				t.Errorf("in parts it differs (-whole +parts):\n%s", diff)
			}
			break
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must.Succeed(t, err)
		if _, err := f.WriteString(`{"case":"MI_example/L1Cache/`); err != nil {
			t.Fatal(err)
		}
		must.Succeed(t, f.Close())
	}
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	entries, err := lab.Parse[Result](path, text)
	must.Succeed(t, err)
	measured := map[string]int{}
	for _, e := range entries {
		if measured[e.Name]++; measured[e.Name] > 1 {
			t.Errorf("%s is measured %d times", e.Name, measured[e.Name])
		}
	}
	if len(measured) != len(whole) {
		t.Errorf("%d measured of %d", len(measured), len(whole))
	}
	one, err := o.depends(&o.Targets[0])
	must.Succeed(t, err)
	o.Budget++
	if other, err := o.depends(&o.Targets[0]); err != nil || other == one {
		t.Errorf("results with another budget are the same: %v", err)
	}
}

// TestFile compares the mutants of an embedded protocol with those of its file.
func TestFile(t *testing.T) {
	o := options(t, "mi")
	o.Sample, o.Seeds = 8, 1
	embedded := measure(t, o)
	for _, repaired := range []bool{false, true} { // there is nothing to repair
		target, err := File(protocols.Source{Root: "../../sim/protocols/slicc/MI_example.slicc"}, repaired)
		must.Succeed(t, err)
		o.Targets = []Target{target}
		file := measure(t, o)
		if diff := cmp.Diff(embedded, file, cmpopts.IgnoreFields(Result{}, "Protocol"), cmpopts.IgnoreFields(Trial{}, "Elapsed")); diff != "" {
			t.Errorf("repaired %v (-embedded +file):\n%s", repaired, diff)
		}
		if len(file) < 8 || file[0].Protocol != "MI_example" {
			t.Errorf("repaired %v: %d results, of %s", repaired, len(file), file[0].Protocol)
		}
	}
}

// TestRuns bounds the runs of a survivor that every run takes.
func TestRuns(t *testing.T) {
	o := options(t, "mi")
	o.Accept = only("MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit")
	o.Equivalent, o.Budget, o.Seeds = true, 10_000, 1
	all := measure(t, o)[0].Seeds[0].Ops
	o.Runs = 2
	few := measure(t, o)[0].Seeds[0].Ops
	family := o.Generators[0]
	want := 0
	for n := range 2 {
		p, err := o.Generators[n].Program(o.Seed, n)
		must.Succeed(t, err)
		want += p.Ops() * family.Rounds
	}
	if all < 10_000 || few != want {
		t.Errorf("%d operations, and %d in two runs, want 10000 and %d", all, few, want)
	}
}

// TestBaseline rejects a protocol that fails without a mutant.
func TestBaseline(t *testing.T) {
	o := options(t, "mi")
	p, err := mutate.NewCatalogue(o.Targets[0].Tree)
	must.Succeed(t, err)
	m, err := p.Find("MI_example/L1Cache/(M,Fwd_GETX)/drop:e_sendData")
	must.Succeed(t, err)
	o.Targets[0].Tree = p.Tree(m)
	if _, err := Run(t.Context(), o); !errors.Is(err, ErrBaseline) {
		t.Errorf("error is %v", err)
	}
}

// TestTable counts results made by hand.
func TestTable(t *testing.T) {
	killed := func(ops int) Trial {
		return Trial{Killed: true, By: "crash", Ops: ops, Elapsed: time.Duration(400-ops) * time.Millisecond}
	}
	results := []Result{
		{Protocol: "p", Mutant: "a", Operator: "drop", Core: "tso", Seeds: []Trial{killed(100), killed(300), {Ops: 900}}, Taken: 5},
		{Protocol: "p", Mutant: "a", Operator: "drop", Core: "ooo", Seeds: []Trial{{Ops: 900}, {Ops: 900}, {Ops: 900}}, Taken: 5},
		{Protocol: "p", Mutant: "b", Operator: "drop", Core: "tso", Equivalent: "why not"},
		{Protocol: "p", Mutant: "b", Operator: "drop", Core: "ooo", Equivalent: "why not"},
		{Protocol: "p", Mutant: "c", Operator: "swap", Core: "tso", Seeds: []Trial{{Ops: 900}}, Taken: 0, Same: true},
		{Protocol: "p", Mutant: "d", Operator: "swap", Core: "tso", Seeds: []Trial{{Ops: 900}}, Taken: 7, Same: true},
		{Protocol: "p", Mutant: "e", Operator: "swap", Core: "tso", Seeds: []Trial{{Ops: 900}}, Taken: -1},
	}
	_, scores := Scores(results, func(r *Result) string { return r.Protocol })
	want := &Score{
		Mutants: 5, Status: map[Status]int{Equivalent: 1, Killed: 1, NeverTaken: 1, NoDifference: 1, Allowed: 1}, By: map[string]int{"crash": 1},
		Ops: []int{100, 300}, Censored: 1, Times: []time.Duration{100 * time.Millisecond, 300 * time.Millisecond},
	}
	if diff := cmp.Diff(want, scores["p"]); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
	if got := scores["p"].Percent(); got != 25 {
		t.Errorf("one of four is %v %%", got)
	}
	if n, ok := scores["p"].Quantile(0.5); !ok || n != 300 {
		t.Errorf("median of 100, 300, never is %d, %v", n, ok)
	}
	if _, ok := scores["p"].Quantile(0.95); ok {
		t.Error("nearly all of 100, 300, never is known")
	}
	survivors := []Survivor{
		{"c", NeverTaken, "the transition was never taken"},
		{"d", NoDifference, "taken 7 times, and no run differed from the protocol's in an event or a value"},
		{"e", Allowed, "part of every run; runs differed, in ways that the models allow"},
	}
	if diff := cmp.Diff(survivors, Survivors(results)); diff != "" {
		t.Errorf("survivors (-want +got):\n%s", diff)
	}
	row := strings.Fields("p 5 1 1 25.0 % 1 1 1 300 > budget 0.300 > budget crash 1")
	if diff := cmp.Diff(row, strings.Fields(strings.Split(Table(results, 0), "\n")[7])); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
