package explore

import (
	"strings"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

func compiled(t testing.TB, name string) *ruby.Protocol {
	t.Helper()
	tree, err := protocols.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tiny is a machine whose caches have one way.
func tiny(p *ruby.Protocol, cores, lines int) Config {
	return Config{
		Protocol: p, Lines: lines,
		System: ruby.Options{Cores: cores, Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 1, Ways: 1}, Shared: cache.Geometry{Sets: 1, Ways: 1}}},
	}
}

// TestReference visits the smallest machines whole: the project's own protocols
// have no fault there, and no row is taken that a machine with one line cannot take.
func TestReference(t *testing.T) {
	for _, name := range protocols.Names() {
		p := compiled(t, name)
		for _, size := range []struct{ cores, lines int }{{1, 1}, {2, 1}} {
			r, err := Reference(tiny(p, size.cores, size.lines), 5_000)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Complete || r.States < 5 {
				t.Errorf("%s with %d cores, %d lines: %d states, complete %v", name, size.cores, size.lines, r.States, r.Complete)
			}
			for _, f := range r.Findings {
				t.Errorf("%s with %d cores, %d lines: %v\n%s", name, size.cores, size.lines, f.Fault, strings.Join(f.Path, "\n"))
			}
			for _, row := range r.Rows {
				if row.Count > 0 && strings.Contains(row.Event, "Replacement") {
					t.Errorf("%s with one line: row (%s, %s) of %s is taken", name, row.State, row.Event, row.Machine)
				}
			}
		}
	}
}
