package repair

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/sim"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

// cache is a protocol with a known defect of gem5's, two actions and a port.
const cache = `machine(MachineType:L1Cache, "a") : int n; {
  action(forward_eviction_to_cpu, "f", desc="") { go(one, two); }
  action(s_deallocateTBE, "s", desc="") { free(a); unset(); } action(u_set, "u", desc="") { out.addr := b; }
  action(t_free, "t", desc="") {
    free(a);
    out.addr := a;
  }
  in_port(p, T, b) {
    if (m.Type == K:ONE) { go(one, two); }
    else { error("no"); }
  }
  transition(IS_I, Data_all_Acks, I) { s_deallocateTBE; }
}
protocol "MESI_Two_Level";
`

// bodiesOf are the edits of the bodies of a protocol in one file.
func bodiesOf(t *testing.T, text string) *bodyEdits {
	t.Helper()
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := mutate.NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	return newBodyEdits(c)
}

// TestFailed requires a failed statement to give the edits of its declaration.
func TestFailed(t *testing.T) {
	b := bodiesOf(t, cache)
	const edit = "MESI_Two_Level/L1Cache/p/negate:m.Type == K:ONE"
	for function, want := range map[string][]string{"p": {edit}, "t_free": nil, "": nil} {
		if got := b.failed(&sim.Failure{Row: sim.Row{Machine: "L1Cache"}, Function: function}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
	if got := b.of(place{"L1Cache", "p"}); !slices.Equal(got, []string{edit}) {
		t.Errorf("edits of a port: %q", got)
	}
}

// TestPatchRepaired requires the patch of an edit that works on what the repair of a known
// defect has put in.
func TestPatchRepaired(t *testing.T) {
	root := filepath.Join(t.TempDir(), "t.slicc")
	if err := os.WriteFile(root, []byte(cache), 0o600); err != nil {
		t.Fatal(err)
	}
	const id = "MESI_Two_Level/L1Cache/(IS_I,Data_all_Acks)/replace:forward_eviction_to_cpu>t_free"
	patch, err := Patch(config.Machine{SLICC: root, Repair: true}, id, "")
	if err != nil || !strings.Contains(string(patch), "-    forward_eviction_to_cpu;") || !strings.Contains(string(patch), "+    t_free;") {
		t.Errorf("%v\n%s", err, patch)
	}
	if _, err := Patch(config.Machine{SLICC: root}, id, ""); err == nil {
		t.Error("without the repair: no error")
	}
}
