package litmus

import (
	"fmt"
	"math"

	"ordeal/gen"
)

// allocation gives registers to a thread: one for each location and result, and
// three that are used again and again.
type allocation struct {
	free      []int
	locations map[gen.LocID]int
	scratch   [3]int // offset, data, address
}

// take is the next free register, -1 if there is none.
func (a *allocation) take() int {
	if len(a.free) == 0 {
		return -1
	}
	n := a.free[0]
	a.free = a.free[1:]
	return n
}

// other writes the code of a thread of another architecture than X86_64.
func (e *emitter) other(t gen.ThreadID) {
	d := e.dialect
	a := &allocation{free: d.registers, locations: map[gen.LocID]int{}}
	for i := range a.scratch {
		a.scratch[i] = a.take()
	}
	var code []string
	var reads []result
	results := make([]int, len(e.p.Threads[t])) // operation → register of its result
	line := func(text string) { code = append(code, text) }
	for i, op := range e.p.Threads[t] {
		if op.Kind == gen.Delay {
			continue
		}
		source := 0
		if op.Dep != 0 {
			source = results[i-int(op.Back)]
		}
		if op.Dep&gen.DepControl != 0 {
			label := fmt.Sprintf("LC%02d", e.labels) // labels of a test differ, also those of two threads
			e.labels++
			line(d.branch(source, label))
			line(label + ":")
		}
		if !op.Kind.Reads() && !op.Kind.Writes() {
			line(d.fence(op))
			continue
		}
		offset, data, address := a.scratch[0], a.scratch[1], a.scratch[2]
		at, known := a.locations[op.Loc]
		if !known {
			at = a.take()
			a.locations[op.Loc] = at
			fmt.Fprintf(&e.initial, "%d:%s=%s;\n", t, d.address(at), e.p.Locations[op.Loc])
		}
		if op.Attr&gen.Retry != 0 {
			e.refuse("thread %d operation %d (%s): litmus tests have no further attempts", t, i, e.p.OpText(op))
		}
		if op.Kind.Writes() {
			value := op.Value
			if op.Kind == gen.FetchAdd {
				value *= e.unit
			}
			if value > math.MaxInt32 {
				e.refuse("thread %d operation %d (%s): value %d does not fit 31 bits", t, i, e.p.OpText(op), value)
			}
			if op.Dep&gen.DepData != 0 {
				line(d.clear(data, source))
				line(d.increase(data, value))
			} else {
				line(d.move(data, value))
			}
		}
		if op.Dep&gen.DepAddress != 0 {
			line(d.clear(offset, source))
			line(d.displace(address, at, offset))
			at = address
		}
		if op.Kind.Reads() {
			to := a.take()
			if to < 0 {
				e.refuse("thread %d operation %d (%s): more than %d locations and results", t, i, e.p.OpText(op), len(d.registers)-len(a.scratch))
				break
			}
			results[i] = to
			reads = append(reads, result{register: d.address(to)})
		}
		line(d.access(op, results[i], data, at))
	}
	e.code, e.reads = append(e.code, code), append(e.reads, reads)
}
