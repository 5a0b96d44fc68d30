package mutate

import (
	"strings"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// TestRepairs requires every repair to be found by its name, to be there once, and to change
// the text into another one that can be read.
func TestRepairs(t *testing.T) {
	const root = "MI_example.slicc"
	tree, err := syntax.Load(protocols.Files(), root)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(tree)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	operators := map[Operator]int{}
	for i, a := range c.Repairs() {
		if ids[a.ID] {
			t.Errorf("%s is listed twice", a.ID)
		}
		ids[a.ID] = true
		if operators[a.Operator]++; operators[a.Operator]%7 != 1 || i > 400 {
			continue
		}
		if m, err := c.Find(a.ID); err != nil || m.ID != a.ID {
			t.Errorf("%s: found %s, %v", a.ID, m.ID, err)
		}
		if files, err := Text(protocols.Files(), root, a.ID); err != nil || len(files) != 1 || string(files[0].Old) == string(files[0].New) {
			t.Errorf("%s: %d files, %v", a.ID, len(files), err)
		}
	}
	for _, op := range []Operator{Add, Call, Case, Set} {
		if operators[op] == 0 {
			t.Errorf("no repair by %s", op)
		}
	}
}

// TestRepairPoints lists the repairs of a small body, in which an action may say what others
// say.
func TestRepairPoints(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(x, "x", desc="") { free(a); unset(); out.addr := b; go(one, two); }
  action(y, "y", desc="") { free(a); out.addr := c; error("no"); go(one, three); }
  in_port(p, T, b) { if (m.Type == K:ONE || m.Type == K:TWO) { go(one, two); } }
}
protocol "P";
`
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range c.Repairs() {
		got = append(got, a.Place+"/"+strings.TrimPrefix(a.ID, "P/A/"+a.Place+"/"))
	}
	want := []string{
		"x/add:unset()@free(a)", "x/set:out.addr=c", "x/call:go(one, two)>go(one, three)",
		"y/add:unset()@free(a)", "y/set:out.addr=b", `y/call:error("no")>free(a)`, `y/call:error("no")>go(one, three)`, "y/call:go(one, three)>go(one, two)",
		"p/omit:m.Type == K:ONE", "p/omit:m.Type == K:TWO", "p/case:K:ONE>K:TWO", "p/case:K:TWO>K:ONE", "p/call:go(one, two)>go(one, three)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
