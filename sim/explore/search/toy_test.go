package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
)

// toy is a machine of processes that go round through places 0 to places-1; the
// last is for one of them at a time. A broken one lets a second process in
// once all the others are at place 1; a sorted one has symmetric processes.
// The numbers of its components depend on the order in which they are seen.
type toy struct {
	processes, places int
	broken, sorted    bool
	taken             []uint64
	shared            *toyShared
}

// toyShared maps places to numbers, in order of first use by one worker alone.
type toyShared struct{ offset uint32 }

func newToy(processes, places int, broken, sorted bool) *toy {
	return &toy{processes: processes, places: places, broken: broken, sorted: sorted, taken: make([]uint64, places), shared: new(toyShared)}
}

func (t *toy) Width() int { return t.processes }

func (t *toy) Initial() machine.State {
	s := make(machine.State, t.processes)
	for i := range s {
		s[i] = t.shared.offset
	}
	return s
}

func (t *toy) place(s machine.State, i int) int { return int(s[i] - t.shared.offset) }

func (t *toy) Fingerprint(s machine.State) machine.Fingerprint {
	places := slices.Clone(s)
	if t.sorted {
		slices.Sort(places)
	}
	var text []byte
	for i := range places {
		text = append(text, byte(t.place(places, i)))
	}
	sum := sha256.Sum256(text)
	return machine.Fingerprint{Hi: binary.BigEndian.Uint64(sum[:]), Lo: binary.BigEndian.Uint64(sum[8:])}
}

func (t *toy) in(s machine.State, place int) int {
	n := 0
	for i := range s {
		if t.place(s, i) == place {
			n++
		}
	}
	return n
}

func (t *toy) Expand(s machine.State, e *machine.Expansion) {
	e.Reset()
	critical := t.places - 1
	if t.in(s, critical) > 1 {
		e.Faults = append(e.Faults, machine.Fault{Property: machine.SWMR, Failure: sim.Failure{Kind: "two at once"}, Step: -1})
	}
	for i := range s {
		if t.place(s, i) > 0 {
			e.Waiting |= 1 << i
		}
		next := (t.place(s, i) + 1) % t.places
		if next == critical && t.in(s, critical) > 0 && !(t.broken && t.in(s, 1) == t.processes-2) {
			continue
		}
		e.Steps++
		t.taken[t.place(s, i)]++
		if t.broken && next == 0 && t.in(s, critical) > 1 {
			e.Faults = append(e.Faults, machine.Fault{Property: machine.Assertion, Failure: sim.Failure{Kind: "left with another"}, Step: i})
			continue
		}
		to := slices.Clone(s)
		to[i] = t.shared.offset + uint32(next)
		e.States = append(e.States, to...)
		e.Prints = append(e.Prints, t.Fingerprint(to))
		e.Ordinals = append(e.Ordinals, uint16(i))
		e.Classes = append(e.Classes, uint16(i+1))
	}
	e.Print = t.Fingerprint(s)
	e.Orbit = 1
	if t.sorted {
		for n := range t.processes {
			e.Orbit *= n + 1
		}
		for place := range t.places {
			for n := range t.in(s, place) {
				e.Orbit /= n + 1
			}
		}
	}
	e.Rest = e.Waiting == 0
	e.Done = t.in(s, 0) == t.processes-1
}

func (t *toy) Fork() machine.Machine {
	u := *t
	u.taken = make([]uint64, t.places)
	return &u
}

func (t *toy) Coverage() sim.Coverage {
	var c sim.Coverage
	for i, n := range t.taken {
		c = append(c, sim.Transition{Row: sim.Row{Machine: "toy", State: fmt.Sprint(i), Event: "step"}, Count: n})
	}
	return c
}

func (t *toy) Outcome(s machine.State) []byte {
	out := []byte{0}
	for i := range s {
		out[0] = max(out[0], byte(t.place(s, i)))
	}
	return out
}

type toyStep string

func (s toyStep) String() string { return string(s) }

func (t *toy) Step(s machine.State, ordinal int) machine.Step {
	return toyStep(fmt.Sprintf("process %d leaves place %d", ordinal, t.place(s, ordinal)))
}

func (t *toy) Describe(s machine.State) string { return fmt.Sprint(s) }
func (t *toy) Class(c uint16) string           { return fmt.Sprintf("process %d", c-1) }
func (t *toy) Memory() int64                   { return 0 }

func (t *toy) Save(w io.Writer) error {
	return binary.Write(w, binary.LittleEndian, t.shared.offset)
}

func (t *toy) Load(r io.Reader) error {
	return binary.Read(r, binary.LittleEndian, &t.shared.offset)
}

// reference visits all states of a machine with a queue and a map.
func reference(m machine.Machine) *Result {
	type entry struct {
		state machine.State
		depth int
	}
	r := &Result{}
	initial := m.Initial()
	seen := map[machine.Fingerprint]bool{m.Fingerprint(initial): true}
	known := map[string]bool{}
	outcomes := map[string]bool{}
	for queue := []entry{{initial, 0}}; len(queue) > 0; queue = queue[1:] {
		now := queue[0]
		var e machine.Expansion
		m.Expand(now.state, &e)
		r.Orbits++
		r.States += uint64(e.Orbit)
		r.Steps += uint64(e.Steps)
		if now.depth == len(r.Levels) {
			r.Levels = append(r.Levels, 0)
		}
		r.Levels[now.depth]++
		r.Depth = now.depth
		for _, f := range e.Faults {
			depth := now.depth
			if f.Step >= 0 {
				depth++
			}
			if !known[f.Title()] {
				known[f.Title()] = true
				r.Findings = append(r.Findings, Finding{f, r.Orbits - 1, depth})
			}
		}
		if out := m.Outcome(now.state); e.Done && !outcomes[string(out)] {
			outcomes[string(out)] = true
			r.Outcomes = append(r.Outcomes, Outcome{bytes.Clone(out), r.Orbits - 1})
		}
		for i, f := range e.Prints {
			r.Digest += digestOf(m.Fingerprint(now.state), f)
			if !seen[f] {
				seen[f] = true
				queue = append(queue, entry{slices.Clone(e.States[i*m.Width() : (i+1)*m.Width()]), now.depth + 1})
			}
		}
	}
	r.Expanded = r.Orbits
	return r
}
