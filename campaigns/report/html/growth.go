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
	protocols  map[string]*discovery
	order      []string
	configs    map[string]*indexed
	findings   discovery
	seen       map[summary.FindingKey]int
}

// discovery is what runs have discovered of one kind.
type discovery struct {
	runs, operations int
	// firsts are the operations at which something was seen that no earlier run had.
	firsts []int
	// count has the number of runs that showed each thing.
	count []int
	names map[sim.Row]int // indexes of count
}

// indexed has the index in discovery.count of each transition of a configuration's
// runs, by its index there: the journal has one order for all of them.
type indexed struct{ at []int }

func newGrowth() growth {
	return growth{protocols: make(map[string]*discovery), configs: make(map[string]*indexed), seen: make(map[summary.FindingKey]int)}
}

// add counts a run of a protocol, which is empty where coverage does not count.
func (g *growth) add(run *journal.Entry, protocol, system string) {
	g.operations += run.Operations
	g.findings.runs++
	g.findings.operations = g.operations
	if run.Finding() {
		key := summary.KeyOf(run, system)
		i, ok := g.seen[key]
		if !ok {
			i = len(g.findings.count)
			g.seen[key] = i
		}
		g.findings.took(i)
	}
	if protocol == "" || run.Covered == nil {
		return
	}
	d := g.protocols[protocol]
	if d == nil {
		d = &discovery{names: make(map[sim.Row]int)}
		g.protocols[protocol] = d
		g.order = append(g.order, protocol)
	}
	d.runs++
	d.operations += run.Operations
	x := g.configs[run.ConfigName]
	if x == nil {
		x = new(indexed)
		g.configs[run.ConfigName] = x
	}
	for i := range run.Coverage {
		t := &run.Coverage[i]
		for len(x.at) <= i {
			x.at = append(x.at, -1)
		}
		if !t.Taken() {
			continue
		}
		if x.at[i] < 0 {
			name := t.Row
			at, ok := d.names[name]
			if !ok {
				at = len(d.count)
				d.names[name] = at
			}
			x.at[i] = at
		}
		d.took(x.at[i])
	}
}

// took counts a run that shows a thing, which may be the next new one.
func (d *discovery) took(i int) {
	if i == len(d.count) {
		d.count = append(d.count, 0)
		d.firsts = append(d.firsts, d.operations)
	}
	d.count[i]++
}

// once counts what exactly one run showed.
func (d *discovery) once() int {
	n := 0
	for _, c := range d.count {
		if c == 1 {
			n++
		}
	}
	return n
}
