package protocoltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/builtin"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// mutant is a fault to plant in a protocol and what must come of it.
type mutant struct {
	name  string
	edits []string // names of package mutate
	// want lists the verdicts of which the first run that does not pass must
	// show one; none for a mutant that no run can tell from the protocol.
	want []verdict
	// hunt is where to look, the first load most often.
	hunt []load
	// rare mutants take many seeds and run with -soak only.
	rare bool
}

// rows names edits of the rows of a machine for all states and all events, both
// separated by blanks.
func rows(protocol, machine, states, events string, edits ...string) []string {
	var names []string
	for _, s := range strings.Fields(states) {
		for _, e := range strings.Fields(events) {
			for _, edit := range edits {
				names = append(names, fmt.Sprintf("%s/%s/(%s,%s)/%s", protocol, machine, s, e, edit))
			}
		}
	}
	return names
}

// mutated is a simulator for a load on a protocol with a mutant's edits.
func (l load) mutated(t testing.TB, protocol string, m mutant) *builtin.Runner {
	t.Helper()
	tree, err := protocols.Load(protocol)
	if err != nil {
		t.Fatal(err)
	}
	p, err := mutate.New(tree)
	if err != nil {
		t.Fatal(err)
	}
	planted, err := p.Find(strings.Join(m.edits, " + "))
	if err != nil {
		t.Fatal(err)
	}
	o := l.machine()
	o.Tree = p.Apply(planted)
	r, err := builtin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Numbers of seeds for each load of a mutant.
const (
	manySeeds = 1_000 // to find a mutant
	rareSeeds = 20_000
	noSeeds   = 10 // to believe that a mutant is equivalent
)

// huntMutants runs the mutants of a protocol until their verdicts show. With
// -short only every fifth is run.
func huntMutants(t *testing.T, protocol string, mutants []mutant) {
	for i, m := range mutants {
		if m.rare && !*soak || testing.Short() && i%5 > 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			runners := make([]*builtin.Runner, len(m.hunt))
			for k, l := range m.hunt {
				runners[k] = l.mutated(t, protocol, m)
			}
			seeds := uint64(manySeeds)
			if m.rare {
				seeds = rareSeeds
			}
			if len(m.want) == 0 && !*soak {
				seeds = noSeeds
			}
			for seed := range seeds {
				for k, l := range m.hunt {
					j := l.run(t, runners[k], seed)
					if j.verdict == passed {
						continue
					}
					if !slices.Contains(m.want, j.verdict) {
						t.Fatalf("%s, seed %d: %s: %s; want one of %q", l, seed, j.verdict, j.why, m.want)
					}
					t.Logf("%s in run %d: %s", j.verdict, seed*uint64(len(m.hunt))+uint64(k)+1, firstLine(j.why))
					return
				}
			}
			if len(m.want) > 0 {
				t.Errorf("%d runs pass", seeds*uint64(len(m.hunt)))
			}
		})
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
