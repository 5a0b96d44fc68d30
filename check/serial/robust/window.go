package robust

import (
	"iter"

	"ordeal/parse/formats/events"
)

// Window is what of an execution of SC can happen while a write waits in the
// store buffer of its thread, the attacker.
type Window struct {
	// Write is the write that waits.
	Write int32
	// Happens says of each event whether it still happens and sees the value
	// that it did. The events of a thread that do are its first.
	Happens []bool
	// Reads are the attacker's reads from memory after the write.
	Reads []int32
	_     struct{}
}

// Windows yields the windows of an execution of SC, a trace whose writes take
// effect where they are issued, that have reads. A violation is in the window
// of its write: conflicts that lead from one of the reads to the write's
// variable, through events of other threads that happen. The next event of a
// thread after those that happen may be the last. What is yielded is valid
// until the next one. The time is quadratic.
func Windows(s *events.Sequence) iter.Seq[*Window] {
	return func(yield func(*Window) bool) {
		a := newAttack(s)
		w := &Window{Happens: a.kept}
		for i := range int32(len(s.Events)) {
			if s.Events[i].Kind != events.Write {
				continue
			}
			w.Write = i
			if w.Reads = a.window(i, w.Reads[:0]); len(w.Reads) > 0 && !yield(w) {
				return
			}
		}
	}
}

// window plays on from write w, and appends the attacker's reads from memory.
func (a *attack) window(w int32, reads []int32) []int32 {
	attacker := a.s.Events[w].Thread
	for x := range a.own {
		a.own[x], a.exposed[x] = none, none
	}
	clear(a.stopped)
	clear(a.skipped)
	for i := range a.kept {
		a.kept[i] = true
	}
	for i := w; int(i) < len(a.s.Events); i++ {
		e := &a.s.Events[i]
		if a.stopped[e.Thread] || a.stops(i, e, attacker) {
			a.stopped[e.Thread], a.kept[i] = true, false
		} else if e.Thread == attacker && e.Var >= 0 && a.exposed[e.Var] == i {
			reads = append(reads, i)
		}
		if writes(e) && (!a.kept[i] || e.Thread == attacker) {
			a.skipped[i] = true
		}
	}
	return reads
}
