package bugs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/lab"
)

// TestKnownDefects requires the list of defects that comes with the package to be valid, each of them
// to be reviewed and to name a command or a reason, and most to have a repair.
func TestKnownDefects(t *testing.T) {
	l, err := KnownDefects()
	if err != nil {
		t.Fatal(err)
	}
	proposed := 0
	for i := range l.Bugs {
		b := &l.Bugs[i]
		if !b.Unfixed() || b.Title == "" {
			t.Errorf("%s: want a title and no fix", b.ID)
		}
		if b.Verdict == "" || b.Gem5 == "" || len(b.Versions) == 0 {
			t.Errorf("%s: want a verdict, what shows it in gem5, and versions", b.ID)
		}
		if slices.Contains(l.Proposed("*"), b) {
			proposed++
		}
	}
	if proposed*2 < len(l.Bugs) || len(l.Proposed("no such bug")) > 0 {
		t.Errorf("%d of %d have a repair", proposed, len(l.Bugs))
	}
}

// TestAlone requires a bug that does not show to be searched for where all others are repaired.
func TestAlone(t *testing.T) {
	whole, broken := protocolFiles(t, nil), protocolFiles(t, &Edit{File: "MI_example-cache.sm", At: "transition(MI, Writeback_Nack", Remove: true})
	b := &Bench{Maker: &Maker{List: &List{}}, Audit: audit.Options{Seed: 8, Steps: 150_000, Engines: []audit.Engine{audit.Sample}}}
	bug := &Bug{ID: "x", Protocol: "MI_example", Title: "invalid transition (MI, Writeback_Nack) of L1Cache"}
	for _, c := range []struct {
		alone string
		want  Status
	}{{broken, Found}, {"", Missed}, {whole, Missed}} {
		r := &Result{Trees: &Trees{Before: whole, How: "v", Alone: c.alone}}
		if err := b.search(t.Context(), bug, r); err != nil || r.Status != c.want {
			t.Errorf("alone %q: %v, %v, want %v", c.alone, r.Status, err, c.want)
		}
		if r.Alone != (c.alone != "") || r.Alone != strings.HasSuffix(r.Trees.How, "with the repairs of the other defects") {
			t.Errorf("alone %q: searched in %+v", c.alone, r.Trees)
		}
		if r.Alone != (r.Steps > b.Audit.Steps*3/2) && r.Status == Missed {
			t.Errorf("alone %q: %d steps in all", c.alone, r.Steps)
		}
	}
	r := &Result{Trees: &Trees{Before: broken, Alone: whole}}
	if err := b.search(t.Context(), bug, r); err != nil || r.Status != Found || r.Alone {
		t.Errorf("a title of its own, unmodified: %v, alone %v, %v", r.Status, r.Alone, err)
	}
	// What another bug has as well is the bug's only if it shows with that one repaired.
	b.Maker.List.Bugs = []Bug{{ID: "y", Protocol: bug.Protocol, Title: bug.Title}}
	for alone, want := range map[string]Status{whole: Missed, broken: Found} {
		r := &Result{Trees: &Trees{Before: broken, Alone: alone}}
		if err := b.search(t.Context(), bug, r); err != nil || r.Status != want {
			t.Errorf("a title of two bugs: %v, %v, want %v", r.Status, err, want)
		}
	}
	others := (&Bug{Repair: []Edit{{File: "a"}, {File: "b"}}}).without(&Bug{Repair: []Edit{{File: "b"}, {File: "c"}}})
	if len(others.Repair) != 1 || others.Repair[0].File != "a" {
		t.Errorf("edits that the bug does not have: %+v", others.Repair)
	}
}

// TestTreesOfDefects makes the protocols of a bug and of others, with one of which it shares an edit
// and another of which is of another protocol: with its repair, with all repairs, and with those
// of all others.
func TestTreesOfDefects(t *testing.T) {
	const file = "MI_example-cache.sm"
	root := protocolFiles(t, nil)
	base := Protocols{}
	names, err := fs.Glob(os.DirFS(filepath.Dir(root)), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(root), name))
		if err != nil {
			t.Fatal(err)
		}
		base[name] = string(text)
	}
	row := func(state string) Edit {
		return Edit{File: file, At: "transition(" + state + ", Writeback_Nack", Remove: true}
	}
	shared := Edit{File: file, At: "transition(MI, Writeback_Ack", Remove: true}
	l := &List{Bugs: []Bug{
		{ID: "x", Protocol: "MI_example", Title: "x", Repair: []Edit{row("MI"), shared}},
		{ID: "y", Protocol: "MI_example", Title: "y", Repair: []Edit{shared, row("II")}},
		{ID: "z", Protocol: "MSI", Title: "z", Repair: []Edit{{File: "none.sm", Drop: "a"}}},
		{ID: "none", Protocol: "MI_example", Title: "none"},
	}}
	m := &Maker{List: l, Dir: t.TempDir()}
	trees, err := m.unfixed(&l.Bugs[0], base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root string
		want []bool // the rows (MI, Writeback_Nack), (MI, Writeback_Ack), (II, Writeback_Nack)
	}{
		{trees.Before, []bool{true, true, true}}, {trees.Repaired, []bool{false, false, true}},
		{trees.All, []bool{false, false, false}}, {trees.Alone, []bool{true, true, false}},
	} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(c.root), file))
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, at := range []string{"transition(MI, Writeback_Nack", "transition(MI, Writeback_Ack", "transition(II, Writeback_Nack"} {
			got = append(got, strings.Contains(string(text), at))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v, want %v", c.root, got, c.want)
		}
	}
	l.Bugs[1].Repair = []Edit{{File: file, Drop: "no such text"}}
	if trees, err = m.unfixed(&l.Bugs[0], base); err != nil || trees.All != "" || trees.Alone != "" {
		t.Errorf("repairs that cannot be made together: %+v, %v", trees, err)
	}
}

// TestFound requires a finding to have the title of the bug, and not to need a network without
// order unless the bug does.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		title     string
		condition string
		needs     []string
		want      bool
	}{
		{"deadlock in A", "", nil, true},
		{"value lost", "", nil, false},
		{"deadlock in A", "2 transactions", nil, true},
		{"deadlock in A", audit.Unordered, []string{"dma"}, false},
		{"deadlock in A", audit.Unordered, []string{"dma", networkOrder}, true},
	} {
		b := &Bug{Title: "deadlock *", Also: []string{"value lost"}, Needs: c.needs}
		if got := b.found(&audit.Finding{Title: c.title, Conditions: []string{c.condition}}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestMark requires findings to have the defects of their own protocol with such a title, and
// else the reason for which they are none.
func TestMark(t *testing.T) {
	l := &List{
		Base: "b1a44b89c7",
		Bugs: []Bug{
			{ID: "A", Protocol: "chi/P", Title: "value lost after *", Also: []string{"old data *"}},
			{ID: "B", Protocol: "chi/P", Title: "value lost after X"},
			{ID: "C", Protocol: "Q", Title: "deadlock"},
		},
		Accepted: []Accepted{
			{Protocol: "*", Titles: []string{"none", "functional *"}, About: "under way"},
			{Protocol: "P", Titles: []string{"value *"}, About: "hidden by A"},
			{Protocol: "Q", Titles: []string{"deadlock", "livelock"}, About: "of another protocol"},
		},
	}
	r := &audit.Report{Protocol: "P"}
	for _, title := range []string{"value lost after X", "old data brought to DMA", "functional read", "deadlock", "livelock"} {
		r.Findings = append(r.Findings, &audit.Finding{Title: title, Known: []audit.Known{{ID: "before"}}})
	}
	if l.Mark(r); r.Base != "" || r.Findings[0].IDs() != "" && r.Findings[0].Known[0].ID != "before" {
		t.Error("a protocol that is not gem5's has its defects")
	}
	isGem5s = func(string) bool { return true }
	defer func() { isGem5s = ofGem5 }()
	l.Mark(r)
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.IDs())
	}
	if want := []string{"A, B", "A", "no defect", "", ""}; !slices.Equal(got, want) || r.Base != "gem5 b1a44b89c7" {
		t.Errorf("%q of %q, want %q", got, r.Base, want)
	}
	r.Base, r.Protocol = "", "own"
	if l.Mark(r); r.Base != "" {
		t.Error("a protocol that the list does not have is said to be of gem5")
	}
}

// TestPatch requires the edits of repairs to follow each other in the files that they name, and
// an edit that two of them have to be made once.
func TestPatch(t *testing.T) {
	const text = "  transition(A, E) {read} {\n    a;\n    b;\n  }\n\n  transition(B, E) {\n    a;\n  }\n"
	files := map[string]string{"p.sm": text, "other.sm": text}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	b := &Bug{ID: "x", Repair: []Edit{
		{File: "p.sm", At: "transition(A, E", Drop: "b;"},
		{File: "p.sm", At: "transition(A, E", Replace: map[string]string{"a;": "c;"}},
		{File: "p.sm", At: "transition(B, E", Add: "  transition(C, E) {\n  }\n"},
	}}
	got, err := Patch([]*Bug{b}, read)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--- a/src/mem/ruby/protocol/p.sm\n+++ b/src/mem/ruby/protocol/p.sm\n", "\n-    b;\n", "\n+    c;\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("patch\n%s\nwant %q", got, want)
		}
	}
	shares := &Bug{ID: "y", Repair: []Edit{b.Repair[1], {File: "other.sm", At: "transition(B, E", Drop: "a;"}}}
	changed, err := proposal([]*Bug{b, shares}, read)
	const want = "  transition(A, E) {read} {\n    c;\n  }\n\n  transition(C, E) {\n  }\n\n  transition(B, E) {\n    a;\n  }\n"
	if err != nil || len(changed) != 2 || string(changed[1].New) != want || changed[0].Name != "other.sm" {
		t.Errorf("%v, %s, want\n%s", err, changed, want)
	}
	for _, c := range []struct {
		edit Edit
		want string
	}{
		{Edit{File: "none.sm", At: "transition(A, E", Remove: true}, "file does not exist"},
		{Edit{File: "p.sm", At: "transition(Z, E", Remove: true}, "edit 1: p.sm: 0 blocks"},
	} {
		if _, err := Patch([]*Bug{{ID: "x", Repair: []Edit{c.edit}}}, read); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.edit, err, c.want)
		}
	}
}

// TestPropose requires a repair to pass if it is the fix, and not to pass if it leaves the bug
// or brings another one.
func TestPropose(t *testing.T) {
	const file = "MI_example-cache.sm"
	before := protocolFiles(t, &Edit{File: file, At: "transition(MI, Writeback_Nack", Remove: true})
	const title = "invalid transition (MI, Writeback_Nack) of L1Cache"
	o := audit.Options{Seed: 8, Steps: 150_000, Engines: []audit.Engine{audit.Sample}}
	search := o
	search.SLICC, search.Stop = before, func(f *audit.Finding) bool { return f.Title == title }
	report, err := audit.Run(t.Context(), search)
	if err != nil || report.Stopped == nil {
		t.Fatal("the bug was not found", err)
	}
	dir := t.TempDir()
	audits, err := lab.Open[*audit.Report](filepath.Join(dir, "audits.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer audits.Close()
	bug := &Bug{ID: "x", Protocol: "MI_example", Title: title}
	const other = "invalid transition (II, Writeback_Nack) of L1Cache"
	broken := protocolFiles(t, &Edit{File: file, At: "transition(II, Writeback_Nack", Remove: true})
	whole := protocolFiles(t, nil)
	for i, c := range []struct {
		repaired, listed, also, all string
		want                        string
	}{
		{whole, "", "", "", "true true []"},
		{before, "", "", "", "false false []"},
		{broken, "none", "", "", "false true [" + other + "]"},
		{broken, other, "", "", "true true []"},
		{broken, "none", other, "", "false false []"}, // a title of the bug itself
		{broken, "none", other, broken, "false false []"},
		{broken, "none", other, whole, "true true []"}, // of another one, whose repair ends it
		{before, title, "", "", "false false []"},
		{broken, "accepted", "", "", "true true []"},
	} {
		bug.Also = []string{c.also}
		list := &List{Bugs: []Bug{*bug, {ID: "y", Protocol: "MI_example", Title: c.listed}, {ID: "z", Protocol: "MSI", Title: other}}}
		if c.listed == "accepted" {
			list.Accepted = []Accepted{{Protocol: "MI_example", Titles: []string{other}}}
		}
		b := &Bench{Maker: &Maker{List: list}, Audit: o, Dir: dir, audits: audits}
		r := &Result{Finding: report.Stopped, Trees: &Trees{Before: before, Identity: "before", Repaired: c.repaired, RepairedIdentity: fmt.Sprint(c.repaired == broken, i < 1), All: c.all, AllIdentity: c.all}}
		if err := b.propose(t.Context(), bug, r); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Proposed.Passes(), r.Proposed.Gone, r.Proposed.New); got != c.want {
			t.Errorf("%d: passes, gone, new: %s, want %s", i, got, c.want)
		}
	}
	b := &Bench{Maker: &Maker{List: &List{Bugs: []Bug{*bug}}}, Audit: o, Dir: dir, audits: audits}
	gone := *report.Stopped
	gone.Machine.SetParameter = []string{"Directory.gone=1"}
	r := &Result{Finding: &gone, Trees: &Trees{Before: before, Identity: "before", Repaired: before, RepairedIdentity: "before"}}
	if err := b.propose(t.Context(), bug, r); err != nil || r.Proposed.Passes() || r.Proposed.Reason != "" || !slices.Equal(r.Proposed.Without, gone.Machine.SetParameter) {
		t.Errorf("a parameter that the repaired protocol does not have: %v, %+v", err, r.Proposed)
	}
	r.Trees.Repaired, r.Trees.RepairedIdentity = whole, fmt.Sprint(false, true)
	if err := b.propose(t.Context(), bug, r); err != nil || !r.Proposed.Passes() {
		t.Errorf("the fix, without a parameter: %v, %+v", err, r.Proposed)
	}
	if gone.Machine.SetParameter == nil {
		t.Error("the finding has lost its parameter")
	}
}
