package html

import (
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// growth follows what a campaign discovers as its operations add up: transitions
// of each protocol, and findings. Canaries and mutants do not count as coverage.
type growth struct {
	operations int // of all runs so far
	protocols  map[string]*discovery[sim.Row]
	order      []string
	findings   discovery[summary.FindingKey]
}

// discovery is what runs have discovered of one kind.
type discovery[K comparable] struct {
	runs, operations int
	// firsts are the operations at which something was seen that no earlier run had.
	firsts []int
	seen   map[K]bool
}

func newDiscovery[K comparable]() *discovery[K] { return &discovery[K]{seen: make(map[K]bool)} }

func newGrowth() growth {
	return growth{protocols: make(map[string]*discovery[sim.Row]), findings: *newDiscovery[summary.FindingKey]()}
}

// add counts a run of a protocol, which is empty where coverage does not count; fresh says
// that it took a transition which no earlier run of its configuration took.
func (g *growth) add(run *journal.Entry, protocol, system string, fresh bool) {
	g.operations += run.Operations
	g.findings.add(run)
	if run.Finding() {
		g.findings.show(summary.KeyOf(run, system))
	}
	if protocol == "" || run.Covered == nil {
		return
	}
	d := g.protocols[protocol]
	if d == nil {
		d = newDiscovery[sim.Row]()
		g.protocols[protocol] = d
		g.order = append(g.order, protocol)
	}
	d.add(run)
	for i := range run.Coverage {
		if t := &run.Coverage[i]; fresh && t.Taken() {
			d.show(t.Row)
		}
	}
}

func (d *discovery[K]) add(run *journal.Entry) {
	d.runs++
	d.operations += run.Operations
}

// show notes what a run shows, which may be new.
func (d *discovery[K]) show(k K) {
	if !d.seen[k] {
		d.seen[k] = true
		d.firsts = append(d.firsts, d.operations)
	}
}
