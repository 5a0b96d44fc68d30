package ruby

import (
	"testing"

	"ordeal/sim/builtin/memory"
)

// TestDirectory looks entries up after each change of what a directory has.
func TestDirectory(t *testing.T) {
	first, second := &object{}, &object{}
	d := &directory{entries: map[memory.Addr]*object{}}
	want := func(line memory.Addr, e *object, when string) {
		t.Helper()
		for range 2 {
			if got := d.lookup(line); got != e {
				t.Errorf("%s: %p of line %d, want %p", when, got, line, e)
			}
		}
	}
	want(64, nil, "at first")
	d.add(64, first)
	want(64, first, "added")
	want(128, nil, "added")
	want(64, first, "added")
	d.add(64, second)
	want(64, second, "replaced")
	d.drop(64)
	want(64, nil, "dropped")
	d.add(64, first)
	want(64, first, "added again")
	d.reset()
	want(64, nil, "reset")
}
