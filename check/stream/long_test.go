package stream

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

var operations = flag.Int64("operations", 300_000, "length of the runs of TestFollowLong")

// machine is a machine of TSO that runs forever: threads with store buffers, random
// operations on few locations, whose operations are seen as they are issued.
type machine struct {
	rng     *rand.Rand
	memory  []gen.Value
	buffers [][]parse.Op
	value   gen.Value
	// stale has a thread read what it read before the value that it read last from
	// a location, from the operation of that number on, once. What it read last may
	// be explained by a read that came early.
	stale int64
	seen  [][][2]gen.Value // thread, location → the last value read, and the one before
}

func newMachine(seed uint64, threads, locations int) *machine {
	m := &machine{
		rng: rand.New(rand.NewPCG(seed, 41)), memory: make([]gen.Value, locations),
		buffers: make([][]parse.Op, threads), seen: make([][][2]gen.Value, threads), stale: -1,
	}
	for t := range m.seen {
		m.seen[t] = make([][2]gen.Value, locations)
	}
	return m
}

// step issues operation i.
func (m *machine) step(i int64) (int32, parse.Op) {
	for m.rng.IntN(2) == 0 { // drain a buffer
		t := m.rng.IntN(len(m.buffers))
		if b := m.buffers[t]; len(b) > 0 {
			m.memory[b[0].Loc] = b[0].Write
			m.buffers[t] = append(b[:0], b[1:]...)
		}
	}
	t := m.rng.IntN(len(m.buffers))
	x := int32(m.rng.IntN(len(m.memory)))
	op := parse.Op{Kind: parse.Read, Loc: x, RF: parse.NoOp}
	switch k := m.rng.IntN(100); {
	case k < 40 && len(m.buffers[t]) < 8:
		m.value++
		op.Kind, op.Write = parse.Write, m.value
		m.buffers[t] = append(m.buffers[t], op)
		return int32(t), op
	case k >= 98:
		for _, s := range m.buffers[t] {
			m.memory[s.Loc] = s.Write
		}
		m.buffers[t] = m.buffers[t][:0]
		return int32(t), parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
	}
	op.Read = m.memory[x]
	for _, s := range m.buffers[t] {
		if s.Loc == x {
			op.Read = s.Write
		}
	}
	seen := &m.seen[t][x]
	if m.stale >= 0 && i >= m.stale && seen[0] == op.Read && seen[1] != seen[0] {
		m.stale = -1
		op.Read = seen[1]
		return int32(t), op
	}
	if seen[0] != op.Read {
		*seen = [2]gen.Value{op.Read, seen[0]}
	}
	return int32(t), op
}

// A run of any length takes no more memory than a short one, and has an order; the
// first stale read after it is found.
func TestFollowLong(t *testing.T) {
	c, err := New(model.TSO, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(1, 8, 64)
	start := time.Now()
	var first uint64 // bytes live after a million operations
	step := func(i int64) bool {
		thread, op := m.step(i)
		final, err := c.Add(t.Context(), thread, op, i)
		if err != nil {
			t.Fatal(err)
		}
		return final
	}
	for i := range *operations {
		if step(i) {
			t.Fatalf("after %d operations: %+v", i, c.Result())
		}
		if i+1 == 1_000_000 || (i+1)%10_000_000 == 0 {
			runtime.GC()
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			t.Logf("%d operations: %v, %d kB live, %d MiB of the system, %d operations kept at most",
				i+1, time.Since(start).Round(time.Second), s.HeapAlloc>>10, s.Sys>>20, c.Result().Peak)
			if first == 0 {
				first = s.HeapAlloc
			}
			if s.HeapAlloc > 2*first {
				t.Errorf("%d kB live after a million operations, %d now", first>>10, s.HeapAlloc>>10)
			}
		}
	}
	m.stale = *operations
	found := *operations
	for !step(found) && found < 3**operations {
		found++
	}
	r := c.Result()
	t.Logf("%+v", r.Answer)
	if r.Answer != check.Forbidden || found > *operations+4*DefaultWindow || r.Gaps > 0 || r.Peak > 5*DefaultWindow {
		t.Errorf("%d operations, stale read from %d on: %v %s, %d gaps, %d kept", found, *operations, r.Answer, r.Reason, r.Gaps, r.Peak)
	}
}
