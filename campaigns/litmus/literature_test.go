package litmus

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	format "ordeal/parse/formats/litmus"
)

// literature are tests of the literature with what x86-TSO says of them:
// Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO", TPHOLs 2009
// (iwp: Intel's white paper of 2007, amd: AMD's manual, n: theirs), and
// Alglave, Maranget and Tautschnig, "Herding cats", TOPLAS 2014, for the names
// of two-thread tests. Where states are listed they are all that TSO allows,
// worked out by hand: of the combinations of values, those without the one
// that the condition asks for, if it is forbidden.
var literature = []struct {
	name, init, code, condition string
	tso, sc                     bool // whether the condition can hold
	states                      int  // under TSO; 0: not worked out
}{
	// Each of two reads returns 0 or 1: four combinations.
	{"SB", "", "P0 | P1; movl $1,(x) | movl $1,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=0 /\ 1:rax=0)`, true, false, 4},
	{"SB+mfences", "", "P0 | P1; movl $1,(x) | movl $1,(y); mfence | mfence; movl (y),%eax | movl (x),%eax", `exists (0:rax=0 /\ 1:rax=0)`, false, false, 3},
	{"MP", "", "P0 | P1; movl $1,(x) | movl (y),%eax; movl $1,(y) | movl (x),%ebx", `exists (1:rax=1 /\ 1:rbx=0)`, false, false, 3},
	{"LB", "", "P0 | P1; movl (x),%eax | movl (y),%eax; movl $1,(y) | movl $1,(x)", `exists (0:rax=1 /\ 1:rax=1)`, false, false, 3},
	{"S", "", "P0 | P1; movl $2,(x) | movl (y),%eax; movl $1,(y) | movl $1,(x)", `exists ([x]=2 /\ 1:rax=1)`, false, false, 3},
	{"R", "", "P0 | P1; movl $1,(x) | movl $2,(y); movl $1,(y) | movl (x),%eax", `exists ([y]=2 /\ 1:rax=0)`, true, false, 4},
	{"2+2W", "", "P0 | P1; movl $2,(x) | movl $2,(y); movl $1,(y) | movl $1,(x)", `exists ([x]=2 /\ [y]=2)`, false, false, 3},
	// Four reads of 0 or 1, one combination forbidden.
	{"IRIW", "", "P0 | P1 | P2 | P3; movl $1,(x) | movl (x),%eax | movl $1,(y) | movl (y),%eax; | movl (y),%ebx | | movl (x),%ebx", `exists (1:rax=1 /\ 1:rbx=0 /\ 3:rax=1 /\ 3:rbx=0)`, false, false, 15},
	// Three reads, one combination forbidden.
	{"WRC", "", "P0 | P1 | P2; movl $1,(x) | movl (x),%eax | movl (y),%eax; | movl $1,(y) | movl (x),%ebx", `exists (1:rax=1 /\ 2:rax=1 /\ 2:rbx=0)`, false, false, 7},
	{"RWC", "", "P0 | P1 | P2; movl $1,(x) | movl (x),%eax | movl $1,(y); | movl (y),%ebx | movl (x),%eax", `exists (1:rax=1 /\ 1:rbx=0 /\ 2:rax=0)`, true, false, 8},
	// The second read of one location cannot be older than the first.
	{"CoRR", "", "P0 | P1; movl $1,(x) | movl (x),%eax; | movl (x),%ebx", `exists (1:rax=1 /\ 1:rbx=0)`, false, false, 3},
	{"iwp2.1", "", "P0 | P1; movl $1,(x) | movl (y),%eax; movl $1,(y) | movl (x),%ebx", `~exists (1:rax=1 /\ 1:rbx=0)`, false, false, 3},
	{"iwp2.3.a", "", "P0 | P1; movl $1,(x) | movl $1,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=0 /\ 1:rax=0)`, true, false, 4},
	{"iwp2.3.b", "", "P0; movl $1,(x); movl (x),%eax", `exists (0:rax=0)`, false, false, 1},
	// Own stores are seen at once: the first reads return 1.
	{"iwp2.4", "", "P0 | P1; movl $1,(x) | movl $1,(y); movl (x),%eax | movl (y),%eax; movl (y),%ebx | movl (x),%ebx", `exists (0:rax=1 /\ 0:rbx=0 /\ 1:rax=1 /\ 1:rbx=0)`, true, false, 4},
	{"iwp2.5", "", "P0 | P1 | P2; movl $1,(x) | movl (x),%eax | movl (y),%eax; | movl $1,(y) | movl (x),%ebx", `exists (1:rax=1 /\ 2:rax=1 /\ 2:rbx=0)`, false, false, 7},
	// Two stores to one location are seen in one order by all.
	{"iwp2.6", "", "P0 | P1 | P2 | P3; movl $1,(x) | movl $2,(x) | movl (x),%eax | movl (x),%eax; | | movl (x),%ebx | movl (x),%ebx", `exists (2:rax=1 /\ 2:rbx=2 /\ 3:rax=2 /\ 3:rbx=1)`, false, false, 0},
	{"iwp2.7", "", "P0 | P1 | P2 | P3; movl $1,%eax | movl $1,%eax | movl (x),%eax | movl (y),%eax; xchgl (x),%eax | xchgl (y),%eax | movl (y),%ebx | movl (x),%ebx", `exists (2:rax=1 /\ 2:rbx=0 /\ 3:rax=1 /\ 3:rbx=0)`, false, false, 15},
	{"iwp2.8.a", "", "P0 | P1; movl $1,%eax | movl $1,%eax; xchgl (x),%eax | xchgl (y),%eax; movl (y),%ebx | movl (x),%ebx", `exists (0:rbx=0 /\ 1:rbx=0)`, false, false, 3},
	{"iwp2.8.b", "", "P0 | P1; movl $1,%eax | movl (y),%eax; xchgl (x),%eax | movl (x),%ebx; movl $1,(y) |", `exists (1:rax=1 /\ 1:rbx=0)`, false, false, 3},
	// Each read returns 0, 1 or 2.
	{"amd3", "", "P0 | P1; movl $1,(x) | movl $1,(y); movl $2,(x) | movl $2,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=1 /\ 1:rax=1)`, true, false, 9},
	{"n5", "", "P0 | P1; movl $1,(x) | movl $2,(x); movl (x),%eax | movl (x),%ebx", `exists (0:rax=2 /\ 1:rbx=1)`, false, false, 3},
	{"n6", "", "P0 | P1; movl $1,(x) | movl $2,(y); movl (x),%eax | movl $2,(x); movl (y),%ebx |", `exists (0:rax=1 /\ 0:rbx=0 /\ [x]=1)`, true, false, 0},
	// The initial state is not always 0.
	{"SB+init", "x=5; y=6;", "P0 | P1; movl $1,(x) | movl $1,(y); movl (y),%eax | movl (x),%eax", `exists (0:rax=6 /\ 1:rax=5)`, true, false, 4},
}

// parseTest makes a test of rows that are separated by semicolons.
func parseTest(t testing.TB, name, init, code, condition string) *Test {
	t.Helper()
	text := "X86_64 " + name + "\n{ x=0; y=0; " + init + " }\n" + strings.ReplaceAll(code, ";", " ;\n") + " ;\n" + condition + "\n"
	parsed, err := format.Parse(name+Suffix, []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &Test{Test: parsed, File: name + Suffix}
}

// TestLiterature holds the enumeration against the literature, and then the
// embedded simulator's cores against both: each core may show what its model
// allows, and nothing else.
func TestLiterature(t *testing.T) {
	for _, row := range literature {
		test := parseTest(t, row.name, row.init, row.code, row.condition)
		for _, machine := range []struct {
			core, model string
			allows      bool
		}{{"inorder", "sc", row.sc}, {"tso", "tso", row.tso}} {
			o := options(t, machine.core)
			o.Rounds = 128
			o.Model = machine.model
			r, err := Run(t.Context(), test, o)
			must.Succeed(t, err)
			x, err := newExperiment(test, o)
			must.Succeed(t, err)
			holds := slices.ContainsFunc(x.allowed.outcomes, func(s format.State) bool { return s.Holds() })
			if holds != machine.allows {
				t.Errorf("%s under %s: the condition can hold: %v, want %v", row.name, machine.model, holds, machine.allows)
			}
			if machine.model == "tso" && row.states > 0 && r.Allowed != row.states {
				t.Errorf("%s under tso: %d states, want %d: %q", row.name, r.Allowed, row.states, x.allowed.states)
			}
			if r.Finding() || r.Failure != nil {
				t.Errorf("%s on %s cores: forbidden %+v, failure %+v", row.name, machine.core, r.Forbidden, r.Failure)
			}
			if got, want := r.AllowedSeen, len(r.Result.States); got != want {
				t.Errorf("%s on %s cores: %d of %d states are allowed", row.name, machine.core, got, want)
			}
			if !machine.allows && r.Result.Positive > 0 {
				t.Errorf("%s on %s cores: the condition held %d times", row.name, machine.core, r.Result.Positive)
			}
		}
	}
}

// options are those of small runs on the embedded simulator.
func options(t testing.TB, core string) *Options {
	t.Helper()
	o := &Options{
		Sim: config.SimBuiltin, Config: config.DefaultConfig(), Rounds: 1000, Seed: 1,
		Layout: gen.AnyLayout, MaxDelay: 16, Timeout: time.Minute, Dir: t.TempDir(),
	}
	o.Config.Core = core
	o.Model = o.Config.Promise()
	return o
}
