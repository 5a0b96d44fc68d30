package oplog

import (
	"fmt"

	"ordeal/parse"
)

// Operations reads the lines of a file in gem5's dialect one by one, without
// keeping them.
type Operations struct {
	r    reader
	last []int64 // thread → its last id, plus 1
}

// Parse reads a line that is not blank.
func (o *Operations) Parse(code []byte) (thread int32, op parse.Op, err error) {
	o.r.dialect = GEM5
	l, err := o.r.operation(code)
	if err != nil {
		return 0, op, err
	}
	thread = o.r.trace.Threads.Index(l.thread)
	if int(thread) == len(o.last) {
		o.last = append(o.last, 0)
	}
	if l.id < o.last[thread] {
		return 0, op, fmt.Errorf("id %d of thread %s after id %d: want increasing ones", l.id, l.thread, o.last[thread]-1)
	}
	o.last[thread] = l.id + 1
	return thread, l.op, nil
}

// Threads and Locations are their names, by number.
func (o *Operations) Threads() []string   { return o.r.trace.Threads.List }
func (o *Operations) Locations() []string { return o.r.trace.Locations.List }
