package outcomes

import (
	"fmt"
	"maps"
	"slices"

	"ordeal/gen"
)

// This file enumerates the outcomes of Armv8 and RVWMO by the operational model of
// Pulte, Pichon-Pharabod, Kang, Lee and Hur, "Promising-ARM/RISC-V: a simpler and
// faster operational concurrency model" (PLDI 2019). Memory is the list of all
// writes; the number of a write there, from 1, is its time, and 0 that of the
// initial values. By the paper's Theorem 7.1 a machine that first appends all writes
// and then runs each thread by itself has all outcomes, so every order of the writes
// is tried, and for each the runs of each thread. What an instruction waits for is
// a view: the latest time that something it depends on has seen.
//
// What differs from the paper: an AMO of RISC-V is one access, at the time of its
// write; an atomic instruction of Arm that acquires and releases has a store that
// acquires (as in aarch64hwreqs.cat of herd7); and a load of Arm that acquires and
// reads an atomic write of its own thread waits for the load of that write, not for
// the write (aob of the same file, which replaced that of POPL 2018).

// view is a time.
type view int

// message is a write in memory.
type message struct {
	thread, index int // the operation
	loc           gen.LocID
	value         gen.Value
}

// forward is the youngest own store to a location.
type forward struct {
	time view // 0: none
	view view // of its address and data
	pair view // of the load of an atomic instruction or pair
	// atomic says that it is of an atomic instruction or a store-conditional.
	atomic bool
}

// runner runs one thread on a memory that does not change.
type runner struct {
	Case
	riscv  bool
	memory []message // at the index of its time, less one
	thread int
	times  []view // of the writes of the thread, by operation; 0: it failed
	budget *int
	found  map[string][]gen.Value // what reads return
}

// local is the state of a thread.
type local struct {
	reads               []gen.Value
	values              []view // of what each operation returned
	coherence           []view // by location
	forwards            []forward
	oldReads, oldWrites view // of all before
	oldPicks            view // that stores wait for with oldReads (pick-lob of aarch64hwreqs.cat)
	newReads, newWrites view // that all later ones wait for
	control             view // of branches and addresses
	releases            view
	linked              view // time that the last load-linked read
	linkedView          view
}

func (l *local) clone() *local {
	c := *l
	c.reads, c.values = slices.Clone(l.reads), slices.Clone(l.values)
	c.coherence, c.forwards = slices.Clone(l.coherence), slices.Clone(l.forwards)
	return &c
}

// enumerateViews is Enumerate for Armv8 and RVWMO. It counts operations executed
// against the limit.
func enumerateViews(c Case, m Machine, limit int) ([]Outcome, error) {
	p := c.Program
	if arm := p.ISA == gen.AArch64; p.ISA == gen.X86 || arm != (m == Armv8) {
		return nil, fmt.Errorf("%s: a program of %s is %w", machineNames[m], p.ISA, ErrProgram)
	}
	w := &writers{Case: c, machine: m, budget: limit, found: map[string]Outcome{}, next: make([]int, len(p.Threads))}
	for t, ops := range p.Threads {
		w.times = append(w.times, make([]view, len(ops)))
		for _, op := range ops {
			if op.Attr&gen.Retry != 0 {
				return nil, fmt.Errorf("%s: thread %d: %s is %w", machineNames[m], t, p.OpText(op), ErrProgram)
			}
		}
	}
	w.choose(0, 0)
	if w.budget < 0 {
		return nil, fmt.Errorf("%w: more than %d steps", ErrLimit, limit)
	}
	var list []Outcome
	for _, key := range slices.Sorted(maps.Keys(w.found)) {
		list = append(list, w.found[key])
	}
	return list, nil
}

// writers tries all memories.
type writers struct {
	Case
	machine Machine
	budget  int
	writes  []message // that take place
	next    []int
	times   [][]view
	memory  []message
	found   map[string]Outcome
}

// choose collects the writes from an operation on, store-conditionals among them or
// not.
func (w *writers) choose(thread, index int) {
	for thread < len(w.Program.Threads) && index == len(w.Program.Threads[thread]) {
		thread, index = thread+1, 0
	}
	if thread == len(w.Program.Threads) {
		w.order(w.writes)
		return
	}
	op := w.Program.Threads[thread][index]
	if !op.Kind.Writes() || op.Kind == gen.StoreConditional {
		w.choose(thread, index+1)
	}
	if op.Kind.Writes() {
		before := w.writes
		w.writes = append(slices.Clone(before), message{thread, index, op.Loc, op.Value})
		w.choose(thread, index+1)
		w.writes = before
	}
}

// order appends the writes that are left to memory in every order, those of a thread
// to one location in program order.
func (w *writers) order(left []message) {
	if w.budget < 0 {
		return
	}
	if len(left) == 0 {
		w.run()
		return
	}
	for i, m := range left {
		if slices.ContainsFunc(left[:i], func(o message) bool { return o.thread == m.thread && o.loc == m.loc }) {
			continue
		}
		if w.Program.Threads[m.thread][m.index].Kind == gen.FetchAdd {
			m.value = w.last(m.loc) + m.value*gen.AddUnit
		}
		w.memory = append(w.memory, m)
		w.times[m.thread][m.index] = view(len(w.memory))
		w.order(slices.Delete(slices.Clone(left), i, i+1))
		w.times[m.thread][m.index] = 0
		w.memory = w.memory[:len(w.memory)-1]
	}
}

// last is what memory holds at the end.
func (w *writers) last(loc gen.LocID) gen.Value {
	for _, m := range slices.Backward(w.memory) {
		if m.loc == loc {
			return m.value
		}
	}
	return 0
}

// run runs the threads, and notes all combinations of what they return.
func (w *writers) run() {
	runs := make([][][]gen.Value, len(w.Program.Threads))
	for t, ops := range w.Program.Threads {
		r := &runner{
			Case: w.Case, riscv: w.machine == RVWMO, memory: w.memory, thread: t, times: w.times[t],
			budget: &w.budget, found: map[string][]gen.Value{},
		}
		r.run(0, &local{
			values: make([]view, len(ops)), coherence: make([]view, len(w.Program.Locations)), forwards: make([]forward, len(w.Program.Locations)),
		})
		if len(r.found) == 0 {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(r.found)) {
			runs[t] = append(runs[t], r.found[key])
		}
	}
	o := Outcome{Reads: make([][]gen.Value, len(runs))}
	for x := range w.Program.Locations {
		o.Final = append(o.Final, w.last(gen.LocID(x)))
	}
	var combine func(t int)
	combine = func(t int) {
		if w.budget--; w.budget < 0 {
			return
		}
		if t == len(runs) {
			c := Outcome{Reads: slices.Clone(o.Reads), Final: o.Final}
			w.found[c.Key()] = c
			return
		}
		for _, reads := range runs[t] {
			o.Reads[t] = reads
			combine(t + 1)
		}
	}
	combine(0)
}

// run executes operations from number i on, in all ways.
func (r *runner) run(i int, s *local) {
	if *r.budget--; *r.budget < 0 {
		return
	}
	ops := r.Program.Threads[r.thread]
	if i == len(ops) {
		r.found[string(appendValues(nil, s.reads))] = s.reads
		return
	}
	op := ops[i]
	var address, data, picked view
	depends := func(kind gen.DepKind, on view) {
		for bit, v := range []*view{&address, &data, &s.control, &picked} { // in the order of their bits
			if kind>>bit&1 != 0 {
				*v = max(*v, on)
			}
		}
	}
	if op.Back > 0 {
		depends(op.Dep, s.values[i-int(op.Back)])
	}
	for _, d := range r.Deps {
		if int(d.Thread) == r.thread && d.To == i {
			depends(d.Kind, s.values[d.From])
		}
	}
	switch op.Kind {
	case gen.FullFence:
		s.fence(gen.Value(15))
	case gen.PartialFence:
		s.fence(op.Value)
	case gen.Load, gen.LoadLinked:
		r.load(i, s, address, picked, op.Attr, func(s *local) { r.run(i+1, s) })
		return
	case gen.Store:
		if !r.store(i, s, address, data, picked, op.Attr) {
			return
		}
	case gen.StoreConditional:
		if r.times[i] == 0 {
			if !r.accepts(s, 1) {
				return
			}
			s.reads = append(s.reads, 1)
			break
		}
		if r.written(op.Loc, s.linked, r.times[i]) || !r.store(i, s, address, data, picked, op.Attr) {
			return
		}
		if !r.accepts(s, 0) {
			return
		}
		if s.reads = append(s.reads, 0); r.riscv {
			s.values[i] = r.times[i]
		}
	case gen.Exchange, gen.FetchAdd:
		if !r.riscv {
			r.load(i, s, address, 0, op.Attr&^gen.Release, func(s *local) {
				if attr := op.Attr; !r.written(op.Loc, s.linked, r.times[i]) {
					if attr&gen.Release == 0 {
						attr = 0
					}
					if r.store(i, s, address, data, picked, attr) {
						r.run(i+1, s)
					}
				}
			})
			return
		}
		s.linked = 0
		for time := r.times[i] - 1; time > 0 && s.linked == 0; time-- {
			if r.memory[time-1].loc == op.Loc {
				s.linked = time
			}
		}
		if !r.accepts(s, r.value(s.linked)) {
			return
		}
		s.reads = append(s.reads, r.value(s.linked))
		// It waits for what loads wait for, too.
		if s.newReads >= r.times[i] || !r.store(i, s, address, data, picked, op.Attr) {
			return
		}
		s.values[i] = r.times[i]
		s.oldReads = max(s.oldReads, r.times[i])
	}
	r.run(i+1, s)
}

// accepts reports whether the next read may return a value.
func (r *runner) accepts(s *local, v gen.Value) bool {
	return r.Accepts == nil || r.Accepts(r.thread, len(s.reads), v)
}

// fence orders pairs of kinds, as gen.PartialFence has them.
func (s *local) fence(pairs gen.Value) {
	if pairs == gen.InstructionBarrier {
		s.newReads = max(s.newReads, s.control)
	}
	if pairs&1 != 0 {
		s.newReads = max(s.newReads, s.oldReads)
	}
	if pairs&2 != 0 {
		s.newWrites = max(s.newWrites, s.oldReads, s.oldPicks)
	}
	if pairs&4 != 0 {
		s.newReads = max(s.newReads, s.oldWrites)
	}
	if pairs&8 != 0 {
		s.newWrites = max(s.newWrites, s.oldWrites)
	}
}

// waits is what annotations have an access wait for.
func (s *local) waits(attr gen.Attr) (before view) {
	if attr&gen.Acquire != 0 {
		before = s.releases
	}
	if attr&gen.Release != 0 {
		before = max(before, s.oldReads, s.oldPicks, s.oldWrites)
	}
	return before
}

// orders has later operations wait as annotations of an access of that view say.
func (s *local) orders(attr gen.Attr, after view) {
	if attr&(gen.Acquire|gen.AcquirePC) != 0 {
		s.newReads, s.newWrites = max(s.newReads, after), max(s.newWrites, after)
	}
	if attr&gen.Release != 0 {
		s.releases = max(s.releases, after)
	}
}

// load reads every write that it can, and goes on from each.
func (r *runner) load(i int, s *local, address, picked view, attr gen.Attr, then func(*local)) {
	loc := r.Program.Threads[r.thread][i].Loc
	before := max(address, s.newReads, s.waits(attr))
	for time := view(0); int(time) <= len(r.memory); time++ {
		if time > 0 && r.memory[time-1].loc != loc || r.seen(loc, time, max(before, s.coherence[loc])) {
			continue
		}
		if time > 0 && r.memory[time-1].thread == r.thread && s.forwards[loc].time < time {
			continue // a later write of its own
		}
		if !r.accepts(s, r.value(time)) {
			continue
		}
		n := s.clone()
		after := max(before, r.sees(&s.forwards[loc], time, attr))
		n.reads = append(n.reads, r.value(time))
		n.values[i] = after
		n.coherence[loc] = max(n.coherence[loc], after)
		if !r.NoReturn[[2]int{r.thread, i}] {
			n.oldReads, n.oldPicks = max(n.oldReads, after), max(n.oldPicks, picked)
		}
		if attr&(gen.Acquire|gen.AcquirePC) != 0 {
			n.newWrites = max(n.newWrites, picked)
		}
		n.control = max(n.control, address)
		n.linked, n.linkedView = time, after
		n.orders(attr, after)
		then(n)
	}
}

// sees is the view of a load that reads a write: less than its time if it is
// forwarded from a store of the thread.
func (r *runner) sees(f *forward, time view, attr gen.Attr) view {
	switch {
	case f.time == 0 || f.time != time || f.atomic && r.riscv:
		return time
	case f.atomic && attr&(gen.Acquire|gen.AcquirePC) != 0:
		return max(f.view, f.pair)
	}
	return f.view
}

// seen reports whether there is a write to a location after a time and up to
// another.
func (r *runner) seen(loc gen.LocID, after, upTo view) bool {
	return after < upTo && slices.ContainsFunc(r.memory[after:upTo], func(m message) bool { return m.loc == loc })
}

// written reports whether another thread, or this one, writes a location between a
// time and that of a write.
func (r *runner) written(loc gen.LocID, after, before view) bool {
	return after >= before || r.seen(loc, after, before-1)
}

func (r *runner) value(time view) gen.Value {
	if time == 0 {
		return 0
	}
	return r.memory[time-1].value
}

// store reports whether a write can have the time that it has in memory.
func (r *runner) store(i int, s *local, address, data, picked view, attr gen.Attr) bool {
	op, time := &r.Program.Threads[r.thread][i], r.times[i]
	if time <= max(address, data, picked, s.control, s.newWrites, s.waits(attr), s.coherence[op.Loc]) {
		return false
	}
	s.coherence[op.Loc] = time
	s.oldWrites = max(s.oldWrites, time)
	s.control = max(s.control, address)
	s.forwards[op.Loc] = forward{time: time, view: max(address, data), pair: s.linkedView, atomic: op.Kind != gen.Store}
	s.orders(attr, time)
	return true
}
