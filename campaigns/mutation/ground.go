package mutation

import (
	"fmt"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/litmus"
	"ordeal/gen/shapes"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// ground is a small machine on which mutants are explored, with what the protocol
// itself does there.
type ground struct {
	name   string
	config explore.Config
	model  string // of the outcomes of its program
	live   bool   // requests have to be answered, under weak fairness
	last   bool   // only what no other machine kills is explored here
	depth  int    // the states up to here are explored; 0: all

	states uint64
	digest uint64
	titles map[string]bool // of what does not hold for the protocol either
	taken  map[sim.Row]bool
}

// groundShapes are the critical cycles that out-of-order cores run: what a cache
// owes to their load queues shows in no other way.
var groundShapes = []string{"MP", "CoRR"}

// grounds lists the machines for a protocol, the smallest first: any access at any
// time by two and three cores, with a device, with two words, with two lines, and two
// programs. On the machines of two cores and one line every request has to be
// answered, too. The last machine has two cores, two lines and a device at once.
func grounds(p *ruby.Protocol) ([]*ground, error) {
	tiny := func(cores, lines, devices int) explore.Config {
		one := cache.Geometry{Sets: 1, Ways: 1}
		return explore.Config{
			Protocol: p, Lines: lines, Symmetry: true, System: ruby.Options{Cores: cores, Hardware: ruby.Hardware{Private: one, Shared: one}, Devices: devices},
		}
	}
	m, err := explore.New(tiny(2, 1, 0))
	if err != nil {
		return nil, err
	}
	each := 2 / m.Private() // cores of a controller
	var list []*ground
	add := func(c explore.Config, live bool) {
		name := messages.Plural(c.System.Cores, "core") + ", " + messages.Plural(c.Lines, "line")
		if c.Words > 1 {
			name += fmt.Sprintf(" of %d words", c.Words)
		}
		if c.Outstanding > 1 {
			name += fmt.Sprintf(", %d accesses each", c.Outstanding)
		}
		if c.System.Devices > 0 {
			name += ", DMA"
		}
		c.Symmetry = !live
		list = append(list, &ground{name: name, config: c, live: live})
	}
	add(tiny(2*each, 1, 0), true)
	if each == 1 {
		add(tiny(3, 1, 0), false)
	}
	words, more := tiny(2, 1, 0), tiny(1, 2, 0)
	words.Words, more.Outstanding = 2, 2
	if p.Devices() {
		add(tiny(2, 1, 1), true)
		words.System.Devices = 1
	}
	add(words, false)
	add(more, false)
	for _, name := range groundShapes {
		s, ok := shapes.ByName(name)
		if !ok {
			return nil, fmt.Errorf("no shape %s", name)
		}
		c := tiny(2*each, 0, 0)
		c.Program, c.Core, c.IdleLoads, c.Placement = litmus.ShapeProgram(&s), core.OOO, 1, []int{0, each}
		list = append(list, &ground{name: fmt.Sprintf("%s on %d ooo cores", name, 2*each), config: c, model: "tso"})
	}
	if p.Devices() {
		add(tiny(1, 2, 1), false)
	}
	add(tiny(2, 2, 0), false)
	if p.Devices() {
		add(tiny(2, 2, 1), false)
		list[len(list)-1].last = true
	}
	return list, nil
}

// names returns the names of machines, in one text.
func names(list []*ground) string {
	var all []string
	for _, g := range list {
		all = append(all, g.name)
	}
	return strings.Join(all, "; ")
}
