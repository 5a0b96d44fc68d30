package exploration

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim"
)

// TestRarest chooses the path with the rarest transitions first, and then the one that
// adds the rarest to it.
func TestRarest(t *testing.T) {
	rows := func(events string) (list []sim.Row) {
		for _, e := range strings.Fields(events) {
			list = append(list, sim.Row{Machine: "M", State: "I", Event: e})
		}
		return list
	}
	paths := []rarePath{
		{[]string{"one"}, rows("a b")}, {[]string{"two"}, rows("a b c d")}, {[]string{"three"}, rows("a b c")}, {[]string{"four"}, rows("a e")},
	}
	got := rarest(paths, 3)
	if want := [][]string{{"two"}, {"four"}, {"one"}}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRare makes programs of paths of MI: the same ones each time, which lead to
// replacements.
func TestRare(t *testing.T) {
	c, err := config.Explored(config.Machine{Protocol: "mi"}, &config.Explore{Lines: 2})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Rare(t.Context(), c, 2_000, 4)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Rare(t.Context(), c, 2_000, 4)
	if err != nil || !cmp.Equal(list, again) || len(list) != 4 {
		t.Errorf("%v; %q and %q", err, list, again)
	}
	for _, steps := range list {
		if p := Timed([][]string{steps}, 20); p.Validate() != nil || !slices.ContainsFunc(p.Threads, func(ops []gen.Op) bool { return len(ops) >= 20 }) {
			t.Errorf("%v of %q", p, steps)
		}
	}
}

// TestTimed keeps the order of the accesses of two cores.
func TestTimed(t *testing.T) {
	p := Timed([][]string{{"core 0 stores line 1", "core 1 loads line 0", "message x", "core 0 loads line 0"}}, 4)
	delay := func(steps int) gen.Op { return gen.Op{Kind: gen.Delay, Value: gen.Value(stepDelay * steps)} }
	want := []gen.Op{{Kind: gen.Store, Loc: 1, Value: 1}, delay(3), {Kind: gen.Load}, {Kind: gen.Store, Loc: 1, Value: 2}, delay(3), {Kind: gen.Load}}
	if !cmp.Equal(p.Threads[0], want) || p.Layout != gen.Conflict || len(p.Threads[1]) != 4 {
		t.Errorf("%v, want %v; %v", p.Threads[0], want, p.Threads[1])
	}
	if Timed([][]string{{"message x"}}, 4) != nil {
		t.Error("a program without accesses")
	}
}
