package diagnose

import (
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby"
)

// record is what happened in a run to the locations of a history.
type record struct {
	program  *gen.Program
	steps    []ruby.Step // of the lines
	accesses []access
	location []gen.LocID // by location of the history; -1 for one that the program lacks
	watched  map[gen.LocID]bool
	// numbers are those of the history's operations in their threads; see
	// core.Access.
	numbers []uint32
	lines   map[memory.Addr]bool
	// repeats is whether cores repeat loads; see Observer.
	repeats bool
}

// access is an access with the transition that served it: the number of the
// step, -1 for none.
type access struct {
	core.Access
	step int
}

// newRecord watches the locations that h accesses, or all without a history.
func newRecord(p *gen.Program, h *parse.History) *record {
	r := &record{program: p, watched: make(map[gen.LocID]bool), lines: make(map[memory.Addr]bool)}
	if h == nil {
		for loc := range p.Locations {
			r.watch(p, gen.LocID(loc))
		}
		return r
	}
	for _, name := range h.Locations {
		r.location = append(r.location, gen.LocID(slices.Index(p.Locations, name)))
	}
	for id := range h.Ops {
		if x := h.Ops[id].Loc; x >= 0 && r.location[x] >= 0 {
			r.watch(p, r.location[x])
		}
	}
	return r
}

func (r *record) watch(p *gen.Program, loc gen.LocID) {
	r.watched[loc] = true
	r.lines[(memory.Base + memory.Addr(p.Offset(loc))).Line()] = true
}

func (r *record) full() bool { return len(r.steps)+len(r.accesses) >= limit }

func (r *record) step(s ruby.Step) {
	if r.lines[s.Line] && !r.full() {
		r.steps = append(r.steps, s)
	}
}

func (r *record) access(a core.Access) {
	if r.watched[a.Loc] && !r.full() {
		r.accesses = append(r.accesses, access{a, len(r.steps) - 1})
	}
}

// stale is the place of the first access that finds another value than the last
// write before it wrote, or of a write that is not the final value of h; empty if
// there is none.
func (r *record) stale(h *parse.History) sim.Failure {
	read, last := r.firstStale()
	if read != nil {
		return r.staleAt(read, &r.accesses[last[read.Loc]])
	}
	if h == nil {
		return sim.Failure{}
	}
	for x, final := range h.Final {
		write, ok := last[r.location[x]]
		if !ok || final == parse.NoOp || final >= 0 && gen.Value(h.Ops[final].Write) == r.accesses[write].Written {
			continue
		}
		served := r.accesses[write].step
		if at := r.given(served, len(r.steps)); at >= 0 {
			return r.lost(at)
		}
		if served >= 0 { // the reader of final values is a core
			return oldData(r.steps[served].Machine)
		}
	}
	return sim.Failure{}
}

// torn is the place of an atomic operation of h of two accesses between which another
// access wrote: the transition by which the controller of the first lost the line; zero
// if there is none.
func (r *record) torn(h *parse.History) sim.Failure {
	for id := range h.Ops {
		op, end := &h.Ops[id], r.last(h, parse.OpID(id))
		if op.Kind != parse.RMW || end < 0 {
			continue
		}
		first, between := -1, false
		for i := range end {
			switch a := &r.accesses[i]; {
			case a.Loc != r.accesses[end].Loc:
			case a.Kind.Writes():
				between = true
			case int(a.Thread) == h.Thread(parse.OpID(id)) && a.Number == r.numbers[id]:
				first, between = i, false
			}
		}
		if first < 0 || !between || r.accesses[first].step < 0 {
			continue
		}
		f := sim.Failure{Kind: sim.KindNotAtomic, Row: sim.Row{Machine: r.steps[r.accesses[first].step].Machine}}
		if at, _ := r.loss(r.accesses[first].step, r.accesses[end].step); at >= 0 {
			f.Row = row(&r.steps[at])
		}
		return f
	}
	return sim.Failure{}
}

// firstStale is the first access that finds another value than the last write before it
// wrote, nil if none does, and the last writes up to there.
func (r *record) firstStale() (read *access, last map[gen.LocID]int) {
	last = make(map[gen.LocID]int)
	for i := range r.accesses {
		a := &r.accesses[i]
		if write, ok := last[a.Loc]; ok && r.finds(a) && a.Read != r.accesses[write].Written && a.step >= 0 {
			return a, last
		}
		if a.Kind.Writes() {
			last[a.Loc] = i
		}
	}
	return nil, last
}

// finds reports whether an access has the value that it found: stores of devices
// do not say what they replaced.
func (r *record) finds(a *access) bool {
	return a.Kind.Reads() || r.program.AgentOf(a.Thread).Kind == gen.AgentCore
}

func (r *record) staleAt(read, write *access) sim.Failure {
	from := read.step
	if r.steps[from].Own {
		if from = r.arrived(read.step); from < write.step {
			return r.staleCopy(read.step, from, read.Loc)
		} // else for another word of the line
	}
	if r.overtaken(from, write.step) {
		return r.overtakenIn(from)
	}
	if at := r.given(write.step, from); at >= 0 {
		return r.lost(at)
	}
	return oldData(r.steps[from].Machine)
}

// overtaken reports whether the state of a line in its controller changed between
// the core's request, which was before step end, and the step that served it.
func (r *record) overtaken(serving, end int) bool {
	asked := r.asked(serving)
	return asked >= 0 && asked < end && r.steps[asked].Next != r.steps[serving].State
}

func (r *record) overtakenIn(serving int) sim.Failure {
	s := &r.steps[serving]
	return sim.Failure{Kind: sim.KindOvertaken, Row: sim.Row{Machine: s.Machine, State: AnyCore(s.State)}}
}

// arrived is the last step by which the controller of a hit got the line; -1 if
// there is none.
func (r *record) arrived(hit int) int {
	for i := hit; i >= 0; i-- {
		if r.same(i, hit) && !r.steps[i].Reads && r.steps[i].ThenReads {
			return i
		}
	}
	return -1
}

// staleCopy is the place of a hit on a copy that arrived before writes of the
// location: the transition that should have taken it away, one that left the state
// as it was and came while a writer asked for the line, or else the state.
func (r *record) staleCopy(hit, arrived int, loc gen.LocID) sim.Failure {
	for i := range r.accesses {
		write := &r.accesses[i]
		if write.Loc != loc || !write.Kind.Writes() || write.step < arrived || write.step > hit {
			continue
		}
		for i := write.step; i > max(r.asked(write.step), arrived); i-- {
			if s := &r.steps[i]; r.same(i, hit) && s.State == s.Next && s.Reads && !s.Own {
				return sim.Failure{Kind: sim.KindStaleCopy, Row: row(s)}
			}
		}
	}
	return staleCopy(r.steps[hit].Machine, r.steps[hit].State)
}

func oldData(machine string) sim.Failure {
	return sim.Failure{Kind: sim.KindOldBrought, Row: sim.Row{Machine: machine}}
}

func (r *record) lost(at int) sim.Failure {
	return sim.Failure{Kind: sim.KindValueLost, Row: sim.Row{Machine: r.steps[at].Machine, Event: AnyCore(r.steps[at].Event)}}
}

// given is the first step between two by which the controller of the first,
// which served a write, gives up the line; -1 if there is none.
func (r *record) given(write, end int) int {
	for i := write + 1; write >= 0 && i < end; i++ {
		if s := &r.steps[i]; r.same(i, write) && s.State != s.Next && !s.Own && !s.ThenReads {
			return i
		}
	}
	return -1
}

func staleCopy(machine, state string) sim.Failure {
	return sim.Failure{Kind: sim.KindStaleCopy, Row: sim.Row{Machine: machine, State: AnyCore(state)}}
}

// row is the row of a step, the same for all cores of a controller.
func row(s *ruby.Step) sim.Row {
	return sim.Row{Machine: s.Machine, State: AnyCore(s.State), Event: AnyCore(s.Event)}
}

// asked is the step by which the core asked for the line that step serving
// brought.
func (r *record) asked(serving int) int {
	for i := serving; i >= 0; i-- {
		if r.same(i, serving) && r.steps[i].Own {
			return i
		}
	}
	return -1
}

// same reports whether two steps are about one line in one controller.
func (r *record) same(i, j int) bool {
	a, b := &r.steps[i], &r.steps[j]
	return a.Line == b.Line && a.Machine == b.Machine && a.Number == b.Number
}

// nextWrite is the first write to its location after a read; -1 if there is
// none.
func (r *record) nextWrite(read int) int {
	for i := read + 1; read >= 0 && i < len(r.accesses); i++ {
		if a := &r.accesses[i]; a.Loc == r.accesses[read].Loc && a.Kind.Writes() {
			return i
		}
	}
	return -1
}

// outdated is the place where a read whose location was written before access
// end should have been repeated; empty if it was not written, nothing is known,
// or cores repeat no loads: theirs that performed early may be as old as they are.
func (r *record) outdated(read, end int) sim.Failure {
	write := r.nextWrite(read)
	if !r.repeats || read < 0 || write < 0 || write > end || r.accesses[read].step < 0 {
		return sim.Failure{}
	}
	from := r.accesses[read].step
	if s := &r.steps[from]; !s.Own && !s.ThenReads && r.overtaken(from, from) {
		return r.overtakenIn(from) // the core lost the line before it was brought
	}
	at, sure := r.loss(from, r.accesses[end].step)
	if sibling := r.accesses[write].step; !sure && sibling >= 0 && r.same(sibling, from) {
		at = sibling // another core of the same controller wrote the line
	}
	if at >= 0 {
		return sim.Failure{Kind: sim.KindNotRepeated, Row: row(&r.steps[at])}
	}
	return staleCopy(r.steps[from].Machine, r.stateAt(from, r.accesses[end].step))
}

// stateAt is the state of the line of step from in its controller after step
// to.
func (r *record) stateAt(from, to int) string {
	for i := to; i > from; i-- {
		if r.same(i, from) {
			return r.steps[i].Next
		}
	}
	return r.steps[from].Next
}

// loss is the step between two by which the controller of the first lost the
// line: surely the last after which its core can no longer read it, or else the
// first that another than the core asked for; -1 if there is none.
func (r *record) loss(from, to int) (at int, sure bool) {
	lost, first := -1, -1
	for i := from + 1; i <= to; i++ {
		s := &r.steps[i]
		if !r.same(i, from) || s.State == s.Next || s.Own {
			continue
		}
		if first < 0 {
			first = i
		}
		if s.Reads && !s.ThenReads {
			lost = i
		}
	}
	if lost < 0 {
		return first, false
	}
	return lost, true
}
