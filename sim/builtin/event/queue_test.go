package event

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// recorder notes the events it gets and schedules more, as its rng decides.
type recorder struct {
	queue  queue
	random *rand.Rand
	left   int // events that may still be scheduled
	got    []occurrence
}

// occurrence is an event that ran.
type occurrence struct {
	at    Tick
	arg   uint64
	actor Actor
}

// queue is what Queue and its reference implementation have in common.
type queue interface {
	Now() Tick
	At(Tick, Actor, uint64)
}

// scatter schedules events at distances on both sides of the wheel's size.
func (r *recorder) scatter() {
	for n := r.random.IntN(3); n >= 0 && r.left > 0; n-- {
		r.left--
		var d Tick
		switch r.random.IntN(6) {
		case 0: // now
		case 1, 2, 3:
			d = Tick(r.random.IntN(8))
		case 4:
			d = Tick(r.random.IntN(2 * wheelTicks))
		default:
			d = Tick(r.random.IntN(10 * wheelTicks))
		}
		r.queue.At(r.queue.Now()+d, Actor(r.random.IntN(2)), uint64(r.left))
	}
}

// half is one of a recorder's two actors.
type half struct {
	*recorder
	actor Actor
}

func (h half) Handle(arg uint64) {
	h.got = append(h.got, occurrence{h.queue.Now(), arg, h.actor})
	h.scatter()
}

// list is the reference implementation of Queue: a list of events in the order in which they
// were scheduled, searched from end to end for the next.
type list struct {
	now    Tick
	events []occurrence
	last   bool // of the events of a tick, take the last and not the first
}

func (l *list) Now() Tick { return l.now }

func (l *list) At(t Tick, a Actor, arg uint64) {
	l.events = append(l.events, occurrence{t, arg, a})
}

func (l *list) run(handlers []Handler) {
	for len(l.events) > 0 {
		next := 0
		for i, e := range l.events {
			if e.at < l.events[next].at || l.last && e.at == l.events[next].at {
				next = i
			}
		}
		e := l.events[next]
		l.events = slices.Delete(l.events, next, next+1)
		l.now = e.at
		handlers[e.actor].Handle(e.arg)
	}
}

func record(seed uint64) *recorder {
	return &recorder{random: rand.New(rand.NewPCG(seed, 0)), left: 500}
}

// play runs the recorder of a seed on a Queue.
func play(order Order, queueSeed, seed uint64) (*recorder, *Queue) {
	r, q := record(seed), New(order, queueSeed)
	r.queue = q
	q.Add(half{r, 0})
	q.Add(half{r, 1})
	r.scatter()
	for q.Waiting() > 0 {
		if err := q.Run(7); err != nil {
			panic(err)
		}
	}
	return r, q
}

func TestQueueAgainstList(t *testing.T) {
	for _, order := range []Order{FIFO, LIFO} {
		for seed := range uint64(200) {
			got, _ := play(order, seed, seed)
			want, l := record(seed), &list{last: order == LIFO}
			want.queue = l
			want.scatter()
			l.run([]Handler{half{want, 0}, half{want, 1}})
			if !slices.Equal(got.got, want.got) {
				t.Fatalf("%s, seed %d: queue and list differ:\n%v\n%v", order, seed, got.got, want.got)
			}
		}
	}
}

// ticks counts what it gets in each tick.
type ticks struct {
	queue *Queue
	got   map[Tick][]uint64
}

func (c *ticks) Handle(arg uint64) { c.got[c.queue.Now()] = append(c.got[c.queue.Now()], arg) }

func TestShuffled(t *testing.T) {
	firsts := map[uint64]int{}
	for seed := range uint64(400) {
		q := New(Shuffled, seed)
		c := &ticks{q, map[Tick][]uint64{}}
		a := q.Add(c)
		for arg := range uint64(4) {
			q.At(5, a, arg)
			q.At(5000, a, 10+arg)
		}
		if err := q.Run(100); err != nil {
			t.Fatal(err)
		}
		firsts[c.got[5][0]]++
		for at, want := range map[Tick][]uint64{5: {0, 1, 2, 3}, 5000: {10, 11, 12, 13}} {
			slices.Sort(c.got[at])
			if !slices.Equal(c.got[at], want) {
				t.Fatalf("seed %d, tick %d: events %v, want %v", seed, at, c.got[at], want)
			}
		}
	}
	// Each of four events comes first in 100 of 400 runs, give or take four
	// standard deviations.
	for arg := range uint64(4) {
		if n := firsts[arg]; n < 65 || n > 135 {
			t.Errorf("event %d came first in %d of 400 runs", arg, n)
		}
	}
}

func TestHash(t *testing.T) {
	hashes := map[uint64]uint64{}
	for seed := range uint64(50) {
		_, first := play(Shuffled, seed, 1)
		_, second := play(Shuffled, seed, 1)
		if first.Hash() != second.Hash() || first.Count() != second.Count() {
			t.Fatalf("seed %d: the same run has two hashes", seed)
		}
		hashes[first.Hash()] = seed
	}
	// The recorder's choices depend on the order of events.
	if len(hashes) != 50 {
		t.Errorf("50 seeds have %d hashes", len(hashes))
	}
	alone := func(at Tick, actor Actor, arg uint64) uint64 {
		q := New(FIFO, 0)
		c := &ticks{q, map[Tick][]uint64{}}
		q.Add(c)
		q.Add(c)
		q.At(at, actor, arg)
		if err := q.Run(1); err != nil {
			t.Fatal(err)
		}
		return q.Hash()
	}
	base := alone(1, 0, 0)
	for what, h := range map[string]uint64{"tick": alone(2, 0, 0), "actor": alone(1, 1, 0), "argument": alone(1, 0, 1)} {
		if h == base {
			t.Errorf("the hash does not depend on the %s", what)
		}
	}
}

// stopper calls a function on each event.
type stopper struct{ do func(arg uint64) }

func (s stopper) Handle(arg uint64) { s.do(arg) }

func TestRunStops(t *testing.T) {
	q := New(FIFO, 0)
	fault := errors.New("fault")
	a := q.Add(stopper{func(arg uint64) {
		switch arg {
		case 3:
			q.Halt()
		case 6:
			q.Fail(fault)
			q.Fail(errors.New("second fault"))
		}
	}})
	for arg := range uint64(10) {
		q.At(Tick(arg), a, arg)
	}
	for _, step := range []struct {
		limit int
		count uint64
		err   error
	}{{2, 2, nil}, {100, 4, nil}, {0, 4, nil}, {100, 7, fault}, {100, 7, fault}} {
		if err := q.Run(step.limit); err != step.err || q.Count() != step.count {
			t.Fatalf("Run(%d): %v after %d events, want %v after %d", step.limit, err, q.Count(), step.err, step.count)
		}
	}
}

// failure is an error that handlers panic with.
type failure struct{ error }

func (failure) EndsRun() {}

// TestFailures has handlers panic: with a failure, which Run returns, and with anything
// else.
func TestFailures(t *testing.T) {
	q := New(LIFO, 0)
	fault := failure{errors.New("fault")}
	a := q.Add(stopper{func(arg uint64) {
		switch arg {
		case 2:
			panic(fault)
		case 3:
			panic("fault")
		}
	}})
	for arg := range uint64(4) {
		q.At(Tick(arg), a, arg)
	}
	if err := q.Run(100); err != fault || q.Count() != 3 {
		t.Fatalf("%v after %d events, want %v after 3", err, q.Count(), fault)
	}
	if err := q.Recover(); err != fault {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != "fault" {
			t.Errorf("panic %v", p)
		}
	}()
	err := q.Run(100)
	t.Errorf("no panic: %v", err)
}

func TestPastIsRefused(t *testing.T) {
	q := New(FIFO, 0)
	a := q.Add(stopper{func(uint64) {}})
	q.At(3, a, 0)
	if err := q.Run(1); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an event in the past was accepted")
		}
	}()
	q.At(2, a, 0)
}

// pulse repeats each event after as many ticks as its argument says.
type pulse struct {
	queue *Queue
	self  Actor
}

func (p *pulse) Handle(arg uint64) { p.queue.At(p.queue.Now()+Tick(arg), p.self, arg) }

// TestSteadyStateAllocatesNothing repeats, after a warm-up, what happened in
// the same places of the wheel before: all periods divide the longest.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	const longest = 4 * wheelTicks
	for _, order := range []Order{Shuffled, FIFO, LIFO} {
		q := New(order, 1)
		p := &pulse{queue: q}
		p.self = q.Add(p)
		for period := uint64(1); period <= longest; period *= 2 {
			q.At(0, p.self, period)
			q.At(0, p.self, period)
		}
		run := func() {
			if err := q.Run(10_000); err != nil {
				t.Fatal(err)
			}
		}
		for q.Now() < 3*longest {
			run()
		}
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %v allocations in 10,000 events", order, n)
		}
	}
}

func TestParseOrder(t *testing.T) {
	for _, o := range []Order{Shuffled, FIFO, LIFO} {
		if got, err := ParseOrder(o.String()); err != nil || got != o {
			t.Errorf("ParseOrder(%q) = %v, %v", o, got, err)
		}
	}
	for _, name := range []string{"", "unknown", "FIFO"} {
		if o, err := ParseOrder(name); err == nil {
			t.Errorf("ParseOrder(%q) = %v", name, o)
		}
	}
}

// ring keeps events going at random distances.
type ring struct {
	queue  *Queue
	random *rand.PCG
	self   Actor
}

func (r *ring) Handle(uint64) {
	u := r.random.Uint64()
	d := Tick(u % 32)
	if u>>60 == 0 {
		d += 2 * wheelTicks
	}
	r.queue.At(r.queue.Now()+d, r.self, u)
}

// BenchmarkQueue measures one event, taken out, handled and another put in,
// with 50 events waiting, one in 16 of them beyond the wheel.
func BenchmarkQueue(b *testing.B) {
	for _, order := range []Order{Shuffled, FIFO, LIFO} {
		b.Run(order.String(), func(b *testing.B) {
			q := New(order, 1)
			r := &ring{queue: q, random: rand.NewPCG(1, 1)}
			r.self = q.Add(r)
			for range 50 {
				q.At(0, r.self, 0)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := q.Run(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRelease has queues that are given back with events and handlers, near and
// far, in the middle of a tick: the next one is empty.
func TestRelease(t *testing.T) {
	for _, order := range []Order{Shuffled, FIFO, LIFO} {
		for n := range 3 {
			q := New(order, 1)
			if q.Now() != 0 || q.Count() != 0 || q.Hash() != 0 || q.Waiting() != 0 || q.Err() != nil || q.Add(ignored{}) != 0 {
				t.Fatalf("%s: a new queue is at tick %d after %d events, %d wait: %v", order, q.Now(), q.Count(), q.Waiting(), q.Err())
			}
			self := q.Add(ignored{})
			for i := range 9 {
				q.At(Tick(i%3), self, uint64(i))
				q.At(Tick(1000+i), self, uint64(i))
			}
			if err := q.Run(4); err != nil {
				t.Fatal(err)
			}
			if q.Count() != 4 || q.Waiting() != 14 {
				t.Fatalf("%s: %d events ran, %d wait", order, q.Count(), q.Waiting())
			}
			if n == 1 { // no event of the first one is left
				if err := q.Run(100); err != nil || q.Count() != 18 {
					t.Fatalf("%s: %d events of 18 ran: %v", order, q.Count(), err)
				}
			}
			q.Fail(errors.New("stop"))
			q.Release()
		}
	}
}

// ignored does nothing at its events.
type ignored struct{}

func (ignored) Handle(uint64) {}
