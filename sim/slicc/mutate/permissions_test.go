package mutate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
)

// TestPermit requires each state to get each other permission of the protocol, alone, in the tree
// and in the text, of which the rest stays as it is.
func TestPermit(t *testing.T) {
	c := catalogueOf(t, sending)
	const line = "I, AccessPermission:Invalid, desc=\"\"; S, AccessPermission:Busy, desc=\"\"; M, AccessPermission:Busy, desc=\"\";"
	want := map[string]string{
		"P/A/I/permit:Busy":    strings.Replace(line, "Invalid", "Busy", 1),
		"P/A/S/permit:Invalid": strings.Replace(line, "S, AccessPermission:Busy", "S, AccessPermission:Invalid", 1),
		"P/A/M/permit:Invalid": strings.Replace(line, "M, AccessPermission:Busy", "M, AccessPermission:Invalid", 1),
	}
	for _, a := range c.Repairs() {
		if a.Operator != Permit {
			continue
		}
		m, err := c.Find(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(sending, line, want[a.ID], 1)
		if want[a.ID] == "" || a.State != a.Place {
			t.Errorf("%s of state %q", a.ID, a.State)
			continue
		}
		delete(want, a.ID)
		expected, err := syntax.Parse("t.sm", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := syntax.PrintAll(c.Tree(m)); got != syntax.PrintAll(expected) {
			t.Errorf("%s:\n%s", a.ID, got)
		}
		files, err := Text(fstest.MapFS{"t.slicc": {Data: []byte("protocol \"P\";\ninclude \"t.sm\";\n")}, "t.sm": {Data: []byte(strings.Replace(sending, "protocol \"P\";\n", "", 1))}}, "t.slicc", a.ID)
		if err != nil || len(files) != 1 || string(files[0].New)+"protocol \"P\";\n" != text {
			t.Errorf("%s: text %s, %v", a.ID, fmt.Sprint(files), err)
		}
	}
	for id := range want {
		t.Errorf("no %s", id)
	}
	if _, err := c.Find("P/A/I/drop:x"); err == nil || !strings.Contains(err.Error(), "I is a state") {
		t.Errorf("another edit of a state: %v", err)
	}
}
