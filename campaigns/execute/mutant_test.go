package execute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/gem5"
)

// TestEdits plants repairs, and a mutant of the repaired protocol, in the files
// of a gem5 tree.
func TestEdits(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, gem5.ProtocolFile(name))
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("MOESI_AMD_Base.slicc", "protocol \"MOESI_AMD_Base\";\ninclude \"pair.sm\";\n")
	write("pair.sm", `machine(MachineType:CorePair, "pair") : int x; {
  state_declaration(State, desc="s", default="CorePair_State_I") { I, AccessPermission:Invalid, desc="i"; I_C, AccessPermission:Invalid, desc="c"; }
  enumeration(Event, desc="e") { NB_AckWB, desc="w"; }
  action(ss_sendStaleNotification, "s", desc="s") {}
  action(pr_pop, "p", desc="p") {}
  // kept
  transition(I_C, NB_AckWB, I) {
    ss_sendStaleNotification;
    pr_pop;
  }
}
`)
	write("MI_example.slicc", "protocol \"MI_example\";\n")
	g := &config.Gem5{Rebuild: []string{"scons"}}
	for _, test := range []struct {
		machine config.Machine
		absent  string // from the changed text
		err     string
	}{
		{config.Machine{Protocol: "MOESI_AMD_Base", Repair: true}, "    ss_send", ""},
		{config.Machine{Protocol: "MOESI_AMD_Base", Repair: true, Mutant: "MOESI_AMD_Base/CorePair/(I_C,NB_AckWB)/drop:pr_pop"}, "    pr_pop", ""},
		{config.Machine{Protocol: "MI_example", Repair: true}, "", "repair MI_example: nothing to repair"},
		{config.Machine{Repair: true}, "", "protocol is missing"},
	} {
		m, err := edits(g, root, &test.machine)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %v, want %q", test.machine, err, test.err)
			}
			continue
		}
		must.Succeed(t, err)
		if len(m.Changes) != 1 || m.Changes[0].File != gem5.ProtocolFile("pair.sm") || m.Rebuild[0] != "scons" {
			t.Fatalf("%+v", m)
		}
		text := string(m.Changes[0].Contents)
		if strings.Contains(text, "    ss_send") || strings.Contains(text, test.absent) || !strings.Contains(text, "  // kept\n  transition(I_C, NB_AckWB, I) {") {
			t.Errorf("%+v:\n%s", test.machine, text)
		}
	}
}
