package shapes_test

import (
	"strings"
	"testing"

	"ordeal/gen/shapes"
)

// TestWellFormed checks what the doc comments promise.
func TestWellFormed(t *testing.T) {
	names := make(map[string]bool)
	for _, s := range append(shapes.All(), further(t)...) {
		if names[s.Name] {
			t.Errorf("%s: two shapes of this name", s.Name)
		}
		names[s.Name] = true
		if len(s.Final) != s.Locations {
			t.Errorf("%s: %d final values for %d locations", s.Name, len(s.Final), s.Locations)
		}
		writes := map[int]int{} // location by value
		used := map[int]bool{}
		for _, ops := range s.Threads {
			for _, op := range ops {
				if op.Kind == shapes.Store || op.Kind == shapes.Exchange {
					if _, twice := writes[op.Write]; twice || op.Write == 0 {
						t.Errorf("%s: value %d is zero or written twice", s.Name, op.Write)
					}
					writes[op.Write] = op.Loc
				}
				if op.Kind != shapes.Fence {
					used[op.Loc] = true
				}
			}
		}
		if len(used) != s.Locations {
			t.Errorf("%s: uses %d locations, says %d", s.Name, len(used), s.Locations)
		}
		for _, ops := range s.Threads {
			for _, op := range ops {
				if loc, ok := writes[op.Read]; op.Read != 0 && (!ok || loc != op.Loc) {
					t.Errorf("%s: reads %d, which is not written there", s.Name, op.Read)
				}
			}
		}
		for loc, v := range s.Final {
			if at, ok := writes[v]; v != 0 && (!ok || at != loc) {
				t.Errorf("%s: final value %d, which is not written there", s.Name, v)
			}
		}
	}
	for _, name := range strings.Fields("SB MP LB S R 2+2W WRC RWC IRIW CoRR CoWW CoRW CoWR SB+fences MP+xchgs SB+rmws") {
		if s, ok := shapes.ByName(name); !ok || s.Name != name {
			t.Errorf("ByName(%s) = %q, %v", name, s.Name, ok)
		}
	}
	if s, ok := shapes.ByName("sb"); ok {
		t.Errorf("ByName(sb) = %s", s.Name)
	}
}

// TestOrdinary checks that every shape has outcomes at all: the cycle must
// not be forbidden just because no run can have these values. Under a model
// without any ordering only uniproc and atomicity remain.
func TestOrdinary(t *testing.T) {
	for _, s := range shapes.All() {
		relaxed := possible(s, machine{hazards: true, forward: true})
		coherence := strings.HasPrefix(s.Name, "CoWW") || strings.HasPrefix(s.Name, "CoRW") || strings.HasPrefix(s.Name, "CoWR")
		fences := strings.HasSuffix(s.Name, "+fences")
		if relaxed == (coherence || fences) {
			t.Errorf("%s: possible without any ordering: %v", s.Name, relaxed)
		}
	}
}

// TestAllowed compares the table with the definition of the models: an
// outcome is allowed if some coherence order makes all axioms hold.
func TestAllowed(t *testing.T) {
	const rr, rw, wr, ww = 1, 2, 4, 8
	machines := []struct {
		bit  shapes.Models
		name string
		machine
	}{
		{shapes.SC, "SC", machine{ppo: rr | rw | wr | ww, hazards: false, forward: false}},
		{shapes.TSO, "TSO", machine{ppo: rr | rw | ww, forward: true}},
		{shapes.PSO, "PSO", machine{ppo: rr | rw, forward: true}},
		{shapes.RMO, "RMO", machine{hazards: true, forward: true}},
	}
	for _, s := range append(shapes.All(), further(t)...) {
		for _, m := range machines {
			if got, want := possible(s, m.machine), s.Allowed&m.bit != 0; got != want {
				t.Errorf("%s under %s: possible %v, the table says %v\n%+v", s.Name, m.name, got, want, s)
			}
		}
	}
}
