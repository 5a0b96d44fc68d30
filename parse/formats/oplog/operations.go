package oplog

import (
	"errors"
	"fmt"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Operations reads the lines of a file one by one, without keeping them. What
// they are in Plume's dialect, whose transactions no stream is checked for, is
// compared with their neighbours only as far as it says which operations count.
type Operations struct {
	r    reader
	last []int64 // of gem5's dialect: thread → its last id, plus 1
}

// NewOperations reads lines of a dialect.
func NewOperations(d Dialect) *Operations { return &Operations{r: reader{dialect: d}} }

// Parse reads a line that is not blank. The error is trace.ErrLeftOut for an
// operation of an aborted transaction, and for one that writes the initial state.
func (o *Operations) Parse(code []byte) (thread int32, op parse.Op, err error) {
	l, err := o.r.operation(code)
	if err != nil {
		return 0, op, err
	}
	if l.aborted {
		return 0, op, trace.ErrLeftOut
	}
	thread = o.r.trace.Threads.Index(l.thread)
	if o.r.dialect == Plume {
		return thread, l.op, o.initial(&l)
	}
	if int(thread) == len(o.last) {
		o.last = append(o.last, 0)
	}
	if l.id < o.last[thread] {
		return 0, op, fmt.Errorf("id %d of thread %s after id %d: want increasing ones", l.id, l.thread, o.last[thread]-1)
	}
	o.last[thread] = l.id + 1
	return thread, l.op, nil
}

// initial looks whether an operation is of a first transaction that writes the
// initial state.
func (o *Operations) initial(l *fields) error {
	r := &o.r
	if !r.begun {
		r.begun, r.first = true, l.id
	}
	if l.id != r.first {
		return nil
	}
	isZero := l.op.Kind == parse.Write && l.op.Write == 0
	r.zero, r.rest = r.zero || isZero, r.rest || !isZero
	switch {
	case r.zero && r.rest:
		return errors.New("the first transaction writes 0, the initial value, and does more")
	case isZero:
		return trace.ErrLeftOut
	}
	return nil
}

// Threads and Locations are their names, by number.
func (o *Operations) Threads() []string   { return o.r.trace.Threads.List }
func (o *Operations) Locations() []string { return o.r.trace.Locations.List }
