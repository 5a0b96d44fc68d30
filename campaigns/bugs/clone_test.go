package bugs

import (
	"os"
	"testing"
)

// cloneVariable names a clone of gem5's repository, for the tests that need one.
const cloneVariable = "ORDEAL_GEM5_CLONE"

// TestClone makes the protocols of all bugs of the list.
func TestClone(t *testing.T) {
	dir := os.Getenv(cloneVariable)
	if dir == "" {
		t.Skip("needs a clone of gem5's repository in " + cloneVariable)
	}
	list, err := Gem5()
	if err != nil {
		t.Fatal(err)
	}
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := Maker{Clone: clone, List: list, Dir: t.TempDir()}
	made := 0
	for i := range list.Bugs {
		b := &list.Bugs[i]
		trees, err := m.Make(t.Context(), b)
		if err != nil {
			t.Logf("%s: %v", b.ID, err)
			continue
		}
		t.Logf("%s: %s", b.ID, trees.How)
		made++
	}
	if t.Logf("%d of %d", made, len(list.Bugs)); 2*made < len(list.Bugs) {
		t.Errorf("the protocols of %d of %d bugs can be made: want at least half", made, len(list.Bugs))
	}
}
