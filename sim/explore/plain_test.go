package explore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// Result is what a visit of all states found.
type Result struct {
	States int
	// Steps counts the steps of all states, those that change nothing and those
	// that end in a fault included.
	Steps int
	Depth int // of the last state found
	// Complete says that all reachable states were visited.
	Complete bool
	Findings []Finding // in the order in which they were found, one of each title
	Rows     sim.Coverage
}

// Finding is a violation and a shortest path to it, a line for each step.
type Finding struct {
	machine.Fault
	Path []string
}

// reference is the plain explorer that defines what a faster one has to
// find: whole states as strings in a map, one thread, no symmetry. It loads and
// saves every controller at every step.
type reference struct {
	config  Config
	stepper *actors
	number  map[string]int
	states  []string
	parents []int
	labels  []string
	depths  []int
	titles  map[string]bool
	result  Result
}

// Reference visits at most limit states.
func Reference(c Config, limit int) (Result, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	s, err := newActors(&c)
	if err != nil {
		return Result{}, err
	}
	r := &reference{config: c, stepper: s, number: map[string]int{}, titles: map[string]bool{}}
	r.visit(r.save(nil), -1, "")
	for i := 0; i < len(r.states) && len(r.states) < limit; i++ {
		if err := r.expand(i); err != nil {
			return Result{}, err
		}
		r.result.Complete = i+1 == len(r.states)
	}
	r.result.States, r.result.Rows = len(r.states), s.Coverage()
	r.result.Depth = r.depths[len(r.depths)-1]
	return r.result, nil
}

// visit adds a state unless it is known.
func (r *reference) visit(state string, parent int, label string) {
	if _, known := r.number[state]; known {
		return
	}
	r.number[state] = len(r.states)
	depth := 0
	if parent >= 0 {
		depth = r.depths[parent] + 1
	}
	r.states, r.parents = append(r.states, state), append(r.parents, parent)
	r.labels, r.depths = append(r.labels, label), append(r.depths, depth)
}

// save writes the controllers and then the messages in flight, each after its
// length. Messages of one channel are in order; channels are sorted.
func (r *reference) save(flying [][]byte) string {
	var state []byte
	for i := range r.stepper.Controllers() {
		state = appendSized(state, r.stepper.encode(nil, i, r.stepper.Identity()))
	}
	slices.SortStableFunc(flying, func(a, b []byte) int {
		if ruby.Unordered(a) && ruby.Unordered(b) {
			return bytes.Compare(a, b)
		}
		return bytes.Compare(ruby.Channel(a), ruby.Channel(b))
	})
	for _, m := range flying {
		state = appendSized(state, m)
	}
	return string(state)
}

func appendSized(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// load makes the machine what save wrote, and returns the messages in flight.
func (r *reference) load(state string) ([][]byte, error) {
	rest := []byte(state)
	next := func() []byte {
		n, size := binary.Uvarint(rest)
		part := rest[size : size+int(n)]
		rest = rest[size+int(n):]
		return part
	}
	r.stepper.Start()
	for i := range r.stepper.Controllers() {
		if err := r.stepper.load(i, next()); err != nil {
			return nil, err
		}
	}
	var flying [][]byte
	for len(rest) > 0 {
		flying = append(flying, next())
	}
	return flying, nil
}

// choice is a step of a state; the machine is in the state when it runs.
type choice struct {
	label  string
	arrive int // the message in flight that arrives, -1 for none
	run    func() (started bool, err error)
}

// choices lists the steps of the state that the machine is in.
func (r *reference) choices(flying [][]byte) ([]choice, error) {
	var list []choice
	s := r.stepper
	for i := range s.Controllers() {
		for n := range s.cores.count(i) {
			list = append(list, choice{s.cores.text(i, n), -1, func() (bool, error) { return s.cores.do(i, n) }})
		}
	}
	for i, m := range flying {
		if slices.ContainsFunc(flying[:i], func(earlier []byte) bool {
			return bytes.Equal(m, earlier) || bytes.Equal(ruby.Channel(m), ruby.Channel(earlier)) && !ruby.Overtakes(m, earlier)
		}) {
			continue
		}
		sent, err := s.LoadSent(m)
		if err != nil {
			return nil, err
		}
		if s.Open(&sent) {
			list = append(list, choice{"message " + s.TextOf(&sent), i, func() (bool, error) {
				again, err := s.LoadSent(m)
				if err != nil {
					return false, err
				}
				return true, s.Arrive(again)
			}})
		}
	}
	for i := range s.Controllers() {
		for _, m := range s.Moves(nil, i) {
			list = append(list, choice{s.MoveText(i, m), -1, func() (bool, error) { return true, s.Do(i, m) }})
		}
	}
	return list, nil
}

// expand takes all steps of state i.
func (r *reference) expand(i int) error {
	state := r.states[i]
	flying, err := r.load(state)
	if err != nil {
		return err
	}
	now := r.moment(len(flying))
	flying, _ = r.load(state)
	choices, err := r.choices(flying)
	if err != nil {
		return err
	}
	now.stuck = true
	for _, c := range choices {
		flying, err := r.load(state)
		if err != nil {
			return err
		}
		started, err := c.run()
		if !started && err == nil {
			continue
		}
		if errors.Is(err, ruby.ErrLater) || err == nil && r.overfull(flying, c.arrive) {
			now.stuck = false
			continue
		}
		r.result.Steps++
		if err != nil {
			now.stuck = false
			r.find(faultOf(err), i, c.label)
			continue
		}
		if c.arrive >= 0 {
			flying = slices.Delete(flying, c.arrive, c.arrive+1)
		}
		next := r.after(flying)
		now.stuck = now.stuck && next == state
		r.visit(next, i, c.label)
	}
	for _, f := range now.violations(nil) {
		r.find(f, i, "")
	}
	return nil
}

// overfull reports whether too many messages are in a channel after a step, in
// which one arrived.
func (r *reference) overfull(flying [][]byte, arrived int) bool {
	count := map[string]int{}
	for i, m := range flying {
		if i != arrived {
			count[string(ruby.Channel(m))]++
		}
	}
	full := false
	for i := range r.stepper.Sent() {
		channel := string(ruby.Channel(r.stepper.AppendSent(nil, &r.stepper.Sent()[i], r.stepper.Identity())))
		count[channel]++
		full = full || count[channel] > r.config.Depth
	}
	return full
}

// after is the state that a step led to, with the data that its stores made
// older.
func (r *reference) after(flying [][]byte) string {
	s := r.stepper
	list := make([][]byte, 0, len(flying)+len(s.Sent()))
	for _, m := range flying {
		old, err := s.LoadSent(m)
		if err != nil {
			panic(err) // it was loaded before
		}
		list = append(list, s.AppendSent(nil, &old, s.Identity()))
	}
	for i := range s.Sent() {
		list = append(list, s.AppendSent(nil, &s.Sent()[i], s.Identity()))
	}
	return r.save(list)
}

func (r *reference) moment(inFlight int) moment {
	m := moment{inFlight: inFlight, ages: r.config.Values > 1}
	for i := range r.stepper.Controllers() {
		sum := r.stepper.Summary(i)
		m.waiting += sum.Waiting
		m.controllers, m.names = append(m.controllers, &sum), append(m.names, r.stepper.Name(i))
	}
	return m
}

// find notes a fault of state i, or of a step of it.
func (r *reference) find(f machine.Fault, i int, label string) {
	key := f.Property.String() + f.Title()
	if r.titles[key] {
		return
	}
	r.titles[key] = true
	var path []string
	if label != "" {
		path = append(path, label)
	}
	for ; r.parents[i] >= 0; i = r.parents[i] {
		path = append(path, r.labels[i])
	}
	slices.Reverse(path)
	r.result.Findings = append(r.result.Findings, Finding{f, path})
}
