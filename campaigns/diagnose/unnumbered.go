package diagnose

import (
	"slices"

	"ordeal/gen"
	"ordeal/sim/trace"
)

// unnumbered is the access of a load in a trace whose accesses have no numbers, as gem5's;
// -1 if there is none. The value alone does not tell it from another load of the line:
// a core performs loads long before it commits them. The loads of a line are taken to
// perform in the order of the program, as a core makes them appear, and each before its
// core commits it. From the last one in the trace on, each is given the last access before
// its commit and before the access of the next one. A load of which there is no access since
// the store of its own thread before it was forwarded from that. Loads that are performed
// again have several accesses: the last one counts, and where that of a later load has been
// repeated meanwhile, its first one may be taken for that of the earlier load.
func (c *Cause) unnumbered(op *Operation) int {
	line := c.lineOf(op.Loc)
	var accesses []int               // that read the line, by index
	commits := map[int]int{}         // index of the event by number
	performed := map[gen.Value]int{} // stores, index by value
	last := op.Number
	for i := range c.Events {
		e := &c.Events[i]
		switch {
		case e.Thread != op.Thread:
		case e.Kind == trace.Commit:
			commits[e.Number] = i
			last = max(last, e.Number)
		case e.Kind == trace.Access && e.Writes && e.Line == line:
			performed[e.Written] = i
		case e.Kind == trace.Access && e.Loc == op.Loc: // one for each load of the line
			accesses = append(accesses, i)
		}
	}
	for number := last; number >= op.Number; number-- {
		commit, committed := commits[number]
		if number > op.Number && !(committed && c.loads(op.Thread, number, line)) {
			continue
		}
		if committed {
			end, _ := slices.BinarySearch(accesses, commit)
			accesses = accesses[:end]
		}
		if number == op.Number {
			break
		}
		if end := len(accesses); end > 0 && accesses[end-1] > c.ownStore(op.Thread, number, performed) {
			accesses = accesses[:end-1]
		}
	}
	for _, i := range slices.Backward(accesses) {
		if c.Events[i].Read == op.Read {
			return i
		}
	}
	return -1
}

// loads reports whether an operation of a thread, by its number, reads a line.
func (c *Cause) loads(t gen.ThreadID, number int, line int64) bool {
	if int(t) >= len(c.program.Threads) || len(c.program.Threads[t]) == 0 {
		return false
	}
	op := &c.program.Threads[t][number%len(c.program.Threads[t])]
	return op.Kind.Reads() && c.lineOf(op.Loc) == line
}

// ownStore is the index of the event in which the last store of a thread before a load, to
// the location of the load, performed; -1 for none in the trace.
func (c *Cause) ownStore(t gen.ThreadID, load int, performed map[gen.Value]int) int {
	ops := c.program.Threads[t]
	for number := load - 1; number >= max(0, load-len(ops)); number-- {
		op := &ops[number%len(ops)]
		if op.Loc != ops[load%len(ops)].Loc || !op.Kind.Writes() {
			continue
		}
		if i, ok := performed[op.Value+gen.Value(number/len(ops))*c.program.Stride()]; ok && op.Kind.Constant() {
			return i
		}
		return -1
	}
	return -1
}
