package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// script runs one core on a memory whose answers the test gives one by one.
// It is the core's memory.Port.
type script struct {
	t        *testing.T
	queue    *event.Queue
	core     Core
	thread   *Thread
	writes   WriteOrder
	underWay []memory.Request
	room     int // accesses that the port takes before it is full
	ended    bool
}

// newScript starts a core on a thread, written as in a program's text, with
// one location to a line.
func newScript(t *testing.T, c Config, thread string) *script {
	t.Helper()
	p, err := gen.Parse("script", []byte("ordeal-program 1\nlayout spread\nlocations x y z\nthread 0\n"+strings.ReplaceAll(thread, "; ", "\n")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, queue: event.New(event.FIFO, 0), room: 16, writes: NewWriteOrder(p, 1)}
	s.thread = NewThread(p, 0, 1, s.writes)
	s.core = New(s.queue, c, s.thread, s, func() { s.ended = true })
	s.settle()
	return s
}

func (s *script) Attach(memory.Client)                    {}
func (s *script) Join(memory.Client) uint8                { return 1 }
func (s *script) Oldest() (memory.Addr, event.Tick, bool) { return 0, 0, false }

func (s *script) Access(r memory.Request) bool {
	if len(s.underWay) == s.room {
		return false
	}
	s.underWay = append(s.underWay, r)
	return true
}

// settle lets the core do all that it can do by itself.
func (s *script) settle() {
	s.t.Helper()
	if err := s.queue.Run(100_000); err != nil || s.queue.Waiting() > 0 {
		s.t.Fatalf("the core does not come to rest: %v", err)
	}
}

func (s *script) name(r memory.Request) string {
	text := "R"
	if r.Write {
		text = "W"
	}
	text += [...]string{memory.NoLock: "", memory.TakeLock: "+", memory.ReleaseLock: "-", memory.LoadLinked: "?", memory.StoreConditional: "?"}[r.Lock]
	return text + "xyz"[(r.Line-memory.Base)/64:][:1]
}

// want compares the accesses under way, such as "Rx", "Wy" or, with
// locks, "W+z" and "W-z", linked "R?z" and "W?z", in any order.
func (s *script) want(names ...string) {
	s.t.Helper()
	var got []string
	for _, r := range s.underWay {
		got = append(got, s.name(r))
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		s.t.Fatalf("under way are %q, want %q; the core: %s", got, names, s.core.Describe())
	}
}

// answer performs the oldest access with a name on a line of the given value
// and returns what the line holds then.
func (s *script) answer(name string, value uint64) uint64 {
	s.t.Helper()
	b := memory.Block{value}
	s.core.Perform(s.take(name).Tag, &b)
	s.settle()
	return b[0]
}

// fail has the oldest access with a name fail.
func (s *script) fail(name string) {
	s.t.Helper()
	s.core.(memory.Conditional).Fail(s.take(name).Tag)
	s.settle()
}

// take ends the oldest access with a name.
func (s *script) take(name string) memory.Request {
	s.t.Helper()
	i := slices.IndexFunc(s.underWay, func(r memory.Request) bool { return s.name(r) == name })
	if i < 0 {
		s.t.Fatalf("no access %s is under way; the core: %s", name, s.core.Describe())
	}
	r := s.underWay[i]
	s.underWay = slices.Delete(s.underWay, i, i+1)
	return r
}

// evict notifies the core that it loses the line of a location.
func (s *script) evict(location gen.LocID) {
	s.core.Evict(memory.Base + memory.Addr(location)*64)
	s.settle()
}

// reads compares the log so far.
func (s *script) reads(values ...gen.Value) {
	s.t.Helper()
	if !slices.Equal(s.thread.Reads(), values) {
		s.t.Fatalf("the thread has read %v, want %v", s.thread.Reads(), values)
	}
}

// end expects that the core has come to its end with such writes.
func (s *script) end(writes ...[]gen.Value) {
	s.t.Helper()
	s.want()
	if !s.ended {
		s.t.Fatalf("the core has not come to its end: %s", s.core.Describe())
	}
	if got := fmt.Sprint(s.writes); got != fmt.Sprint(writes) {
		s.t.Fatalf("writes performed in order %s, want %v", got, writes)
	}
}
