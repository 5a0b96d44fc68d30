package gen

import (
	"math/rand/v2"
	"strconv"
)

// Random makes a program from options: the same options and the same state of
// rng give the same program on every machine. It returns the faults of
// Options.Validate, or of Program.Validate for a program with more additions
// than one location can take.
//
// All threads are equally long, so that operations at the same depth of two
// threads race. Values count up from 1 in the order of the text.
func Random(rng *rand.Rand, o Options) (*Program, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Program{ISA: o.ISA, Layout: o.Layout, Threads: make([][]Op, o.Threads)}
	if p.Layout == AnyLayout {
		p.Layout = Layouts()[rng.IntN(len(Layouts()))]
	}
	for l := range o.Locations {
		p.Locations = append(p.Locations, LocationName(LocID(l)))
	}
	planted := plant(rng, o)
	code := newRandomCode(rng, o)
	for t := range p.Threads {
		p.Threads[t] = code.thread(planted[t])
	}
	p.addAgents(code)
	if p.ISA != X86 {
		p.annotate(rng, &o)
	}
	if o.Transaction > 0 { // last: other programs do not change
		p.groupOps(rng, o.Transaction, o.FenceTransactions)
	}
	p.NumberValues()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// LocationName is the name that generated programs give to a location: x, y,
// z, then a to w, then v1, v2 and so on.
func LocationName(l LocID) string {
	const letters = "xyzabcdefghijklmnopqrstuvw"
	if int(l) < len(letters) {
		return letters[l : l+1]
	}
	return "v" + strconv.Itoa(int(l)-len(letters)+1)
}

// NumberValues gives every store and exchange the next constant, and every
// addition the next addend, in the order of the text.
func (p *Program) NumberValues() {
	var stored, added Value
	for _, ops := range p.Threads {
		for i := range ops {
			switch ops[i].Kind {
			case Store, Exchange, StoreConditional:
				if ops[i].Attr&Retry != 0 && i >= 2 {
					ops[i].Value = ops[i-2].Value
					continue
				}
				stored++
				ops[i].Value = stored
			case FetchAdd:
				added++
				ops[i].Value = added
			}
		}
	}
}

// The drift of working sets: a phase lasts phaseOps operations of depth and
// has hotLocations locations, one of which is replaced at its end.
const (
	phaseOps     = 16
	hotLocations = 3
)

// randomCode makes the code between planted shapes.
type randomCode struct {
	rng   *rand.Rand
	o     Options
	kinds []weight
	total int
	hot   [][hotLocations]LocID // working set of each phase
}

func newRandomCode(rng *rand.Rand, o Options) *randomCode {
	c := &randomCode{rng: rng, o: o, kinds: o.Mix.weights()}
	for _, w := range c.kinds {
		c.total += *w.n
	}
	// The locations of a set may coincide: then that location is hotter.
	var set [hotLocations]LocID
	for i := range set {
		set[i] = c.anyLocation()
	}
	for phase := range o.Ops/phaseOps + 1 {
		set[phase%hotLocations] = c.anyLocation()
		c.hot = append(c.hot, set)
	}
	return c
}

func (c *randomCode) anyLocation() LocID { return LocID(c.rng.IntN(c.o.Locations)) }

// thread makes the code of one thread: the planted parts in order, each with
// its share of random operations before it.
func (c *randomCode) thread(parts []part) []Op {
	ops := make([]Op, 0, c.o.Ops)
	filler := c.o.Ops
	for _, part := range parts {
		filler -= len(part.ops)
	}
	filled := 0
	// A pair's store takes the place of the random operation behind its load, and
	// further attempts those behind it, as many as there is room for.
	fill := func() {
		n := len(ops)
		filled++
		if n == 0 || ops[n-1].Kind != LoadLinked {
			ops = append(ops, c.op(n))
			return
		}
		x := ops[n-1].Loc
		ops = append(ops, Op{Kind: StoreConditional, Loc: x})
		for try := 0; try < c.o.Retries && filled+2 <= filler; try++ {
			ops = append(ops, Op{Kind: LoadLinked, Attr: Retry, Loc: x}, Op{Kind: StoreConditional, Attr: Retry, Loc: x})
			filled += 2
		}
	}
	for _, part := range parts {
		for filled < int(part.depth*float64(filler)) {
			fill()
		}
		ops = append(ops, part.ops...)
	}
	for len(ops) < c.o.Ops {
		fill()
	}
	return ops
}

// op makes one operation at a depth.
func (c *randomCode) op(depth int) Op {
	if c.o.Delays > 0 && c.rng.Float64() < c.o.Delays {
		return randomDelay(c.rng, c.o)
	}
	n := c.rng.IntN(c.total)
	kind := OpUnknown
	for _, w := range c.kinds {
		if n < *w.n {
			kind = w.kind
			break
		}
		n -= *w.n
	}
	if kind == FullFence {
		return Op{Kind: kind}
	}
	if kind == StoreConditional { // its load comes first
		kind = LoadLinked
	}
	return Op{Kind: kind, Loc: c.location(depth)}
}

// location draws one for an access at a depth.
func (c *randomCode) location(depth int) LocID {
	if c.o.Locality > 0 && c.rng.Float64() < c.o.Locality {
		return c.hot[depth/phaseOps][c.rng.IntN(hotLocations)]
	}
	return c.anyLocation()
}

func randomDelay(rng *rand.Rand, o Options) Op {
	return Op{Kind: Delay, Value: 1 + Value(rng.Uint64N(uint64(o.MaxDelay)))}
}
