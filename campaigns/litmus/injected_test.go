package litmus

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/gen/shapes"
	"ordeal/sim"
)

// shape is a shape as a test.
func shape(t testing.TB, name string) *Test {
	t.Helper()
	tests, err := Shapes()
	must.Succeed(t, err)
	for _, test := range tests {
		if test.Name == name {
			return test
		}
	}
	t.Fatalf("no shape %s", name)
	return nil
}

// TestInjectedBugs injects bugs into cores and protocols: a test of their kind
// flags them, and keeps the run that shows them.
func TestPlanted(t *testing.T) {
	for _, row := range []struct {
		test, core, protocol, mutant, bug string
		witness                           string // in the explanation
	}{
		{"MP", "tso", "", "", "buffer-out-of-order", "M[x_"},
		{"SB+fences", "tso", "", "", "fence-no-drain", "fence"},
		{"CoWR+xchgs", "tso", "mi", "", "split-rmw", "M[x_"},
		{"CoRR", "inorder", "mesi-two-level", "MESI_Two_Level/L1Cache/(IS,Data_all_Acks)/swap:u_writeDataToL1Cache,hx_load_hit", "", "M[x_"},
		{"MP", "ooo", "mi", "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu", "", "M[y_"},
	} {
		test, o := shape(t, row.test), options(t, row.core)
		o.Rounds, o.Config.Protocol, o.Config.Mutant, o.Model = 4000, row.protocol, row.mutant, "tso"
		if row.bug != "" {
			o.Config.CoreBugs = []string{row.bug}
		}
		name := row.test + " " + row.mutant + row.bug
		r, err := Run(t.Context(), test, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !r.Finding() || len(r.Forbidden) == 0 {
			t.Errorf("%s: not flagged: %+v", name, r)
			continue
		}
		f := &r.Forbidden[0]
		if f.Count == 0 || f.Outcome == "" {
			t.Errorf("%s: outcome %q %d times", name, f.Outcome, f.Count)
		}
		if !strings.Contains(f.Witness, row.witness) {
			t.Errorf("%s: no %q in the witness\n%s", name, row.witness, f.Witness)
		}
		j, err := run.Dir(f.Dir).Result()
		if err != nil || j.Outcome != sim.Violation {
			t.Errorf("%s: the kept run has the result %+v, %v", name, j, err)
		}
		// Without the bug nothing is.
		o.Config.Mutant, o.Config.CoreBugs = "", nil
		if r, err := Run(t.Context(), test, o); err != nil || r.Finding() {
			t.Errorf("%s without the bug: %+v, %v", row.test, r, err)
		}
	}
}

// TestFailure has a protocol that does not get to its end.
func TestFailure(t *testing.T) {
	o := options(t, "tso")
	o.Config.Protocol, o.Config.Mutant = "mi", "MI_example/L1Cache/(I,Load)/drop:a_issueGETX"
	r, err := Run(t.Context(), shape(t, "SB"), o)
	must.Succeed(t, err)
	f := r.Failure
	if f == nil {
		t.Fatalf("%+v, want a deadlock", r)
	}
	if diff := cmp.Diff([]any{sim.Deadlock, true, 0, 1}, []any{f.Outcome, r.Finding(), r.Rounds, r.Runs}); diff != "" {
		t.Errorf("outcome, finding, rounds, runs (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, run.ResultFile)); err != nil {
		t.Error(err)
	}
}

// TestShapes holds what the shapes' own table says of each model against what
// the enumeration allows, by the condition of the test that is written.
func TestShapes(t *testing.T) {
	tests, err := Shapes()
	must.Succeed(t, err)
	all := shapes.All()
	if len(tests) != len(all) || len(tests) < 60 {
		t.Fatalf("%d tests of %d shapes", len(tests), len(all))
	}
	for i, test := range tests {
		if testing.Short() && len(test.Program.Threads) > 2 {
			continue // thousands of states each
		}
		for name, set := range map[string]shapes.Models{"sc": shapes.SC, "tso": shapes.TSO, "pso": shapes.PSO} {
			o := options(t, "tso")
			o.Model = name
			x, err := newExperiment(test, o)
			must.Succeed(t, err)
			holds := false
			for _, s := range x.allowed.outcomes {
				holds = holds || s.Holds()
			}
			if want := all[i].Allowed&set != 0; holds != want {
				t.Errorf("%s under %s: the condition can hold: %v, want %v", test.Name, name, holds, want)
			}
		}
	}
}

// TestHost runs on this machine: SB shows its store buffers, or nothing but
// what the model allows.
func TestHost(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs run on linux/amd64 only")
	}
	for _, name := range []string{"SB", "MP", "R"} {
		o := options(t, "")
		o.Sim, o.Config.Core, o.Rounds, o.MaxDelay = config.SimHost, "", 5000, 64
		r, err := Run(t.Context(), shape(t, name), o)
		must.Succeed(t, err)
		if r.Finding() || r.Rounds < 5000 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// Tests that do not ask for memory at the end count every repetition.
	test := parseTest(t, "SB", "", "P0 | P1; movl $1,(x) | movl $1,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=0 /\ 1:rax=0)`)
	o := options(t, "")
	o.Sim, o.Config.Core, o.Rounds = config.SimHost, "", 8192
	r, err := Run(t.Context(), test, o)
	must.Succeed(t, err)
	if diff := cmp.Diff([]any{false, 8192, 1}, []any{r.Finding(), r.Rounds, r.Runs}); diff != "" {
		t.Errorf("finding, rounds, runs (-want +got):\n%s", diff)
	}
}
