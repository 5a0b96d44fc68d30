package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/protocols"
)

// TestEdits plants repairs, and a mutant of the repaired protocol, in the files
// of a gem5 tree.
func TestEdits(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, protocols.Folder, name)
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
		if len(m.Changes) != 1 || m.Changes[0].File != protocols.Folder+"/pair.sm" || m.Rebuild[0] != "scons" {
			t.Fatalf("%+v", m)
		}
		text := string(m.Changes[0].Contents)
		if strings.Contains(text, "    ss_send") || strings.Contains(text, test.absent) || !strings.Contains(text, "  // kept\n  transition(I_C, NB_AckWB, I) {") {
			t.Errorf("%+v:\n%s", test.machine, text)
		}
	}
}

// TestEditsWhileChanged makes the edits of a mutant while another one is in place, as where its
// process was killed: they are those of the tree itself, also of the same mutant again.
func TestEditsWhileChanged(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write(protocols.Folder+"/Small.slicc", "protocol \"Small\";\ninclude \"cache.sm\";\n")
	write(protocols.Folder+"/cache.sm", `machine(MachineType:L1Cache, "cache") : int x; {
  state_declaration(State, desc="s", default="L1Cache_State_I") { I, AccessPermission:Invalid, desc="i"; }
  enumeration(Event, desc="e") { Load, desc="w"; }
  action(a_one, "a", desc="a") {}
  action(b_two, "b", desc="b") {}
  transition(I, Load) {
    a_one;
    b_two;
  }
}
`)
	write("gem5", "binary")
	g := &config.Gem5{Rebuild: []string{"touch", "gem5"}}
	mutant := func(action string) string { return "Small/L1Cache/(I,Load)/drop:" + action }
	contents := func(action string) string {
		m, err := edits(g, root, &config.Machine{Mutant: mutant(action)})
		must.Succeed(t, err)
		if len(m.Changes) != 1 {
			t.Fatalf("%d files change", len(m.Changes))
		}
		return string(m.Changes[0].Contents)
	}
	want := map[string]string{"a_one": contents("a_one"), "b_two": contents("b_two")}
	planted, err := edits(g, root, &config.Machine{Mutant: mutant("a_one")})
	must.Succeed(t, err)
	place := tree.Tree{Dir: root, Rebuild: g.Rebuild, Binary: "gem5"}
	must.Succeed(t, place.With(t.Context(), planted.Changes, func(context.Context, string) error {
		now, err := os.ReadFile(filepath.Join(root, protocols.Folder+"/cache.sm"))
		must.Succeed(t, err)
		if string(now) != want["a_one"] {
			t.Errorf("the mutant is not in place:\n%s", now)
		}
		for action, text := range want {
			if got := contents(action); got != text {
				t.Errorf("without %s:\n%s", action, got)
			}
		}
		// What was edited meanwhile is what it is.
		write(protocols.Folder+"/cache.sm", strings.Replace(want["b_two"], "a_one;", "a_one; a_one;", 1))
		if _, err := edits(g, root, &config.Machine{Mutant: mutant("b_two")}); err == nil {
			t.Error("an edit that has nothing to leave out")
		}
		write(protocols.Folder+"/cache.sm", want["a_one"])
		return nil
	}))
}
