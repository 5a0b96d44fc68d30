package explore

import (
	"slices"
	"sync"
	"testing"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
)

// visited is what a plain visit of a machine found.
type visited struct {
	states, steps, orbits, depth int
	expanded                     int // steps of the states that stand for their orbits
	complete                     bool
	titles                       []string // of the faults, sorted
	rows                         sim.Coverage
}

// visit visits at most limit states, or orbits with symmetry, of a machine.
func visit(t testing.TB, c Config, limit int) visited {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var v visited
	var e machine.Expansion
	queue := []machine.State{m.Initial()}
	seen := map[machine.Fingerprint]int{m.Fingerprint(m.Initial()): 0}
	depths := []int{0}
	for i := 0; i < len(queue) && len(queue) < limit; i++ {
		m.Expand(queue[i], &e)
		v.states += e.Orbit
		v.steps += e.Steps * e.Orbit
		v.expanded += e.Steps
		for _, f := range e.Faults {
			v.titles = append(v.titles, f.Property.String()+": "+f.Title())
		}
		for n, print := range e.Prints {
			if _, ok := seen[print]; !ok {
				seen[print] = len(queue)
				queue = append(queue, slices.Clone(machine.State(e.States[n*m.Width():(n+1)*m.Width()])))
				depths = append(depths, depths[i]+1)
			}
		}
		v.complete = i+1 == len(queue)
	}
	v.orbits, v.depth = len(queue), depths[len(depths)-1]
	slices.Sort(v.titles)
	v.titles = slices.Compact(v.titles)
	v.rows = m.Coverage()
	return v
}

// TestAgainstReference compares the machine, with and without symmetry, with the
// reference explorer: numbers of states and steps, depth, faults, rows.
func TestAgainstReference(t *testing.T) {
	const limit = 1_000
	for _, name := range protocols.Names() {
		p := compiled(t, name)
		for _, size := range []struct {
			cores, lines, devices int
			reorder               ruby.Reorder
		}{{1, 1, 0, 0}, {2, 1, 0, 0}, {1, 2, 0, 0}, {1, 1, 1, 0}, {1, 2, 0, ruby.ReorderAll}} {
			if size.devices > 0 && !p.Devices() {
				continue
			}
			c := tiny(p, size.cores, size.lines)
			c.System.Devices, c.System.Reorder = size.devices, size.reorder
			want, err := Reference(c, limit)
			if err != nil {
				t.Fatal(err)
			}
			if !want.Complete {
				continue
			}
			for _, symmetry := range []bool{false, true} {
				c.Symmetry = symmetry
				got := visit(t, c, limit)
				if !got.complete || got.states != want.States || got.steps != want.Steps || got.depth != want.Depth {
					t.Errorf("%s with %d cores, %d lines, symmetry %v: %d states, %d steps, depth %d; want %d, %d, %d",
						name, size.cores, size.lines, symmetry, got.states, got.steps, got.depth, want.States, want.Steps, want.Depth)
				}
				if symmetry {
					continue
				}
				for i := range want.Rows {
					if (want.Rows[i].Count > 0) != (got.rows[i].Count > 0) {
						t.Errorf("%s with %d cores, %d lines: row %v", name, size.cores, size.lines, want.Rows[i])
					}
				}
			}
		}
	}
}

// TestForks has forks expand the same states at the same time: all find the same
// fingerprints.
func TestForks(t *testing.T) {
	m, err := New(tiny(compiled(t, "moesi-hammer"), 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	const forks = 3
	found := make([][]machine.Fingerprint, forks)
	var group sync.WaitGroup
	for n := range forks {
		fork := m.Fork()
		group.Go(func() {
			var e machine.Expansion
			queue := []machine.State{fork.Initial()}
			seen := map[machine.Fingerprint]bool{}
			for i := 0; i < len(queue); i++ {
				fork.Expand(queue[i], &e)
				for k, print := range e.Prints {
					if !seen[print] {
						seen[print] = true
						found[n] = append(found[n], print)
						queue = append(queue, slices.Clone(machine.State(e.States[k*m.Width():(k+1)*m.Width()])))
					}
				}
			}
		})
	}
	group.Wait()
	for n := range forks {
		if len(found[n]) == 0 || !slices.Equal(found[n], found[0]) {
			t.Errorf("fork %d finds %d states, and fork 0 %d, or in another order", n, len(found[n]), len(found[0]))
		}
	}
}
