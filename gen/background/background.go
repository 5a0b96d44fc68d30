// Package background surrounds a program with accesses that are no part of it:
// to other words of its lines, to lines that share a cache set with them, and to
// further lines, by its own threads between its operations and by further
// threads. They keep caches and the protocol busy as a long program does, so that
// few operations can fail where only long programs did. What they read is
// dropped: the log that remains is one of the program.
package background

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"ordeal/gen"
)

// Options describe a background. The same options give the same one.
type Options struct {
	// Length is the most accesses before an operation of the program; a further
	// thread makes up to four times as many a round.
	Length int
	// Lead is how many rounds come first in which the background is alone. They fill
	// caches and predictors.
	Lead int
	// Threads is the number of all threads, those of the program first; fewer than
	// it has mean no further ones.
	Threads int
	// Seed draws the accesses.
	Seed uint64
}

// The largest Length and Lead.
const (
	MaxLength = 64
	MaxLead   = 1 << 10
)

const (
	lineWords = gen.LineBytes / gen.WordBytes
	// near and far are the largest numbers of sets, powers of two, of a private
	// cache and of the one behind it that are crowded: lines whose numbers are equal
	// modulo them share a set.
	near, far = 4, 32
	// crowd is how many lines of a set of the outer cache are used, more than it has
	// ways, so that each access takes as long as memory.
	crowd = 8
	// busy is how many times Length the accesses of a further thread are.
	busy = 4
)

// Surrounded is a program with a background.
type Surrounded struct {
	// Program is all that runs. Its layout is packed; a location of the original
	// program has the address that it had there.
	Program *gen.Program
	// Lead is how many rounds come before those of the original program.
	Lead     int
	original *gen.Program
	// places are, for each thread of the original, its operations in Program.
	places [][]int
	_      struct{}
}

// Around surrounds p.
func Around(p *gen.Program, o Options) (*Surrounded, error) {
	if o.Length < 1 || o.Length > MaxLength {
		return nil, fmt.Errorf("background: length %d: want 1 to %d", o.Length, MaxLength)
	}
	if o.Lead < 0 || o.Lead > MaxLead {
		return nil, fmt.Errorf("background: %d rounds of it alone: want 0 to %d", o.Lead, MaxLead)
	}
	if o.Threads > gen.MaxThreads {
		return nil, fmt.Errorf("background: %d threads: want at most %d", o.Threads, gen.MaxThreads)
	}
	if err := errors.Join(p.CoresOnly(), p.X86Only(), withoutTransactions(p)); err != nil {
		return nil, fmt.Errorf("background: %w", err)
	}
	d := &drawer{rng: rand.New(rand.NewPCG(o.Seed, uint64(o.Length))), p: p, length: o.Length, constant: p.Stride() - 1}
	if err := d.layOut(); err != nil {
		return nil, err
	}
	d.choose()
	s := &Surrounded{Lead: o.Lead, original: p, places: make([][]int, len(p.Threads))}
	threads := make([][]gen.Op, max(o.Threads, len(p.Threads)))
	for t := range threads {
		if t >= len(p.Threads) {
			threads[t] = d.further()
			continue
		}
		for i, op := range p.Threads[t] {
			threads[t] = append(threads[t], d.before(p.Threads[t], i)...)
			s.places[t] = append(s.places[t], len(threads[t]))
			if op.Kind != gen.FullFence && op.Kind != gen.Delay {
				op.Loc = d.at(op.Loc)
			}
			threads[t] = append(threads[t], op)
		}
	}
	s.Program = &gen.Program{Layout: gen.Packed, Locations: d.names, Threads: threads}
	if err := s.Program.Validate(); err != nil {
		return nil, fmt.Errorf("background: %w", err)
	}
	return s, nil
}

func withoutTransactions(p *gen.Program) error {
	if slices.ContainsFunc(p.Transactions, func(list []gen.Transaction) bool { return len(list) > 0 }) {
		return errors.New("the program has transactions")
	}
	return nil
}

// drawer draws the accesses around a program.
type drawer struct {
	rng      *rand.Rand
	p        *gen.Program
	length   int
	names    []string
	own      map[gen.LocID]bool // the program's, by their number in names
	lines    []int              // of the program's locations
	count    int                // of all lines
	constant gen.Value          // the last one stored

	// What all threads have in common: the line that further threads contend for,
	// their share of stores and of accesses to other lines, and which threads have
	// their first operation delayed.
	contended int
	stores    float64
	elsewhere float64
	delayed   func(first gen.Op) bool
}

// choose draws what all threads have in common. What is most frequent made gem5's
// MESI_Two_Level lose invalidations most often: loads that come first wait for a
// way of their set, which lines from memory take, while further threads store to
// the line of a later operation.
func (d *drawer) choose() {
	pick := func(values ...float64) float64 { return values[d.rng.IntN(len(values))] }
	d.contended = d.lines[d.rng.IntN(len(d.lines))]
	if later := d.laterLines(); len(later) > 0 && d.rng.IntN(4) > 0 {
		d.contended = later[d.rng.IntN(len(later))]
	}
	d.stores, d.elsewhere = pick(0.3, 0.6, 0.6, 0.8), pick(0, 0, 0, 0.3)
	loads := func(op gen.Op) bool { return op.Kind == gen.Load }
	d.delayed = []func(gen.Op) bool{
		loads, loads, loads, loads,
		func(gen.Op) bool { return true },
		func(gen.Op) bool { return false },
	}[d.rng.IntN(6)]
}

// laterLines are those of the loads after a load that comes first.
func (d *drawer) laterLines() []int {
	var lines []int
	for _, ops := range d.p.Threads {
		for i, op := range ops {
			if i == 0 || ops[0].Kind != gen.Load || op.Kind != gen.Load || op.Loc == ops[0].Loc {
				continue
			}
			if line := d.lineOf(op); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// lineOf is the line of an operation's location.
func (d *drawer) lineOf(op gen.Op) int { return int(d.at(op.Loc)) / lineWords }

// at is the number in names of a location of the program.
func (d *drawer) at(l gen.LocID) gen.LocID { return gen.LocID(d.p.Offset(l) / gen.WordBytes) }

// layOut names the words of all lines.
func (d *drawer) layOut() error {
	d.own = make(map[gen.LocID]bool)
	for l := range d.p.Locations {
		at := d.at(gen.LocID(l))
		d.own[at] = true
		if line := int(at) / lineWords; !slices.Contains(d.lines, line) {
			d.lines = append(d.lines, line)
		}
	}
	slices.Sort(d.lines)
	if len(d.lines) == 0 {
		return errors.New("background: the program has no locations")
	}
	d.count = (d.lines[len(d.lines)-1]/far + 1 + crowd) * far
	if d.count*lineWords > gen.MaxLocations {
		return fmt.Errorf("background: the locations take %d lines, more than %d", d.count, gen.MaxLocations/lineWords)
	}
	taken := make(map[string]bool, len(d.p.Locations))
	d.names = make([]string, d.count*lineWords)
	for l, name := range d.p.Locations {
		taken[name] = true
		d.names[d.at(gen.LocID(l))] = name
	}
	for i, name := range d.names {
		for n := i; name == "" || taken[name] && d.names[i] == ""; n += len(d.names) {
			name = fmt.Sprintf("b%d", n)
		}
		d.names[i] = name
	}
	return nil
}

// before draws what comes before operation i of a thread. The first one is mostly
// delayed, by loads that crowd the set of its line: what fails is often that a
// later operation performs before an earlier one.
func (d *drawer) before(ops []gen.Op, i int) []gen.Op {
	op := ops[i]
	if op.Kind == gen.FullFence || op.Kind == gen.Delay {
		return nil
	}
	switch {
	case i == 0 && d.delayed(op):
		return d.crowded(d.lineOf(op), d.length-d.rng.IntN(d.length/4+1))
	case i == 0 || d.rng.IntN(4) == 0:
		return d.loads(d.rng.IntN(d.length/2 + 1))
	}
	return nil
}

// further draws a thread of the background, which contends for a line.
func (d *drawer) further() []gen.Op {
	var ops []gen.Op
	for range busy*d.length - d.rng.IntN(d.length+1) {
		line := d.contended
		if d.rng.Float64() < d.elsewhere {
			line = d.rng.IntN(far)
		}
		ops = append(ops, d.access(line, d.stores))
	}
	return ops
}

// crowded loads n times from lines that share a set of the private cache with a
// line, and one of the outer cache with each other: not that of a line of the
// program, if there is another.
func (d *drawer) crowded(line, n int) []gen.Op {
	set := line % far
	for range far / near {
		set = (set + near) % far
		if !slices.ContainsFunc(d.lines, func(own int) bool { return own%far == set }) {
			break
		}
	}
	var ops []gen.Op
	for len(ops) < n {
		for _, k := range d.rng.Perm(crowd) {
			if len(ops) < n {
				ops = append(ops, d.access(d.count-far*(k+1)+set, 0))
			}
		}
	}
	return ops
}

// loads are from n lines of any set.
func (d *drawer) loads(n int) []gen.Op {
	var ops []gen.Op
	for range n {
		ops = append(ops, d.access(d.rng.IntN(far), 0))
	}
	return ops
}

// access accesses a word of a line that is not the program's, or one of another
// line if it has none.
func (d *drawer) access(line int, stores float64) gen.Op {
	for {
		at := gen.LocID(line*lineWords + d.rng.IntN(lineWords))
		switch {
		case d.own[at] && d.full(line):
			line = d.count - 1 - d.rng.IntN(far) // beyond the program's lines
		case d.own[at]:
		case d.rng.Float64() < stores:
			d.constant++
			return gen.Op{Kind: gen.Store, Loc: at, Value: d.constant}
		default:
			return gen.Op{Kind: gen.Load, Loc: at}
		}
	}
}

// full reports whether all words of a line are the program's.
func (d *drawer) full(line int) bool {
	for at := line * lineWords; at < (line+1)*lineWords; at++ {
		if !d.own[gen.LocID(at)] {
			return false
		}
	}
	return true
}
