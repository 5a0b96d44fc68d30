package structure

import (
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Timer is gem5's TimerTable: lines and the ticks at which their time is over.
type Timer struct{ Lines []Timed }

// Timed is a line of a Timer and the tick at which its time is over.
type Timed struct {
	Line memory.Addr
	At   event.Tick
}

// Find is the index of a line, -1 if its time does not run.
func (t *Timer) Find(line memory.Addr) int {
	for i := range t.Lines {
		if t.Lines[i].Line == line {
			return i
		}
	}
	return -1
}

// Next is the line whose time is over first; false if none is over.
func (t *Timer) Next(now event.Tick) (memory.Addr, bool) {
	best := -1
	for i := range t.Lines {
		if t.Lines[i].At <= now && (best < 0 || t.Lines[i].At < t.Lines[best].At) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	return t.Lines[best].Line, true
}

// Set adds a line, which must not be in the table. The error is a Fault.
func (t *Timer) Set(line memory.Addr, at event.Tick) error {
	if t.Find(line) >= 0 {
		return Fault("timer table: set of a line that is set")
	}
	t.Lines = append(t.Lines, Timed{line, at})
	return nil
}

// Unset takes a line out, which must be in the table. The error is a Fault.
func (t *Timer) Unset(line memory.Addr) error {
	i := t.Find(line)
	if i < 0 {
		return Fault("timer table: unset of a line that is not set")
	}
	t.Lines = slices.Delete(t.Lines, i, i+1)
	return nil
}
