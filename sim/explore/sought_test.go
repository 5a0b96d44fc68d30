package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/gen/wire"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore/machine"
)

// graph is all states of a program, their successors, and the log of those at its end.
type graph struct {
	next map[machine.Fingerprint][]machine.Fingerprint
	logs map[machine.Fingerprint]string
}

func graphOf(t *testing.T, c Config) *graph {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	g := &graph{map[machine.Fingerprint][]machine.Fingerprint{}, map[machine.Fingerprint]string{}}
	var e machine.Expansion
	queue := []machine.State{m.Initial()}
	seen := map[machine.Fingerprint]bool{m.Fingerprint(m.Initial()): true}
	for i := 0; i < len(queue); i++ {
		m.Expand(queue[i], &e)
		if len(e.Faults) > 0 {
			t.Fatalf("%+v", e.Faults)
		}
		if e.Done {
			g.logs[e.Print] = string(m.Outcome(queue[i]))
		}
		g.next[e.Print] = slices.Clone(e.Prints)
		for n, print := range e.Prints {
			if !seen[print] {
				seen[print] = true
				queue = append(queue, slices.Clone(machine.State(e.States[n*m.Width():(n+1)*m.Width()])))
			}
		}
	}
	return g
}

// before are the states from which one of some ends can be reached.
func (g *graph) before(ends func(log string) bool) map[machine.Fingerprint]bool {
	from := map[machine.Fingerprint][]machine.Fingerprint{}
	for a, list := range g.next {
		for _, b := range list {
			from[b] = append(from[b], a)
		}
	}
	set := map[machine.Fingerprint]bool{}
	var list []machine.Fingerprint
	for f, log := range g.logs {
		if ends(log) {
			set[f] = true
			list = append(list, f)
		}
	}
	for len(list) > 0 {
		last := list[len(list)-1]
		list = list[:len(list)-1]
		for _, f := range from[last] {
			if !set[f] {
				set[f] = true
				list = append(list, f)
			}
		}
	}
	return set
}

// TestSought looks for each outcome of programs by its reads, and for none: no state is left out from which
// the outcome can be reached, so that it is found if and only if it is there, and states without it are left
// out. An out-of-order core may squash what it has read, and read another value.
func TestSought(t *testing.T) {
	p := compiled(t, "mi")
	for _, program := range []struct {
		shape string
		kind  core.Kind
	}{{"SB", core.TSO}, {"MP", core.OOO}, {"CoRR", core.OOO}, {"S", core.PSO}} {
		s, _ := shapes.ByName(program.shape)
		c := tiny(p, 2, 1)
		c.Program, c.Core = programOf(s), program.kind
		all := graphOf(t, c)
		for _, reads := range combinations(c.Program) {
			c.Sought = []Reads{reads}
			if len(reads[1]) > 0 { // behind more than fit into a word, which no thread agrees with
				never := []gen.Value{99, 99}[:len(reads[1])]
				c.Sought = append(slices.Repeat([]Reads{{reads[0], never}}, 64), reads)
			}
			found := graphOf(t, c)
			ends := func(log string) bool { return strings.HasPrefix(log, logOf(c.Program, reads)) }
			before, total := all.before(ends), 0
			for f := range before {
				if found.next[f] == nil {
					t.Errorf("%s, reads %v: a state is left out", program.shape, reads)
				}
			}
			for f, log := range all.logs {
				if ends(log) {
					total++
				}
				if _, ok := found.logs[f]; ok != ends(log) {
					t.Errorf("%s, reads %v: the end %q is found: %v", program.shape, reads, log, ok)
				}
			}
			if total == 0 && len(found.next) == len(all.next) {
				t.Errorf("%s, reads %v: all of %d states are visited, though none leads there", program.shape, reads, len(all.next))
			}
		}
		c.Sought = []Reads{}
		if found := graphOf(t, c); len(found.next) != 1 {
			t.Errorf("%s: %d states are visited for no outcome", program.shape, len(found.next))
		}
	}
}

// combinations are all values that the reads may return: the initial one, and those of stores.
func combinations(p *gen.Program) []Reads {
	list := []Reads{{}}
	for t, ops := range p.Threads {
		for i := range list {
			list[i] = append(list[i], nil)
		}
		for _, op := range ops {
			if !op.Kind.Reads() {
				continue
			}
			values := []gen.Value{0}
			for _, others := range p.Threads {
				for _, w := range others {
					if w.Kind.Writes() && w.Loc == op.Loc {
						values = append(values, w.Value)
					}
				}
			}
			var longer []Reads
			for _, r := range list {
				for _, v := range values {
					n := slices.Clone(r)
					n[t] = append(slices.Clone(r[t]), v)
					longer = append(longer, n)
				}
			}
			list = longer
		}
	}
	return list
}

// TestSoughtValidate refuses reads that are not those of the program.
func TestSoughtValidate(t *testing.T) {
	s, _ := shapes.ByName("SB")
	c := tiny(compiled(t, "mi"), 2, 1)
	c.Program = programOf(s)
	for _, sought := range [][]Reads{{{{0}}}, {{{0}, {0, 1}}}, make([]Reads, MaxSought+1)} {
		c.Sought = sought
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "sought") {
			t.Errorf("%d combinations, the first %v: %v", len(sought), sought[0], err)
		}
	}
	c.Program, c.Sought = nil, []Reads{}
	if err := c.Validate(); err == nil || !strings.Contains(fmt.Sprint(err), "want a program") {
		t.Errorf("without a program: %v", err)
	}
}

// logOf is what the log of an outcome with these reads begins with.
func logOf(p *gen.Program, reads Reads) string {
	w := wire.NewWriter(p, 1)
	var log []byte
	for t := range reads {
		log = w.AppendThread(log, gen.ThreadID(t), reads[t])
	}
	return string(log)
}
