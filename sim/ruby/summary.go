package ruby

import (
	"slices"

	"ordeal/sim"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
)

// Summary is what the invariants of a coherence protocol need of one
// controller.
type Summary struct {
	// Owner is the number of the core, or of the cores that share all private
	// controllers, whose own the controller is; -1 if it serves others.
	Owner int
	Cores bool // it has cores itself
	Home  bool // it has memory
	// Waiting is the number of accesses of its cores and devices that are under way.
	Waiting int
	// Moving says that a message is in one of its buffers or that a timer runs.
	Moving bool
	// Leftover names the first thing that is under way, though maybe nothing moves:
	// a transaction, a message set aside, a lock, a busy line; zero if nothing is. It
	// has Row and Text of a failure.
	Leftover sim.Failure
	Lines    []LineSummary // by explored line
}

// LineSummary is what a controller has of a line.
type LineSummary struct {
	Permission cache.Permission
	State      string // empty if the protocol's own function fails
	// Copy says that the controller has data of the line, in its main kind of
	// entry or in memory: Words are what an encoded state has of them, and Last says
	// that they all are the values last stored, if states keep ages.
	Copy, Last bool
	Words      []uint64
}

// Summary looks at controller i as it is. To look may change the controller:
// some caches make entries for lines that are looked up.
func (s *Stepper) Summary(i int) Summary {
	c := s.all[i]
	sum := Summary{Owner: s.owner(c), Cores: c.role.Cores > 0, Home: c.role.Home, Lines: make([]LineSummary, len(s.lines))}
	for _, seq := range c.sequencers {
		sum.Waiting += len(seq.Requests(nil))
	}
	for _, d := range c.devices {
		if _, active := d.Current(); active {
			sum.Waiting++
		}
	}
	for _, b := range s.buffersOf[i] {
		sum.Moving = sum.Moving || b.head < len(b.items)
	}
	for _, t := range c.timers {
		sum.Moving = sum.Moving || len(t.Lines) > 0
	}
	for l, line := range s.lines {
		sum.Lines[l] = s.lineSummary(c, line)
	}
	sum.Leftover = s.leftover(c, &sum)
	return sum
}

func (s *Stepper) lineSummary(c *controller, line memory.Addr) LineSummary {
	var sum LineSummary
	if c.role.Home && !s.isHome(c, line) {
		return sum
	}
	var tbe, entry *object
	for _, t := range c.tables {
		if e := t.lookup(line); e != nil {
			tbe = e
		}
	}
	for _, held := range c.caches {
		if e := held.Lookup(line); e != nil && e.layout.Type == c.code.Decl.Entry {
			entry = e
		}
	}
	if entry != nil {
		if at := entry.layout.Find("DataBlk"); at >= 0 {
			s.copied(&sum, entry.words[at:at+s.words], line)
		}
	} else if c.memory != nil {
		var none memory.Block
		block := c.memory.lines[line]
		if block == nil {
			block = &none
		}
		s.copied(&sum, block[:s.words], line)
	}
	if state := c.peekState(tbe, entry, line); state != nil {
		sum.State, sum.Permission = state.Name, c.permission(state)
	}
	return sum
}

func (s *Stepper) copied(sum *LineSummary, words []uint64, line memory.Addr) {
	sum.Copy, sum.Last = true, true
	for w, v := range words {
		v = s.age(v, s.lineOf(line), w)
		sum.Words = append(sum.Words, v)
		sum.Last = sum.Last && v == lastWrite
	}
}

func (s *Stepper) leftover(c *controller, sum *Summary) sim.Failure {
	is := func(line int, what string) sim.Failure {
		f := sim.Failure{Row: sim.Row{Machine: c.code.Decl.Name}, Text: what}
		if line >= 0 {
			f.Row.State = sum.Lines[line].State
		}
		return f
	}
	for _, t := range c.tables {
		if len(t.entries) > 0 {
			return is(max(s.lineOf(t.entries[0].line), 0), "has a transaction")
		}
	}
	for _, b := range s.buffersOf[c.index()] {
		if len(b.stalls) > 0 {
			return is(max(s.lineOf(b.stalls[0].line), 0), "has set a message aside")
		}
	}
	if len(c.locked) > 0 {
		return is(-1, "has a locked line")
	}
	busy := slices.IndexFunc(sum.Lines, func(l LineSummary) bool { return l.State != "" && l.Permission == cache.Busy })
	if busy >= 0 {
		return is(busy, "is busy")
	}
	return sim.Failure{}
}
