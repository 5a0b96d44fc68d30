package robust

import (
	"errors"
	"fmt"

	"ordeal/parse/formats/events"
)

// accept checks that an execution is one of every program that has the
// execution sc of SC: each of its threads does the first of what it does
// there, and reads the same writes but in the last event of its thread.
func accept(sc, x *events.Sequence) error {
	want, got := histories(sc), histories(x)
	for t := range x.Threads {
		if len(got[t]) > len(want[t]) {
			return fmt.Errorf("thread %s does more", x.Threads[t])
		}
		for k, step := range got[t] {
			reads := step.kind == events.Read || step.kind == events.Update
			if reads && k == len(got[t])-1 {
				step.from = want[t][k].from // it may read anything
			}
			if step != want[t][k] {
				return fmt.Errorf("step %d of thread %s is %v: want %v", k, x.Threads[t], step, want[t][k])
			}
		}
	}
	if len(x.Events) == 0 {
		return errors.New("nothing happens")
	}
	return nil
}

// step is an event of a thread's history.
type step struct {
	kind     events.Kind
	variable int32
	from     source
	number   int32 // of its transaction
}

// source names a write by its thread and its place among the thread's events;
// the zero value is the initial value.
type source struct{ thread, place int32 }

// histories runs a sequence on a machine with store buffers; of a trace every
// write is committed at once.
func histories(s *events.Sequence) [][]step {
	out := make([][]step, len(s.Threads))
	memory := make([]source, len(s.Variables))
	type store struct {
		variable int32
		name     source
	}
	buffers := make([][]store, len(s.Threads))
	for i := range s.Events {
		e := &s.Events[i]
		t := e.Thread
		if e.Kind == events.Commit {
			memory[e.Var] = buffers[t][0].name
			buffers[t] = buffers[t][1:]
			continue
		}
		st := step{kind: e.Kind, variable: e.Var, number: s.Transactions[e.Tx].Number}
		name := source{t + 1, int32(len(out[t])) + 1}
		switch e.Kind {
		case events.Read, events.Update:
			st.from = memory[e.Var]
			for _, b := range buffers[t] {
				if b.variable == e.Var {
					st.from = b.name
				}
			}
			if e.Kind == events.Update {
				memory[e.Var] = name
			}
		case events.Write:
			if s.Execution {
				buffers[t] = append(buffers[t], store{e.Var, name})
			} else {
				memory[e.Var] = name
			}
		}
		out[t] = append(out[t], st)
	}
	return out
}
