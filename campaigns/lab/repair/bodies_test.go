package repair

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
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

// TestTitled requires a title that names a line to give the edits of its declaration, those
// nearest to it first, and the statement that others run after a call.
func TestTitled(t *testing.T) {
	b := bodiesOf(t, cache)
	const at = "MESI_Two_Level/L1Cache/"
	for _, x := range []struct{ title, want string }{
		{"failed assertion at t.sm:5:1", at + "t_free/add:unset()@free(a)"},
		{"failed assertion at t.sm:6:1", at + "t_free/set:out.addr=b"},
		{`error("no") at t.sm:10:12`, at + `p/call:error("no")>go(one, two)`},
		{"failed assertion at u.sm:5:1", ""},
		{"failed assertion at t.sm:12:1", ""},
	} {
		got := ""
		if list := b.titled(x.title); len(list) > 0 {
			got = list[0]
		}
		if got != x.want {
			t.Errorf("%s: first %q, want %q", x.title, got, x.want)
		}
	}
	var of []string
	b.of(place{"L1Cache", "t_free"}, func(_ int, ids ...string) { of = append(of, strings.Join(ids, " + ")) })
	if want := at + "t_free/add:unset()@free(a) " + at + "t_free/set:out.addr=b"; strings.Join(of, " ") != want {
		t.Errorf("edits of an action: %v, want %s", of, want)
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
