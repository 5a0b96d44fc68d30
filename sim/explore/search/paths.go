package search

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ordeal/sim/explore/machine"
)

// paths holds the predecessor of each state and the ordinal of the step, in
// about a byte: a state's number is at least that of any state whose
// predecessor comes before its own, so the difference of predecessors is
// kept, and mostly small.
type paths struct {
	data  []byte
	marks []mark // every markEvery states
	n     uint64
	last  uint64 // predecessor of the last state
}

// mark is where the byte of a state is, and the predecessor of the state
// before it.
type mark struct {
	at     uint64
	parent uint64
}

const markEvery = 1 << 12

// pathGrowth is the inverse of the room that is left over when the array grows.
const pathGrowth = 64

// The first byte has the ordinal in its low bits and the difference above;
// the greatest value of either says that it follows as a varint.
const (
	ordinalBits = 5
	manyOrdinal = 1<<ordinalBits - 1
	manyParents = 1<<(8-ordinalBits) - 1
)

// add adds the next state; predecessors do not descend.
func (p *paths) add(parent uint64, ordinal uint16) {
	if p.n%markEvery == 0 {
		p.marks = append(p.marks, mark{uint64(len(p.data)), p.last})
	}
	p.n++
	delta := parent - p.last
	p.last = parent
	low, high := min(uint64(ordinal), manyOrdinal), min(delta, manyParents)
	if len(p.data)+1+2*binary.MaxVarintLen64 > cap(p.data) {
		p.data = slices.Grow(p.data, len(p.data)/pathGrowth+1<<12)
	}
	p.data = append(p.data, byte(high<<ordinalBits|low))
	if low == manyOrdinal {
		p.data = binary.AppendUvarint(p.data, uint64(ordinal))
	}
	if high == manyParents {
		p.data = binary.AppendUvarint(p.data, delta)
	}
}

// get is the predecessor of a state, and the ordinal of the step from it.
func (p *paths) get(n uint64) (parent uint64, ordinal uint16) {
	m := p.marks[n/markEvery]
	data, parent := p.data[m.at:], m.parent
	for range n%markEvery + 1 {
		b := data[0]
		data = data[1:]
		number := func(v, many byte) uint64 {
			if v < many {
				return uint64(v)
			}
			x, size := binary.Uvarint(data)
			data = data[size:]
			return x
		}
		ordinal = uint16(number(b&manyOrdinal, manyOrdinal))
		parent += number(b>>ordinalBits, manyParents)
	}
	return parent, ordinal
}

func (p *paths) bytes() int64 { return int64(cap(p.data) + 16*cap(p.marks)) }

// restore makes the paths of n states from what bytes has held.
func (p *paths) restore(data []byte, n uint64) error {
	*p = paths{data: data}
	rest := data
	for ; p.n < n; p.n++ {
		if p.n%markEvery == 0 {
			p.marks = append(p.marks, mark{uint64(len(data) - len(rest)), p.last})
		}
		if len(rest) == 0 {
			return fmt.Errorf("the predecessors of %d states, want %d", p.n, n)
		}
		b := rest[0]
		rest = rest[1:]
		size, delta := 1, uint64(b>>ordinalBits)
		if b&manyOrdinal == manyOrdinal {
			_, size = binary.Uvarint(rest)
			rest = rest[max(size, 0):]
		}
		if delta == manyParents && size > 0 {
			delta, size = binary.Uvarint(rest)
			rest = rest[max(size, 0):]
		}
		if p.last += delta; size <= 0 || p.last > p.n {
			return fmt.Errorf("the predecessor of state %d is no earlier state", p.n)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes behind the predecessors of %d states", len(rest), n)
	}
	return nil
}

// Path is the way from the initial state to another one.
type Path struct {
	States []machine.State // one more than steps
	Steps  []machine.Step
}

// Path is a shortest path to a state, by its number.
func (s *Search) Path(number uint64) (*Path, error) {
	if number >= s.visited() {
		return nil, fmt.Errorf("find the path to state %d: only %d states were visited", number, s.visited())
	}
	var ordinals []uint16
	for number > 0 {
		parent, ordinal := s.paths.get(number)
		ordinals = append(ordinals, ordinal)
		number = parent
	}
	slices.Reverse(ordinals)
	path := &Path{States: []machine.State{s.machine.Initial()}}
	for i, ordinal := range ordinals {
		if err := path.extend(s.machine, ordinal); err != nil {
			return nil, fmt.Errorf("repeat step %d of a path: %w", i+1, err)
		}
	}
	return path, nil
}

// extend adds a step of the last state.
func (p *Path) extend(m machine.Machine, ordinal uint16) error {
	last := p.States[len(p.States)-1]
	var e machine.Expansion
	m.Expand(last, &e)
	i := slices.Index(e.Ordinals, ordinal)
	if i < 0 {
		return fmt.Errorf("the state has no step %d", ordinal)
	}
	p.Steps = append(p.Steps, m.Step(last, int(ordinal)))
	p.States = append(p.States, slices.Clone(e.States[i*m.Width():(i+1)*m.Width()]))
	return nil
}

// Counterexample is a shortest path to a finding. The step that fails, if the
// state itself does not, comes last and leads to no state.
func (s *Search) Counterexample(f *Finding) (*Path, error) {
	path, err := s.Path(f.State)
	if err == nil && f.Step >= 0 {
		path.Steps = append(path.Steps, s.machine.Step(path.States[len(path.States)-1], f.Step))
	}
	return path, err
}

// Follow adds steps to a path, to states with given numbers one after the other.
// The search must have kept its graph.
func (s *Search) Follow(path *Path, numbers []uint64) error {
	for _, number := range numbers {
		var e machine.Expansion
		s.machine.Expand(path.States[len(path.States)-1], &e)
		found := slices.IndexFunc(e.Prints, func(f machine.Fingerprint) bool {
			n, ok := s.set.Find(s.set.Truncate(f))
			return ok && n == number
		})
		if found < 0 {
			return fmt.Errorf("follow a path: no step leads to state %d", number)
		}
		if err := path.extend(s.machine, e.Ordinals[found]); err != nil {
			return fmt.Errorf("follow a path: %w", err)
		}
	}
	return nil
}
