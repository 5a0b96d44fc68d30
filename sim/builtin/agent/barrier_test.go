package agent

import (
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// barrierPort is a memory that performs each access at the next tick, refuses every third one, and
// loses the stores of one thread from one of its counts on.
type barrierPort struct {
	memory.Port
	queue  *event.Queue
	self   event.Actor
	client memory.Client
	words  map[memory.Addr]*memory.Block
	asked  int
	under  memory.Request
	loses  uint64 // 0: nothing
}

func (p *barrierPort) Join(c memory.Client) uint8 {
	p.client = c
	return 1
}

func (p *barrierPort) Access(r memory.Request) bool {
	if p.asked++; p.asked%3 == 0 {
		return false
	}
	p.under = r
	p.queue.At(p.queue.Now()+1, p.self, 0)
	return true
}

func (p *barrierPort) Handle(uint64) {
	b := p.words[p.under.Line]
	if b == nil {
		b = new(memory.Block)
		p.words[p.under.Line] = b
	}
	held := *b
	p.client.Perform(0, b)
	if p.under.Write && p.loses > 0 && b[0] >= p.loses {
		*b = held
	}
}

// barrierThread is one whose core needs some ticks for a round.
type barrierThread struct {
	queue  *event.Queue
	self   event.Actor
	member *Member
	ticks  event.Tick
	done   int
	may    int
	log    *[]int // rounds in the order of their ends
}

func (t *barrierThread) Permit(rounds int) { t.may = rounds }
func (t *barrierThread) resume()           { t.queue.At(t.queue.Now()+t.ticks, t.self, 0) }
func (t *barrierThread) Handle(uint64) {
	if t.done == t.may {
		t.member.Arrive()
		return
	}
	t.done++
	*t.log = append(*t.log, t.done)
	t.resume()
}

// meet runs three threads for three rounds, and returns the rounds in the order of their
// ends, and how many threads came to their end.
func meet(t *testing.T, places Barriers, loser int, loses uint64) (log []int, over int, g *Group) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout conflict\nlocations x y\nthread 0\nload x\nthread 1\nload x\nthread 2\nload y\n"))
	if err != nil {
		t.Fatal(err)
	}
	q := event.New(event.FIFO, 0)
	g = NewGroup(q, p, places, 3)
	words := map[memory.Addr]*memory.Block{}
	for i := range p.Threads {
		at := &barrierPort{queue: q, words: words}
		at.self = q.Add(at)
		if i == loser {
			at.loses = loses
		}
		x := &barrierThread{queue: q, ticks: event.Tick(5 * i * i), log: &log}
		x.ticks++
		x.self = q.Add(x)
		x.member = g.Join(x, at, func() { over++ })
		x.member.Resumes(x.resume)
		x.resume()
	}
	if err := q.Run(50_000); err != nil {
		t.Fatal(err)
	}
	for line := range words {
		if line < memory.Base+memory.Addr(p.Offset(1))+gen.LineBytes {
			t.Errorf("a count in line %#x of the program", int64(line))
		}
	}
	return log, over, g
}

func TestMeet(t *testing.T) {
	log, over, g := meet(t, BarrierRounds, -1, 0)
	if want := []int{1, 1, 1, 2, 2, 2, 3, 3, 3}; !slices.Equal(log, want) || over != 3 {
		t.Errorf("rounds end as %v, %d threads are over", log, over)
	}
	if _, what, ok := g.Overdue(0); ok {
		t.Error(what)
	}
	if log, over, _ = meet(t, BarrierEnds, -1, 0); slices.IsSorted(log) || over != 3 {
		t.Errorf("without barriers in between rounds end as %v, %d threads are over", log, over)
	}
}

// TestLost loses a count at each barrier. All threads that poll it wait, at the end only
// the first one.
func TestLost(t *testing.T) {
	for _, test := range []struct {
		places      Barriers
		loser       int
		loses       uint64
		where, what string
		over        int
	}{
		{BarrierEnds, 1, 1, "the start barrier", "core 0 waits at the start barrier for core 1, whose count of 1 it reads as 0", 0},
		{BarrierRounds, 2, 2, "the round barrier", "core 0 waits at the round barrier for core 2, whose count of 2 it reads as 1", 0},
		{BarrierEnds, 2, 2, "the end barrier", "core 0 waits at the end barrier for core 2, whose count of 4611686018427387904 it reads as 1", 2},
	} {
		_, over, g := meet(t, test.places, test.loser, test.loses)
		where, what, ok := g.Overdue(1000)
		if !ok || where != test.where || !strings.HasPrefix(what, test.what) || over != test.over {
			t.Errorf("got %q, %q, %t, %d threads over, want %+v", where, what, ok, over, test)
		}
		if _, _, ok := g.Overdue(1 << 40); ok {
			t.Error("overdue before the limit")
		}
	}
}

// TestParse reads what it writes.
func TestParse(t *testing.T) {
	for _, p := range []Barriers{NoBarriers, BarrierEnds, BarrierRounds} {
		if got, err := ParseBarriers(p.String()); got != p || err != nil {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
	if _, err := ParseBarriers("both"); err == nil {
		t.Error("unknown place: no error")
	}
}
