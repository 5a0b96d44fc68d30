package structure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

const steps = 5_000

// TestPersistent compares a table with sets of requests by line.
func TestPersistent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	type request struct{ write, marked bool }
	table, want := NewPersistent(130), map[int64]map[int]request{}
	for range steps {
		line, machine, write := int64(64*r.IntN(3)), r.IntN(5)*32, r.IntN(2) == 0
		requests := want[line]
		_, has := requests[machine]
		marked, smallest := 0, -1
		for m, q := range requests {
			if q.marked {
				marked++
			}
			if smallest < 0 || m < smallest {
				smallest = m
			}
		}
		switch r.IntN(4) {
		case 0:
			if err := table.Lock(line, machine, write); (err != nil) != has {
				t.Fatalf("lock of %d by %d: %v, has %v", line, machine, err, has)
			}
			if !has {
				if requests == nil {
					want[line] = map[int]request{}
				}
				want[line][machine] = request{write: write}
			}
		case 1:
			if err := table.Unlock(line, machine); (err != nil) == has {
				t.Fatalf("unlock of %d by %d: %v, has %v", line, machine, err, has)
			}
			delete(requests, machine)
		case 2:
			if err := table.Mark(line); (err != nil) != (marked > 0) {
				t.Fatalf("mark of %d: %v with %d marked", line, err, marked)
			}
			if marked == 0 {
				for m, q := range requests {
					requests[m] = request{q.write, true}
				}
			}
		default:
			if got := table.MayStarve(line, machine); got != (!has && marked == 0) {
				t.Fatalf("%d may starve for %d: %v", machine, line, got)
			}
			if got := table.Locked(line); got != (len(requests) > 0) {
				t.Fatalf("line %d locked: %v, %v", line, got, requests)
			}
			reads := 0
			for _, q := range requests {
				if !q.write {
					reads++
				}
			}
			if table.Count(line, false) != len(requests) || table.Count(line, true) != reads {
				t.Fatalf("counts of %d: %d, %d; want %d, %d", line, table.Count(line, false), table.Count(line, true), len(requests), reads)
			}
			m, w, err := table.Smallest(line)
			if (err != nil) != (smallest < 0) || err == nil && (m != smallest || w != requests[m].write) {
				t.Fatalf("smallest of %d: %d, %v, %v; want %d", line, m, w, err, smallest)
			}
		}
	}
}

// TestStorage compares a storage with a stack of free slots and counts.
func TestStorage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const slots = 4
	s, reserved, used, free := NewStorage(slots), 0, map[int]int{}, []int{0, 1, 2, 3}
	for range steps {
		slot := r.IntN(slots+2) - 1
		switch r.IntN(5) {
		case 0:
			if reserved < slots {
				s.Reserve()
				reserved++
			}
		case 1:
			if err := s.Release(); (err != nil) != (reserved == 0) {
				t.Fatalf("release of one of %d: %v", reserved, err)
			}
			reserved = max(reserved-1, 0)
		case 2:
			got, err := s.Add()
			if (err != nil) != (len(free)-reserved <= 0) {
				t.Fatalf("add with %d free, %d reserved: %v", len(free), reserved, err)
			}
			if err == nil {
				if want := free[len(free)-1]; got != want {
					t.Fatalf("slot %d, want %d", got, want)
				}
				free, used[got] = free[:len(free)-1], 1
			}
		case 3:
			if err := s.Share(slot); (err != nil) != (used[slot] == 0) {
				t.Fatalf("share of slot %d with %d: %v", slot, used[slot], err)
			}
			if used[slot] > 0 {
				used[slot]++
			}
		case 4:
			if err := s.Remove(slot); (err != nil) != (used[slot] == 0) {
				t.Fatalf("removal from slot %d with %d: %v", slot, used[slot], err)
			}
			if used[slot] > 0 {
				if used[slot]--; used[slot] == 0 {
					free = append(free, slot)
				}
			}
		}
		if s.Available() != len(free)-reserved || s.Size() != slots-len(free) || s.Capacity() != slots {
			t.Fatalf("available %d, size %d, capacity %d; %d free, %d reserved", s.Available(), s.Size(), s.Capacity(), len(free), reserved)
		}
	}
}

// TestExpected compares the words with maps, as gem5 has them.
func TestExpected(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	e := make(Expected, ExpectedWords)
	var total, responses, datas, pieces, chunks uint64
	resp, data := map[uint64]bool{}, map[uint64]bool{}
	cameResp, cameData := map[uint64]bool{}, map[uint64]bool{}
	reset := func() {
		chunks = 1 + r.Uint64N(3)
		total, responses, datas, pieces = 0, 0, 0, 0
		clear(resp)
		clear(data)
		clear(cameResp)
		clear(cameData)
		e.Clear(chunks)
	}
	reset()
	for range steps {
		typ := []uint64{0, 5, 63}[r.IntN(3)]
		switch r.IntN(8) {
		case 0:
			reset()
		case 1:
			e.ExpectResponse(typ)
			resp[typ], cameResp[typ] = true, false
		case 2:
			e.ExpectData(typ)
			data[typ], cameData[typ] = true, false
		case 3:
			total = r.Uint64N(6)
			e.SetCount(total)
		case 4:
			e.AddCount(1)
			total++
		case 5:
			came := responses + datas
			ok, err := e.Response(typ)
			if (err != nil) != (came >= total) || err == nil && ok != resp[typ] {
				t.Fatalf("response %d: %v, %v with %d of %d", typ, ok, err, came, total)
			}
			if ok {
				responses++
				cameResp[typ] = true
			}
		case 6:
			came := responses + datas
			ok, err := e.Data(typ)
			if (err != nil) != (came > total) || err == nil && ok != data[typ] {
				t.Fatalf("data %d: %v, %v with %d of %d", typ, ok, err, came, total)
			}
			if ok {
				cameData[typ] = true
				if pieces++; pieces == chunks {
					datas, pieces = datas+1, 0
				}
			}
		}
		if e.ResponseOf(typ) != cameResp[typ] || e.DataOf(typ) != cameData[typ] {
			t.Fatalf("type %d came: %v, %v; want %v, %v", typ, e.ResponseOf(typ), e.DataOf(typ), cameResp[typ], cameData[typ])
		}
		if e.Received() != responses+datas || e.Left() != total-responses-datas || e.HasData() != (datas > 0) || e.HasResponse() != (responses > 0) {
			t.Fatalf("received %d, left %d; want %d responses and %d data of %d", e.Received(), int64(e.Left()), responses, datas, total)
		}
	}
}

// TestQueue compares the words with a list.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	type element struct {
		value uint64
		free  bool
	}
	q := make(Queue, QueueWords)
	var want []element
	for range steps {
		e, front := element{r.Uint64N(200), r.IntN(2) == 0}, r.IntN(2) == 0
		if r.IntN(5) < 3 {
			if err := q.Push(e.value, !e.free, front); (err != nil) != (len(want) == MaxTriggers) {
				t.Fatalf("push to %d elements: %v", len(want), err)
			} else if err == nil && front {
				want = slices.Insert(want, 0, e)
			} else if err == nil {
				want = append(want, e)
			}
		} else if err := q.Pop(); (err != nil) != (len(want) == 0) {
			t.Fatalf("pop from %d elements: %v", len(want), err)
		} else if err == nil {
			want = want[1:]
		}
		if q.Len() != len(want) {
			t.Fatalf("%d elements, want %d", q.Len(), len(want))
		}
		for _, front := range []bool{true, false} {
			value, free, err := q.At(front)
			if len(want) == 0 {
				if err == nil {
					t.Fatal("an element of an empty queue")
				}
				continue
			}
			expected := want[len(want)-1]
			if front {
				expected = want[0]
			}
			if d := cmp.Diff(expected, element{value, free}, cmp.AllowUnexported(element{})); d != "" || err != nil {
				t.Fatalf("front %v: %v (-want +got):\n%s", front, err, d)
			}
		}
	}
	for q.Len() > 0 {
		if err := q.Pop(); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Max(q) != 0 {
		t.Errorf("an empty queue is %v, want zeros", q)
	}
}

// TestTimer compares a timer table with a map from lines to ticks.
func TestTimer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var table Timer
	want := map[memory.Addr]event.Tick{}
	for range steps {
		line, tick := memory.Addr(64*r.IntN(5)), event.Tick(r.IntN(20))
		at, has := want[line]
		if i := table.Find(line); i >= 0 != has || has && table.Lines[i].At != at {
			t.Fatalf("line %#x is at %d of %v, want %v at %d", line, i, table.Lines, has, at)
		}
		over := 0
		first := event.Tick(20)
		for _, at := range want {
			if at <= tick {
				over++
				first = min(first, at)
			}
		}
		if l, ok := table.Next(tick); ok != (over > 0) || ok && want[l] != first {
			t.Fatalf("at tick %d the time of %#x is over (%v), want one of tick %d of %v", tick, l, ok, first, want)
		}
		if r.IntN(2) == 0 {
			if err := table.Set(line, tick); (err != nil) != has {
				t.Fatalf("set of %#x: %v, has %v", line, err, has)
			}
			if !has {
				want[line] = tick
			}
			continue
		}
		if err := table.Unset(line); (err != nil) == has {
			t.Fatalf("unset of %#x: %v, has %v", line, err, has)
		}
		delete(want, line)
	}
}
