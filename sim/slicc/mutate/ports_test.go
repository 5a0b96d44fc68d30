package mutate

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/slicc/syntax"
)

// TestBefore requires a port to move before each of those that precede it, in the tree and in the
// text, which keeps its comments.
func TestBefore(t *testing.T) {
	const (
		head = "protocol \"P\";\nmachine(MachineType:A, \"a\") : int n; {\n"
		one  = `  // Requests.
  in_port(one_in, T, one, rank=2) {
    if (one_in.isReady(clockEdge())) { // some
      trigger(Event:E, a);
    }
  }
`
		function = "\n  int f() {\n    return 1;\n  }\n\n"
		two      = "  in_port(two_in, T, two) {\n    x.y(); // its own\n  }\n"
		three    = "  in_port(three_in, T, three) {\n    z.y();\n  }\n"
		tail     = "}\n"
	)
	files := fstest.MapFS{"p.slicc": {Data: []byte(head + one + function + two + "\n" + three + tail)}}
	root, err := syntax.Load(files, "p.slicc")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(root)
	if err != nil {
		t.Fatal(err)
	}
	body := strings.TrimPrefix(one, "  // Requests.\n")
	wants := map[string]string{
		"P/A/two_in/before:one_in":   head + "  // Requests.\n" + two + "\n" + body + function + "\n" + three + tail,
		"P/A/three_in/before:one_in": head + "  // Requests.\n" + three + "\n" + body + function + two + "\n" + tail,
		"P/A/three_in/before:two_in": head + one + function + three + "\n" + two + "\n" + tail,
	}
	var ids []string
	for _, a := range c.Repairs() {
		if a.Operator == Before {
			ids = append(ids, a.ID)
		}
	}
	if want := []string{"P/A/two_in/before:one_in", "P/A/three_in/before:one_in", "P/A/three_in/before:two_in"}; !slices.Equal(ids, want) {
		t.Fatalf("%q, want %q", ids, want)
	}
	for id, want := range wants {
		changed, err := Text(files, "p.slicc", id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(changed[0].New)); diff != "" {
			t.Errorf("%s: text (-want +got)\n%s", id, diff)
		}
		m, err := c.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := syntax.Parse("p.slicc", []byte(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(syntax.PrintAll(expected), syntax.PrintAll(c.Tree(m))); diff != "" {
			t.Errorf("%s: tree (-want +got)\n%s", id, diff)
		}
	}
	moved, err := NewCatalogue(c.Tree(must(t, c, ids[1])))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := moved.Ports("A"), []string{"three_in", "one_in", "two_in"}; !slices.Equal(got, want) {
		t.Errorf("ports %q, want %q", got, want)
	}
	if _, err := c.Find("P/A/one_in/before:two_in"); err == nil {
		t.Error("a port moves before one behind it")
	}
}

func must(t *testing.T, c *Catalogue, id string) Mutant {
	t.Helper()
	m, err := c.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
