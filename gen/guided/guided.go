// Package guided evolves programs on feedback from the memory system they ran
// on, in the spirit of McVerSi (Elver and Nagarajan, HPCA 2016): programs that
// take rare transitions of a coherence protocol, and whose reads see many
// different stores, have offspring.
//
// What evolves is a program together with what it was drawn from: the sizes,
// the mix of operations, the memory layout, the locality, and the sizes of the
// machine. Programs of one memory layout are an island, with a measure of its
// own for what is rare: many lines that conflict take more different
// transitions than many words of one line do, but each shows faults that the
// other does not. A child is a program drawn again from changed parameters, or one in
// which operations of two parents meet: those on locations that raced in one
// of them stay, the others come from the other parent or are drawn again.
package guided

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ordeal/gen"
)

// Space is what candidates are drawn from: uniformly, each choice for itself.
type Space struct {
	Threads, Ops, Locations []int
	Layouts                 []gen.Layout
	Mixes                   []gen.Mix
	Localities, ShapeShares []float64
	Rounds                  []int
	// DMA and Fetch are numbers of further threads, of devices and of instruction
	// fetch; none is 0 of each.
	DMA, Fetch []int
	// Sizes lists, for each size of the machine, the values to choose from.
	Sizes [][]int
	// Crowd, if not zero, is from how many threads on a program has at most CrowdOps operations in
	// all its rounds, so that programs of many threads do not take all the time.
	Crowd, CrowdOps int
	_               struct{}
}

// Validate reports choices that have nothing to choose from.
func (s *Space) Validate() error {
	var errs []error
	for _, c := range s.choices() {
		if c.n == 0 {
			errs = append(errs, fmt.Errorf("space of programs: no %s", c.name))
		}
	}
	return errors.Join(errs...)
}

// Candidate is a program to run, with the sizes of the machine.
type Candidate struct {
	Program *gen.Program
	Rounds  int
	Sizes   []int // by the order of Space.Sizes
	options gen.Options
}

// Ops is the number of operations of all rounds.
func (c *Candidate) Ops() int { return c.Program.Ops() * c.Rounds }

// Random draws a candidate from the space.
func (s *Space) Random(rng *rand.Rand) (*Candidate, error) {
	c := base()
	for _, choice := range s.choices() {
		choice.draw(rng, c)
	}
	return c, s.draw(rng, c)
}

// base is a candidate without choices.
func base() *Candidate { return &Candidate{options: gen.Defaults()} }

// draw draws the program of a candidate whose choices are made.
func (s *Space) draw(rng *rand.Rand, c *Candidate) error {
	if threads := c.options.Threads; s.Crowd > 0 && threads >= s.Crowd {
		c.options.Ops = min(c.options.Ops, max(s.CrowdOps/threads, 1))
		c.Rounds = min(c.Rounds, max(s.CrowdOps/(threads*c.options.Ops), 1))
	}
	var err error
	c.Program, err = gen.Random(rng, c.options)
	return err
}

// choice is a property of a candidate, which has one of n values.
type choice struct {
	name string
	n    int
	set  func(c *Candidate, i int)
}

func (s *Space) choices() []choice {
	list := []choice{
		{"threads", len(s.Threads), func(c *Candidate, i int) { c.options.Threads = s.Threads[i] }},
		{"ops", len(s.Ops), func(c *Candidate, i int) { c.options.Ops = s.Ops[i] }},
		{"locations", len(s.Locations), func(c *Candidate, i int) { c.options.Locations = s.Locations[i] }},
		{"layouts", len(s.Layouts), func(c *Candidate, i int) { c.options.Layout = s.Layouts[i] }},
		{"mixes", len(s.Mixes), func(c *Candidate, i int) { c.options.Mix = s.Mixes[i] }},
		{"localities", len(s.Localities), func(c *Candidate, i int) { c.options.Locality = s.Localities[i] }},
		{"shape shares", len(s.ShapeShares), func(c *Candidate, i int) { c.options.ShapeShare = s.ShapeShares[i] }},
		{"rounds", len(s.Rounds), func(c *Candidate, i int) { c.Rounds = s.Rounds[i] }},
	}
	if len(s.DMA) > 0 {
		list = append(list, choice{"devices", len(s.DMA), func(c *Candidate, i int) { c.options.DMA = s.DMA[i] }})
	}
	if len(s.Fetch) > 0 {
		list = append(list, choice{"fetching threads", len(s.Fetch), func(c *Candidate, i int) { c.options.Fetch = s.Fetch[i] }})
	}
	for k, values := range s.Sizes {
		list = append(list, choice{fmt.Sprintf("values of size %d", k), len(values), func(c *Candidate, i int) {
			sizes := make([]int, len(s.Sizes))
			copy(sizes, c.Sizes)
			sizes[k] = values[i]
			c.Sizes = sizes
		}})
	}
	return list
}

func (ch choice) draw(rng *rand.Rand, c *Candidate) { ch.set(c, rng.IntN(ch.n)) }

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// Feedback is what a run of a candidate showed.
type Feedback struct {
	// Taken are the transitions of the protocol that the run took, by any
	// numbering that stays the same.
	Taken []int
	// Writers counts for each location the different stores that its reads
	// saw: how much the threads raced there.
	Writers []int
}

// Parameters of the search.
const (
	population = 15 // of an island
	tournament = 5
	fresh      = 0.3  // share of candidates drawn at random
	drawn      = 0.5  // share of children whose island is drawn, not chosen
	redrawn    = 0.5  // share of children drawn again from changed parameters
	changes    = 2    // most parameters that a child changes
	replaced   = 0.1  // share of a child's operations that are drawn again
	raceWeight = 0.02 // of a store seen, against a transition never taken before
	overhead   = 300  // operations that a candidate costs besides its own
)

// Search is an evolution. It is a function of its seed and the feedback.
type Search struct {
	space   *Space
	rng     *rand.Rand
	islands []island
	members int
	seen    map[int]int // how many runs took a transition
}

// island is a population of programs of one layout.
type island struct {
	layout  gen.Layout
	members []member
	seen    map[int]int // how many runs of the island took a transition
}

type member struct {
	c *Candidate
	f Feedback
}

// NewSearch starts an evolution.
func NewSearch(space *Space, rng *rand.Rand) (*Search, error) {
	if err := space.Validate(); err != nil {
		return nil, err
	}
	return &Search{space: space, rng: rng, seen: map[int]int{}}, nil
}

// Next is a candidate to run.
func (s *Search) Next() (*Candidate, error) {
	if s.members < population || s.rng.Float64() < fresh {
		return s.space.Random(s.rng)
	}
	home := s.home()
	parent := home.choose(s.rng)
	child := &Candidate{Program: parent.c.Program, Rounds: parent.c.Rounds, Sizes: parent.c.Sizes, options: parent.c.options}
	choices := s.space.choices()
	if s.rng.Float64() < redrawn {
		for range 1 + s.rng.IntN(changes) {
			pick(s.rng, choices).draw(s.rng, child)
		}
		return child, s.space.draw(s.rng, child)
	}
	if s.rng.IntN(2) == 0 && len(s.space.Sizes) > 0 {
		pick(s.rng, choices[len(choices)-len(s.space.Sizes):]).draw(s.rng, child)
	}
	return child, s.cross(child, parent, home.choose(s.rng))
}

// home is the island of the next child: any, or the one whose chosen member is
// the fittest among those of some islands.
func (s *Search) home() *island {
	best := &s.islands[s.rng.IntN(len(s.islands))]
	if s.rng.Float64() < drawn {
		return best
	}
	most := best.choose(s.rng).fitness(s.seen)
	for range tournament - 1 {
		other := &s.islands[s.rng.IntN(len(s.islands))]
		if f := other.choose(s.rng).fitness(s.seen); f > most {
			best, most = other, f
		}
	}
	return best
}

// Observe adds the feedback of a run.
func (s *Search) Observe(c *Candidate, f Feedback) {
	at := slices.IndexFunc(s.islands, func(l island) bool { return l.layout == c.Program.Layout })
	if at < 0 {
		at = len(s.islands)
		s.islands = append(s.islands, island{layout: c.Program.Layout, seen: map[int]int{}})
	}
	l := &s.islands[at]
	for _, row := range f.Taken {
		s.seen[row]++
		l.seen[row]++
	}
	l.members = append(l.members, member{c, f})
	s.members++
	if len(l.members) <= population {
		return
	}
	worst := 0
	for i := range l.members {
		if l.members[i].fitness(l.seen) < l.members[worst].fitness(l.seen) {
			worst = i
		}
	}
	l.members = slices.Delete(l.members, worst, worst+1)
}

// fitness is high for members that took transitions which few runs took, and
// that raced; long programs pay for their operations.
func (m *member) fitness(seen map[int]int) float64 {
	sum := 0.0
	for _, row := range m.f.Taken {
		sum += 1 / float64(seen[row])
	}
	for _, n := range m.f.Writers {
		sum += raceWeight * float64(n)
	}
	return sum / math.Sqrt(overhead+float64(m.c.Ops()))
}

// choose is the fittest of some members.
func (l *island) choose(rng *rand.Rand) *member {
	best := &l.members[rng.IntN(len(l.members))]
	for range tournament - 1 {
		if m := &l.members[rng.IntN(len(l.members))]; m.fitness(l.seen) > best.fitness(l.seen) {
			best = m
		}
	}
	return best
}

// cross makes the child's program: operations of the first parent on locations
// that raced stay, of the others half come from the second parent, and some
// are drawn again.
func (s *Search) cross(child *Candidate, a, b *member) error {
	other, err := gen.Random(s.rng, child.options)
	if err != nil {
		return err
	}
	p := &gen.Program{ISA: a.c.Program.ISA, Layout: a.c.Program.Layout, Locations: a.c.Program.Locations, Threads: make([][]gen.Op, len(a.c.Program.Threads)), Agents: a.c.Program.Agents}
	raced := racedLocations(a)
	for t, ops := range a.c.Program.Threads {
		p.Threads[t] = slices.Clone(ops)
		if t < len(p.Agents) && p.Agents[t].Kind != gen.AgentCore {
			continue // these have operations of certain kinds only
		}
		for i, op := range ops {
			switch access := op.Kind.Reads() || op.Kind.Writes(); {
			case s.rng.Float64() < replaced:
				p.Threads[t][i] = opAt(other, t, i, op)
			case !(access && raced[op.Loc]) && s.rng.IntN(2) == 0:
				p.Threads[t][i] = opAt(b.c.Program, t, i, op)
			}
			if p.Threads[t][i].Loc >= gen.LocID(len(p.Locations)) {
				p.Threads[t][i].Loc %= gen.LocID(len(p.Locations))
			}
		}
	}
	p.Repair()
	p.NumberValues()
	child.Program = p
	return p.Validate()
}

// opAt is an operation of a program, or another where it has none.
func opAt(p *gen.Program, thread, index int, other gen.Op) gen.Op {
	if thread < len(p.Threads) && index < len(p.Threads[thread]) {
		return p.Threads[thread][index]
	}
	return other
}

// racedLocations marks the locations whose reads saw the most stores.
func racedLocations(m *member) []bool {
	raced := make([]bool, len(m.c.Program.Locations))
	order := make([]int, min(len(m.f.Writers), len(raced)))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.f.Writers[b], m.f.Writers[a]) })
	for _, l := range order[:(len(order)+1)/2] {
		raced[l] = true
	}
	return raced
}
