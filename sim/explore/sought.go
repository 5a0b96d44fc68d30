package explore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim/explore/machine"
)

// Reads are the values that the reads of each thread of a program return, in program
// order.
type Reads [][]gen.Value

// MaxSought bounds Config.Sought, of which every controller that was seen keeps a bit each.
const MaxSought = 1 << 12

// validateSought reports what is wrong with Config.Sought.
func (c *Config) validateSought() error {
	switch {
	case c.Sought == nil:
		return nil
	case c.Program == nil:
		return option.Faultf("sought", "want a program")
	case len(c.Sought) > MaxSought:
		return option.Faultf("sought", "%d: want at most %d", len(c.Sought), MaxSought)
	}
	for _, reads := range c.Sought {
		if len(reads) != len(c.Program.Threads) {
			return option.Faultf("sought", "reads of %d threads: the program has %d", len(reads), len(c.Program.Threads))
		}
		for t := range reads {
			if n := c.Program.Reads(gen.ThreadID(t)); len(reads[t]) != n {
				return option.Faultf("sought", "%d reads of thread %d: the program has %d", len(reads[t]), t, n)
			}
		}
	}
	return nil
}

// agrees reports whether the thread can still return these values: those of its reads that have
// retired are the first of them. A read in the window may be squashed, and does not count.
func (t *thread) agrees(reads []gen.Value) bool {
	n := 0
	for k := range t.code[:t.retired()] {
		if !t.code[k].Kind.Reads() {
			continue
		}
		if gen.Value(t.values[k]) != reads[n] {
			return false
		}
		n++
	}
	return true
}

// sought has a bit for each of Config.Sought with which all threads of controller i agree.
func (c *programCores) sought(i int) []uint64 {
	set := make([]uint64, (len(c.config.Sought)+63)/64)
	for n, reads := range c.config.Sought {
		if !slices.ContainsFunc(c.threadsOf(i), func(t int) bool { return !c.ran[t].agrees(reads[t]) }) {
			set[n/64] |= 1 << (n % 64)
		}
	}
	return set
}

// threadsOf lists the threads of the program that run at controller i.
func (c *programCores) threadsOf(i int) []int {
	var list []int
	for _, p := range c.byCore {
		if home, _ := c.Home(p.id); home == i && p.thread != nil {
			list = append(list, slices.Index(c.ran, p.thread))
		}
	}
	for _, d := range c.devices {
		if d.thread != nil && c.DeviceHome(d.number) == i {
			list = append(list, slices.Index(c.ran, d.thread))
		}
	}
	return list
}

// leadsOn reports whether an outcome with some of Config.Sought can be reached from a
// state, as far as the reads tell that have retired.
func (m *Machine) leadsOn(s machine.State) bool {
	for w := range (len(m.config.Sought) + 63) / 64 {
		all := ^uint64(0)
		for i := range m.Controllers() {
			if set := m.parts.controllers.at(s[i]).sought; set != nil {
				all &= set[w]
			}
		}
		if all != 0 {
			return true
		}
	}
	return false
}

// Sample runs the program once, taking steps at random, and returns its outcome. It reports false
// if the program has not come to its end in that many steps, or something fails before.
func (m *Machine) Sample(random *rand.Rand, steps int) (outcome []byte, ok bool) {
	if m.config.Program == nil {
		panic(fmt.Sprintf("explore: sample of %s without a program", m.config.Protocol.Name()))
	}
	// Some controllers run ahead of others, and some cores issue hardly anything before others have ended:
	// otherwise a thread would hardly ever see what two others have done one after the other.
	weights, cores := make([]float64, m.Controllers()), make([]float64, m.Controllers())
	for i := range weights {
		weights[i] = 1 + random.Float64()*7
		cores[i] = math.Pow(100, -float64(random.IntN(4)))
	}
	weight := func(s machine.State, ordinal uint16) float64 {
		i, o, _ := m.find(s, int(ordinal))
		if o != nil && o.core >= 0 {
			return cores[i]
		}
		return weights[i]
	}
	var e machine.Expansion
	s := m.Initial()
	for range steps {
		m.Expand(s, &e)
		switch {
		case e.Done:
			return m.Outcome(s), true
		case len(e.Faults) > 0, len(e.Ordinals) == 0:
			return nil, false
		}
		sum := 0.0
		for _, ordinal := range e.Ordinals {
			sum += weight(s, ordinal)
		}
		at := 0
		for left := random.Float64() * sum; at < len(e.Ordinals)-1; at++ {
			if left -= weight(s, e.Ordinals[at]); left < 0 {
				break
			}
		}
		s = slices.Clone(machine.State(e.States[at*m.Width() : (at+1)*m.Width()]))
	}
	return nil, false
}
