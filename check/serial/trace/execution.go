package trace

import (
	"errors"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// constraint requires the moment of event First to be before that of Then.
type constraint struct{ First, Then int32 }

// errCyclic says that constraints contradict each other or the trace.
var errCyclic = errors.New("no execution of the trace meets the constraints")

// execution is an execution of the trace that meets constraints: every write
// is committed as late as they and the fences permit.
func (l *timeline) execution(constraints []constraint) (*events.Sequence, error) {
	x := newExecutor(l, constraints)
	for i := range l.seq.Events {
		if err := x.step(int32(i)); err != nil {
			return nil, err
		}
	}
	for t := range l.seq.Threads {
		if err := x.commitThrough(int32(t), int32(len(l.seq.Events))); err != nil {
			return nil, err
		}
	}
	return x.builder.Sequence(), nil
}

// executor is the state of execution.
type executor struct {
	l       *timeline
	builder *serial.Copier
	waits   map[int32][]int32 // what has to have happened before a moment
	writes  [][]int32         // of each thread, issued and not committed
	done    []bool            // moments
	busy    []bool            // threads that commitThrough is committing for
}

func newExecutor(l *timeline, constraints []constraint) *executor {
	x := &executor{
		l: l, builder: serial.NewCopier(l.seq), waits: make(map[int32][]int32),
		writes: make([][]int32, len(l.seq.Threads)), done: make([]bool, len(l.seq.Events)),
		busy: make([]bool, len(l.seq.Threads)),
	}
	for _, c := range constraints {
		x.waits[c.Then] = append(x.waits[c.Then], c.First)
	}
	x.builder.Grow(2 * len(l.seq.Events))
	return x
}

func (x *executor) step(i int32) error {
	e := &x.l.seq.Events[i]
	if e.Kind.Drains() {
		if err := x.commitThrough(e.Thread, i); err != nil {
			return err
		}
	}
	if e.Kind != events.Write {
		if err := x.ready(i); err != nil {
			return err
		}
		x.done[i] = true
	} else {
		x.writes[e.Thread] = append(x.writes[e.Thread], i)
	}
	return x.builder.Copy(i)
}

// ready makes all happen that has to happen before the moment of event i.
func (x *executor) ready(i int32) error {
	for _, first := range x.waits[i] {
		if x.done[first] {
			continue
		}
		e := &x.l.seq.Events[first]
		if e.Kind != events.Write {
			return errCyclic
		}
		if err := x.commitThrough(e.Thread, first); err != nil {
			return err
		}
		if !x.done[first] { // not issued yet
			return errCyclic
		}
	}
	return nil
}

func (x *executor) commitThrough(t, last int32) error {
	if len(x.writes[t]) == 0 || x.writes[t][0] > last {
		return nil
	}
	if x.busy[t] {
		return errCyclic
	}
	x.busy[t] = true
	defer func() { x.busy[t] = false }()
	for len(x.writes[t]) > 0 && x.writes[t][0] <= last {
		w := x.writes[t][0]
		if err := x.ready(w); err != nil {
			return err
		}
		x.writes[t] = x.writes[t][1:]
		x.done[w] = true
		if err := x.builder.Commit(int(t)); err != nil {
			return err
		}
	}
	return nil
}
