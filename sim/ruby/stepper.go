package ruby

import (
	"bytes"
	varint "encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/counters"
	"ordeal/sim/slicc/syntax"
)

// Stepper is a System that advances by steps in place of events, and whose
// controllers can be loaded and saved one by one, for the exploration of all
// states. In a step one thing happens at one controller: a message arrives, a
// core starts an access, a timer expires, a message of the controller's own
// reaches it, or one that was put back does; then the controller's ports are polled until none does
// anything. Memory answers every request at once, its answer being on its way like any
// message. Time stands still, so that every delay is possible.
//
// A message arrives only at a buffer whose earlier messages have left, or were set
// aside: behind one that stalls it would have no effect.
type Stepper struct {
	*System
	lines []memory.Addr
	data  Data
	words int // of a line that are encoded

	all       []*controller
	private   [][]int     // by machine: the first of each list of controllers that go with the cores
	coresAt   int         // the machine that has the cores
	buffersOf [][]*buffer // by controller: those that it polls or fills itself
	outOf     [][]*buffer // by controller: those of others, and into the network
	places    map[*buffer]place
	unordered map[*buffer]bool
	numbers   *counters.Numbers                // nil: all are encoded as they are
	variables [][]codec                        // by machine: its variables in a controller's words
	initial   [][]initialWord                  // by machine: of its variables that are not encoded
	codecsOf  [][]codec                        // by layout
	elements  [][][]codec                      // by machine: of the elements of its queues of triggers
	competed  map[*cache.Cache[*object]]bool   // caches with fewer ways than lines
	races     map[*memory.DeviceSequencer]byte // by device: raced, or 0
	identity  *Permutation

	sent   []Sent
	stores []int // in this step, by line and word

	// Buffers that are reused.
	before, after []byte
	reader        decoder
	entries       []*object
	items         []item
	indexes       []int
	texts         [][]byte
	requests      []memory.Request
}

// place is where a buffer is.
type place struct{ controller, buffer int }

// stepTick is the time at which all steps happen. It is not zero, which
// protocols take for a time that is not set.
const stepTick event.Tick = 1

// stepLimit bounds the transitions and retries in a step.
const stepLimit = 10_000

// NewStepper builds a system; the options are valid. The lines are all those
// that are ever accessed. The error names what of the protocol has no encoding.
func NewStepper(p *Protocol, o Options, lines []memory.Addr, d Data) (*Stepper, error) {
	if err := p.program.checkSteppedBounds(&o); err != nil {
		return nil, err
	}
	s := &Stepper{
		System: New(event.Still(stepTick), p, o), lines: lines, data: d, words: d.Words,
		places: map[*buffer]place{}, unordered: map[*buffer]bool{}, competed: map[*cache.Cache[*object]]bool{}, races: map[*memory.DeviceSequencer]byte{},
		stores: make([]int, len(lines)*code.BlockWords), codecsOf: make([][]codec, len(p.program.Layouts)),
	}
	s.trace = s.foreign(s.trace)
	if !d.Counters {
		s.numbers = p.program.numbers(&s.options)
	}
	for _, l := range p.program.Layouts {
		s.codecsOf[l.Index] = s.fieldCodecs(nil, l, 0)
	}
	if err := s.index(); err != nil {
		return nil, fmt.Errorf("explore protocol %s: %w", p.Name(), err)
	}
	return s, nil
}

// foreign has a transition fail whose line is none that is ever accessed: the
// message that it is about has lost its address. It then calls trace, unless that
// is nil.
func (s *Stepper) foreign(trace func(c *controller, state, event, to int, line memory.Addr)) func(c *controller, state, event, to int, line memory.Addr) {
	return func(c *controller, state, event, to int, line memory.Addr) {
		if s.lineOf(line) < 0 {
			m := c.code.Decl
			c.fail("transition of a line that no core accesses", "(%s, %s) of %s, line %#x", m.State.Enums[state].Name, m.Event.Enums[event].Name, m.Name, int64(line))
		}
		if trace != nil {
			trace(c, state, event, to, line)
		}
	}
}

// index finds what there is of each machine and of each controller.
func (s *Stepper) index() error {
	var faults syntax.Faults
	privates := 0
	for _, mc := range s.program.Codes {
		for _, r := range mc.Roles {
			if r.Cores > 0 {
				privates, s.coresAt = s.options.number(r), mc.Index
			}
		}
	}
	for k, mc := range s.program.Codes {
		var blocks []int
		first := 0
		for _, r := range mc.Roles {
			if n := s.options.number(r); r.Private && n == privates {
				blocks = append(blocks, first)
			}
			first += s.options.number(r)
		}
		s.private = append(s.private, blocks)
		var list []codec
		var unread []int
		var elements [][]codec
		for _, v := range mc.Lists {
			elements = append(elements, s.codecs(nil, s.program.ElementOf(mc, v), 0))
		}
		s.elements = append(s.elements, elements)
		for _, v := range mc.Decl.Objects {
			if v.Type.Name == "TriggerQueue" {
				continue
			}
			switch code.ShapeOf(v.Type) {
			case code.Word, code.Vector:
				before := len(list)
				if list = s.numberCodecs(list, v, v.Type, mc.Place[v]); len(list) == before && code.ShapeOf(v.Type) == code.Word {
					unread = append(unread, mc.Place[v])
				}
			case code.Pointer, code.Text:
				faults.Add(v.Pos, "variable %s of type %s is not part of an explored state", v.Name, v.Type.Name)
			}
		}
		if slices.ContainsFunc(list, func(c codec) bool { return c.kind == data }) {
			faults.Add(mc.Decl.Pos, "machine %s has data outside of entries, transactions and messages", mc.Decl.Name)
		}
		s.variables = append(s.variables, list)
		s.initial = append(s.initial, initialWords(s.controllers[k], unread))
		for _, c := range s.controllers[k] {
			c.setNow(stepTick)
			s.indexController(c)
			s.all = append(s.all, c)
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if err := s.unorder(); err != nil {
		return err
	}
	s.fill()
	s.identity = &Permutation{Cores: counting(privates), Lines: counting(len(s.lines))}
	return nil
}

func counting(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func (s *Stepper) indexController(c *controller) {
	var own, out []*buffer
	add := func(list *[]*buffer, b *buffer) {
		if b != nil && !slices.Contains(*list, b) {
			*list = append(*list, b)
		}
	}
	for _, b := range c.in {
		add(&own, b)
	}
	add(&own, c.mandatory)
	if c.memory != nil {
		add(&own, c.memory.answers)
	}
	for _, b := range c.out {
		switch {
		case b == nil || c.memory != nil && b == c.memory.requests:
		case b.link != nil:
			add(&out, b)
		case b.owner != c:
			add(&out, b)
		default:
			add(&own, b)
		}
	}
	i := len(s.all)
	for at, b := range own {
		s.places[b] = place{i, at}
	}
	s.buffersOf, s.outOf = append(s.buffersOf, own), append(s.outOf, out)
	for _, held := range c.caches {
		lines := map[int]int{} // that lie in each set
		for _, line := range s.lines {
			set := held.SetOf(line)
			lines[set]++
			if lines[set] > held.Geometry().Ways {
				s.competed[held] = true
			}
		}
	}
}

// owner is the private controller with cores that a controller goes with, by
// number; -1 for one that serves several.
func (s *Stepper) owner(c *controller) int {
	if s.program.coreTypes() > 1 { // each cache of cores for itself
		if c.role.Cores > 0 {
			return s.first[c.code.Index] + s.number(c)
		}
		return -1
	}
	for _, first := range s.private[c.code.Index] {
		if at := s.number(c) - first; at >= 0 && at < len(s.identity.Cores) {
			return at
		}
	}
	return -1
}

// Controllers is the number of controllers.
func (s *Stepper) Controllers() int { return len(s.all) }

// Name is the machine and the number of a controller.
func (s *Stepper) Name(i int) string { return s.all[i].name() }

// Buffers is the number of buffers of controller i at which messages
// arrive.
func (s *Stepper) Buffers(i int) int { return len(s.buffersOf[i]) }

// Timers is the number of timer tables of controller i.
func (s *Stepper) Timers(i int) int { return len(s.all[i].timers) }

// BufferName is the controller and the name of a buffer.
func (s *Stepper) BufferName(i, buffer int) string { return s.buffersOf[i][buffer].name() }

// Waits reports whether an access of a core to a line is under way.
func (s *Stepper) Waits(core, line int) bool { return s.ports[core].Waits(s.lines[line]) }

// Pending reports whether an access of a core with a tag is under way.
func (s *Stepper) Pending(core int, tag uint64) bool {
	s.requests = s.ports[core].Requests(s.requests[:0])
	return slices.ContainsFunc(s.requests, func(r memory.Request) bool { return r.Tag == tag })
}

// Private is the number of controllers that have cores, which are the first to be renamed by
// permutations.
func (s *Stepper) Private() int { return len(s.identity.Cores) }

// RanksCores reports whether the protocol is known to give controllers precedence
// by their numbers, as persistent requests do.
func (s *Stepper) RanksCores() bool {
	return slices.ContainsFunc(s.program.Codes, func(mc *code.Machine) bool { return len(mc.Persistents) > 0 })
}

// Identity is the permutation that renames nothing.
func (s *Stepper) Identity() *Permutation { return s.identity }

// Home is the controller and the number, among its cores, of a core.
func (s *Stepper) Home(core int) (controller, number int) {
	for i, c := range s.all {
		if n := len(c.sequencers); core < n {
			return i, core
		} else {
			core -= n
		}
	}
	return -1, 0
}

func (s *Stepper) number(c *controller) int {
	_, n := code.SplitMachineID(c.id)
	return n
}

// Line is the address of a line.
func (s *Stepper) Line(i int) memory.Addr { return s.lines[i] }

// lineOf is the number of a line, -1 for any other address.
func (s *Stepper) lineOf(a memory.Addr) int { return slices.Index(s.lines, a) }

// Start begins a step: nothing has been sent or stored.
func (s *Stepper) Start() {
	for i := range s.sent {
		s.release(s.sent[i].msg)
	}
	for i := range s.recent {
		s.release(s.recent[i].msg)
	}
	s.sent, s.recent, s.oldest = s.sent[:0], s.recent[:0], 0
	clear(s.stores)
}

// arrive puts a message in that is there at once.
func (b *buffer) arrive(m *object) {
	b.count++
	b.insert(queued{msg: m, at: stepTick, number: b.count})
}

// Access starts an access of a core; false if its port refuses it, or if one
// before it is in its way.
func (s *Stepper) Access(core int, r memory.Request) (started bool, err error) {
	i, _ := s.Home(core)
	c := s.all[i]
	if c.mandatory.ready(stepTick) {
		return false, nil
	}
	if !s.start(func() bool { return s.ports[core].Access(r) }) {
		return false, nil
	}
	return true, s.run(c)
}

// start starts an access, whose message is in the mandatory queue at once; false if the port
// refuses it. What a port issues by itself later comes like other messages.
func (s *Stepper) start(access func() bool) bool {
	s.starting = true
	defer func() { s.starting = false }()
	return access()
}

// run polls the ports of a controller until none does anything, then takes what
// it sent.
func (s *Stepper) run(c *controller) error {
	for {
		s.poll(c)
		if s.queue.Err() != nil {
			break
		}
		if c.memory != nil && s.crowded(c.memory) || slices.ContainsFunc(s.buffersOf[c.index()], s.full) {
			return ErrLater
		}
		sent := len(s.sent)
		for _, b := range s.outOf[c.index()] {
			s.send(c, b)
		}
		// What waited for room in a buffer goes on now.
		if !c.bounded || len(s.sent) == sent {
			break
		}
	}
	return s.queue.Recover()
}

func (c *controller) index() int {
	_, n := code.SplitMachineID(c.id)
	return c.system.first[c.code.Index] + n
}

// ErrLater is the end of a step that is not possible yet. Memory takes a write of
// a line only when it has answered the one before, and a buffer holds a few
// messages of its own controller: protocols that do not wait for answers would have any number
// of them under way, and infinitely many states.
var ErrLater = errors.New("memory or a buffer takes no more messages yet")

// full reports whether more messages of a buffer's own controller are under way
// than may be.
func (s *Stepper) full(b *buffer) bool { return len(s.listed(b, ownItem)) > s.data.Depth }

// crowded reports whether the answers to two writes of a line are under way.
func (s *Stepper) crowded(q *memoryQueue) bool {
	b, f := q.answers, q.fields
	for j := b.head; j < len(b.items); j++ {
		m := b.items[j].msg
		if placeOf(&b.items[j]) != ownItem || m.words[f.Kind] != f.Write {
			continue
		}
		for _, other := range b.items[b.head:j] {
			if placeOf(&other) == ownItem && other.msg.words[f.Kind] == f.Write && other.msg.words[f.Addr] == m.words[f.Addr] {
				return true
			}
		}
	}
	return false
}

// poll polls the ports until none does anything. Memory then answers what was
// asked of it, and they are polled again.
func (s *Stepper) poll(c *controller) {
	defer c.catch()
	for n := 0; ; n++ {
		if n == stepLimit {
			c.fail("the ports of a controller never come to rest", "%d transitions", n)
		}
		watched := n >= spinAfter
		if watched {
			s.before = s.progress(s.before[:0], c)
		}
		moved := c.advance() != next
		if watched && moved {
			s.after = s.progress(s.after[:0], c)
			moved = !bytes.Equal(s.before, s.after)
		}
		if moved {
			continue
		}
		if c.memory == nil || c.memory.requests.head == len(c.memory.requests.items) {
			return
		}
		s.serve(c)
	}
}

// spinAfter is the number of transitions of a step from which on one that changes
// nothing ends it. A port that takes a transition without taking its message,
// as those of learning_gem5's MSI that wait, is polled in every cycle.
const spinAfter = 8

// progress is what a transition changes: the controller, and what it has sent.
func (s *Stepper) progress(dst []byte, c *controller) []byte {
	i := c.index()
	for _, b := range s.outOf[i] {
		dst = varint.AppendUvarint(dst, b.count)
	}
	if c.memory != nil {
		dst = varint.AppendUvarint(dst, c.memory.requests.count)
	}
	for _, n := range s.stores {
		dst = varint.AppendUvarint(dst, uint64(n))
	}
	return s.AppendController(dst, i, s.identity)
}

// serve lets memory answer all requests, in the order in which they were sent.
func (s *Stepper) serve(c *controller) {
	q := c.memory
	requests := q.requests.items[q.requests.head:]
	slices.SortFunc(requests, func(a, b queued) int { return int(a.number) - int(b.number) })
	for range len(requests) {
		q.answers.enqueue(q.answer(c, q.requests.pop().msg), stepTick+1)
	}
}

// Outstanding is the number of accesses under way of a core of controller i.
func (s *Stepper) Outstanding(i, number int) int {
	s.requests = s.all[i].sequencers[number].Requests(s.requests[:0])
	return len(s.requests)
}
