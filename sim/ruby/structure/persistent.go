// Package structure has data structures that gem5 offers to protocols besides
// caches: tables of persistent requests, slots of transactions, sets of expected
// messages and queues of triggers. All are plain words, in an order that does
// not depend on anything but what was done with them.
package structure

import "math/bits"

// Persistent is gem5's PersistentTable (mem/ruby/structures): which machines
// hold a persistent request for a line, and which of them came before a request
// of this machine was over. Machines are numbers from 0.
type Persistent struct {
	Lines []Starving // in the order of their first requests
	Words int        // of a set of machines
}

// Starving are the requests for one line: sets of bits by machine.
type Starving struct {
	Line                    int64
	Starving, Marked, Write []uint64
}

// Fault says which rule of a structure its user broke.
type Fault string

func (f Fault) Error() string { return string(f) }

// NewPersistent makes an empty table for a number of machines.
func NewPersistent(machines int) *Persistent { return &Persistent{Words: (machines + 63) / 64} }

func (t *Persistent) find(line int64) int {
	for i := range t.Lines {
		if t.Lines[i].Line == line {
			return i
		}
	}
	return -1
}

func has(set []uint64, machine int) bool { return set[machine/64]>>(machine%64)&1 != 0 }

func empty(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}

// Lock adds the request of a machine, which has none.
func (t *Persistent) Lock(line int64, machine int, write bool) error {
	i := t.find(line)
	if i < 0 {
		i = len(t.Lines)
		t.Lines = append(t.Lines, Starving{
			line, make([]uint64, t.Words), make([]uint64, t.Words), make([]uint64, t.Words),
		})
	}
	s := &t.Lines[i]
	if has(s.Starving, machine) {
		return Fault("persistent table: lock of a machine that has one")
	}
	s.Starving[machine/64] |= 1 << (machine % 64)
	if write {
		s.Write[machine/64] |= 1 << (machine % 64)
	}
	return nil
}

// Unlock takes the request of a machine away.
func (t *Persistent) Unlock(line int64, machine int) error {
	i := t.find(line)
	if i < 0 || !has(t.Lines[i].Starving, machine) {
		return Fault("persistent table: unlock of a machine that has no request")
	}
	s := &t.Lines[i]
	for _, set := range [][]uint64{s.Starving, s.Marked, s.Write} {
		set[machine/64] &^= 1 << (machine % 64)
	}
	if empty(s.Starving) {
		t.Lines = append(t.Lines[:i], t.Lines[i+1:]...)
	}
	return nil
}

// MayStarve reports whether a machine may make a request: it has none, and no
// request that was there when its last one ended is left.
func (t *Persistent) MayStarve(line int64, machine int) bool {
	i := t.find(line)
	return i < 0 || !has(t.Lines[i].Starving, machine) && empty(t.Lines[i].Marked)
}

// Smallest is the machine whose request counts, and whether it is to write.
func (t *Persistent) Smallest(line int64) (machine int, write bool, err error) {
	i := t.find(line)
	if i < 0 {
		return 0, false, Fault("persistent table: smallest of a line without requests")
	}
	for k, w := range t.Lines[i].Starving {
		if w != 0 {
			machine = 64*k + bits.TrailingZeros64(w)
			return machine, has(t.Lines[i].Write, machine), nil
		}
	}
	panic("a line without requests")
}

// Mark marks the requests that are there; none is marked.
func (t *Persistent) Mark(line int64) error {
	i := t.find(line)
	if i < 0 {
		return nil
	}
	if !empty(t.Lines[i].Marked) {
		return Fault("persistent table: mark of a line that is marked")
	}
	copy(t.Lines[i].Marked, t.Lines[i].Starving)
	return nil
}

// Locked reports whether there is a request for a line.
func (t *Persistent) Locked(line int64) bool { return t.find(line) >= 0 }

// Count is the number of requests for a line, all of them or those to read.
func (t *Persistent) Count(line int64, reads bool) int {
	i := t.find(line)
	if i < 0 {
		return 0
	}
	n := 0
	for k, w := range t.Lines[i].Starving {
		n += bits.OnesCount64(w)
		if reads {
			n -= bits.OnesCount64(t.Lines[i].Write[k])
		}
	}
	return n
}
