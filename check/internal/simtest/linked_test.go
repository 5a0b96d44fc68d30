package simtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
)

// TestLinkedLoadOfLostLine has a linked load take the data of a load whose line was invalidated
// before they came, as gem5's MESI_Two_Level does in IS_I: the state without the line that
// follows ends its reservation (AbstractCacheEntry::changePermission), and the conditional
// store fails.
func TestLinkedLoadOfLostLine(t *testing.T) {
	replace := strings.NewReplacer(`transition(IS_I, Data_all_Acks, IM) {
    y_rememberLoad;
    b_issueGETX;
    n_popResponse;
  }`, `transition(IS_I, Data_all_Acks, NP) {
    u_writeDataToL1Cache;
    hx_load_hit;
    s_deallocateTBE;
    n_popResponse;
    w_wakeUp;
  }`,
		"set_cache_entry(cacheMemory.allocate(address, new Entry));",
		"if (is_invalid(cache_entry)) { set_cache_entry(cacheMemory.allocate(address, new Entry)); }")
	dir := t.TempDir()
	if err := os.CopyFS(dir, protocols.Files()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "MESI_Two_Level-L1cache.sm")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := replace.Replace(string(text))
	if !strings.Contains(edited, "(IS_I, Data_all_Acks, NP)") || !strings.Contains(edited, "if (is_invalid") {
		t.Fatalf("%s has other transitions", file)
	}
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "MESI_Two_Level.slicc")
	for _, p := range promises {
		if p.kind == core.OOO {
			s := newSubject(t, p, builtin.Options{SLICC: root, RMW: core.LinkedLoad, WrongPath: 2, Window: 8})
			s.program.Locations, s.rounds = 1, 20
			s.program.Mix.Load, s.program.Mix.Exchange, s.program.Mix.Store = 50, 15, 25
			s.pass(t, 3, nil)
		}
	}
}
