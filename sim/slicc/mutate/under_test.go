package mutate

import (
	"slices"
	"strings"
	"testing"

	"ordeal/sim/slicc/syntax"
)

// TestUnder requires an assignment in front of a condition to move under it, in the tree and in the
// text, and no other statement.
func TestUnder(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(x, "x", desc="") {
    peek(p, T) {
      assert(valid);
      e.Data := in_msg.Data;
      if (in_msg.Dirty) {
        e.Dirty := in_msg.Dirty;
      }
      e.Last := n;
    }
    e.Other := n;
    if (a) {
      b.c(d);
    } else {
      b.d(d);
    }
  }
}
protocol "P";
`
	c := catalogueOf(t, text)
	var got []string
	for _, a := range c.Repairs() {
		if a.Operator != Under {
			continue
		}
		got = append(got, a.ID)
		if a.Pos.Line != 5 {
			t.Errorf("%s: line %d", a.ID, a.Pos.Line)
		}
		m, err := c.Find(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := syntax.Parse("t.sm", []byte(strings.Replace(strings.Replace(text, "      e.Data := in_msg.Data;\n", "", 1), "e.Dirty :=", "e.Data := in_msg.Data; e.Dirty :=", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if tree := syntax.PrintAll(c.Tree(m)); tree != syntax.PrintAll(expected) {
			t.Errorf("%s:\n%s", a.ID, tree)
		}
	}
	if want := []string{"P/A/x/under:e.Data := in_msg.Data"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
