package mutation

import (
	"bytes"
	"regexp"
	"testing"

	"ordeal/campaigns/config"
)

// TestTables writes catches as tables: one with two outcomes and a seed that
// missed, one that was missed by most, one of a negative control.
func TestTables(t *testing.T) {
	hit := func(ops int, by string) Trial { return Trial{Killed: true, By: by, Ops: ops} }
	machine := config.Machine{Protocol: "mi", Core: "ooo"}
	catches := []*Catch{
		{Name: "one", Bug: config.Bug{Known: "A Race"}, Machine: machine, Seeds: []Trial{hit(30, "violation"), {Ops: 99}, hit(10, "deadlock"), hit(20, "violation")}},
		{Name: "rare", Bug: config.Bug{Budget: 500}, Machine: machine, Seeds: []Trial{{Ops: 99}, hit(10, "crash"), {Ops: 99}}},
		{Name: "control", Bug: config.Bug{Equivalent: "it counts"}, Machine: machine, Seeds: []Trial{{Ops: 99}}},
	}
	for _, table := range []struct {
		write func(*bytes.Buffer) error
		want  string
	}{
		{func(out *bytes.Buffer) error { return WriteCatches(out, catches) }, `bug      in       caught  by                           median    most      known as
one      mi, ooo  3 of 4  deadlock, violation          20        > budget  A Race
rare     mi, ooo  1 of 3  crash (rare: within 500)     > budget  > budget  
control  mi, ooo  0 of 1  never, as it should: it counts  -         -         
`},
		{func(out *bytes.Buffer) error { return WriteMarkdown(out, catches) }, `| bug | in | caught | by | median | most | known as |
|---|---|---|---|---|---|---|
| one | mi, ooo | 3 of 4 | deadlock, violation | 20 | > budget | A Race |
| rare | mi, ooo | 1 of 3 | crash (rare: within 500) | > budget | > budget |  |
| control | mi, ooo | 0 of 1 | never, as it should: it counts | - | - |  |
`},
	} {
		var out bytes.Buffer
		if err := table.write(&out); err != nil || squeeze(out.String()) != squeeze(table.want) {
			t.Errorf("%v:\n%s", err, out.String())
		}
	}
}

// squeeze makes one blank of several.
func squeeze(s string) string { return blanks.ReplaceAllString(s, " ") }

var blanks = regexp.MustCompile(` +`)

func TestNamed(t *testing.T) {
	for known, want := range map[string]bool{"": false, "H10": false, "SQ+no-FIFO (McVerSi, HPCA 2016)": true, "H10 of hammer": true} {
		if Named(&config.Bug{Known: known}) != want {
			t.Errorf("%q: named is not %v", known, want)
		}
	}
}
