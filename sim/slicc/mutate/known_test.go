package mutate

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
)

// text is a protocol with the transitions that two repairs are about, one of
// them in a declaration with others.
const defective = `protocol "MOESI_AMD_Base";
machine(MachineType:CorePair, "pair") : int x; {
  action(forward_eviction_to_cpu0, "f") {}
  action(i0_invCluster, "i") {}
  action(ss_sendStaleNotification, "s") {}
  transition({M0, Ms}, {C1_Store_L1hit, C0_Load_L1hit}, M1) {Read} {
    a_first;
    i0_invCluster;
  }
  transition({I_C, X_C}, NB_AckWB, I) {
    ss_sendStaleNotification;
    pr_pop;
  }
  transition({S, I}, C1_Store_L1miss) {
    forward_eviction_to_cpu0;
    i0_invCluster;
  }
}
`

func rowsOf(f *syntax.File) []string {
	var list []string
	for _, d := range f.Decls[1].(*syntax.Machine).Body {
		t, ok := d.(*syntax.Transition)
		if !ok {
			continue
		}
		var names []string
		for _, a := range t.Actions {
			names = append(names, a.Name)
		}
		for _, s := range t.States {
			for _, e := range t.Events {
				list = append(list, s.Name+" "+e.Name+": "+strings.Join(names, " "))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestCorrected(t *testing.T) {
	f, err := syntax.Parse("x.slicc", []byte(defective))
	if err != nil {
		t.Fatal(err)
	}
	f, got := Corrected(f)
	if want := []string{"amd-stale-notification", "amd-sibling-store"}; !slices.Equal(got, want) {
		t.Errorf("applied %v, want %v", got, want)
	}
	want := []string{
		"I C1_Store_L1miss: forward_eviction_to_cpu0 i0_invCluster",
		"I_C NB_AckWB: pr_pop",
		"M0 C0_Load_L1hit: a_first i0_invCluster",
		"M0 C1_Store_L1hit: a_first forward_eviction_to_cpu0 i0_invCluster",
		"Ms C0_Load_L1hit: a_first i0_invCluster",
		"Ms C1_Store_L1hit: a_first forward_eviction_to_cpu0 i0_invCluster",
		"S C1_Store_L1miss: forward_eviction_to_cpu0 i0_invCluster",
		"X_C NB_AckWB: ss_sendStaleNotification pr_pop",
	}
	if got := rowsOf(f); !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, got := Corrected(f); len(got) > 0 {
		t.Errorf("applied again: %v", got)
	}
}

// TestCorrectedText edits the text as Corrected edits the tree, and leaves the rest alone.
func TestCorrectedText(t *testing.T) {
	commented := strings.Replace(defective, "  transition({S, I}", "  // of no concern\n  transition({S, I}", 1)
	files := fstest.MapFS{"x.slicc": {Data: []byte(commented)}}
	changed, applied, err := CorrectedText(files, "x.slicc")
	if err != nil || len(changed) != 1 || changed[0].Name != "x.slicc" {
		t.Fatal(changed, err)
	}
	tree, err := syntax.Parse("x.slicc", []byte(defective))
	if err != nil {
		t.Fatal(err)
	}
	tree, want := Corrected(tree)
	if !slices.Equal(applied, want) {
		t.Errorf("applied %v, want %v", applied, want)
	}
	got, err := syntax.Parse("x.slicc", changed[0].New)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rowsOf(got), rowsOf(tree)) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rowsOf(got), "\n"), strings.Join(rowsOf(tree), "\n"))
	}
	for _, part := range []string{"  // of no concern\n  transition({S, I}, C1_Store_L1miss) {\n    forward_eviction_to_cpu0;\n", "  action(i0_invCluster, \"i\") {}\n"} {
		if !strings.Contains(string(changed[0].New), part) {
			t.Errorf("no %q in\n%s", part, changed[0].New)
		}
	}
	files["x.slicc"].Data = changed[0].New
	if changed, applied, err := CorrectedText(files, "x.slicc"); len(changed) > 0 || len(applied) > 0 || err != nil {
		t.Errorf("again: %v %v %v", changed, applied, err)
	}
}

func TestCorrectedOther(t *testing.T) {
	f, err := syntax.Parse("x.slicc", []byte(strings.Replace(defective, "MOESI_AMD_Base", "Other", 1)))
	if err != nil {
		t.Fatal(err)
	}
	before := rowsOf(f)
	if f, got := Corrected(f); len(got) > 0 || !slices.Equal(rowsOf(f), before) {
		t.Errorf("applied %v to another protocol", got)
	}
}

func TestKnownIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range known {
		if r.id == "" || seen[r.id] {
			t.Errorf("the ID is empty or of another correction: %+v", r)
		}
		if r.protocol == "" || r.defect == "" {
			t.Errorf("%s: protocol %q, defect %q, want both", r.id, r.protocol, r.defect)
		}
		seen[r.id] = true
	}
}
