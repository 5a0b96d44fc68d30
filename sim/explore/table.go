package explore

import (
	"sync"
	"sync/atomic"

	"ordeal/sim/explore/machine"
)

// table numbers distinct texts, each with a record, from 0. Any number of
// goroutines may use it.
type table[T any] struct {
	shards [shardCount]shard
	chunks [maxChunks]atomic.Pointer[[chunkSize]T]
	grow   sync.Mutex
	next   atomic.Uint32
	bytes  atomic.Int64
}

type shard struct {
	sync.RWMutex
	numbers map[machine.Fingerprint]uint32
}

const (
	shardCount = 64
	chunkSize  = 1 << 10
	maxChunks  = 1 << 16
)

func newTable[T any]() *table[T] {
	t := &table[T]{}
	for i := range t.shards {
		t.shards[i].numbers = map[machine.Fingerprint]uint32{}
	}
	return t
}

func (t *table[T]) len() int { return int(t.next.Load()) }

// at is the record of a number.
func (t *table[T]) at(n uint32) *T { return &t.chunks[n/chunkSize].Load()[n%chunkSize] }

// number is that of a text with a hash. The same says whether a record is that
// of the text, and fill makes a new record so; only one goroutine fills a record, before
// any other sees it.
func (t *table[T]) number(h machine.Fingerprint, same func(*T) bool, fill func(*T)) uint32 {
	for {
		s := &t.shards[h.Lo%shardCount]
		s.RLock()
		n, ok := s.numbers[h]
		s.RUnlock()
		if !ok {
			s.Lock()
			if n, ok = s.numbers[h]; !ok {
				n = t.add()
				fill(t.at(n))
				s.numbers[h] = n
			}
			s.Unlock()
		}
		if same(t.at(n)) {
			return n
		}
		h.Hi++ // another text with this hash
	}
}

// add takes the next number, with room for its record.
func (t *table[T]) add() uint32 {
	n := t.next.Add(1) - 1
	if n/chunkSize >= maxChunks {
		panic("explore: more than 2^26 components")
	}
	if c := &t.chunks[n/chunkSize]; c.Load() == nil {
		t.grow.Lock()
		if c.Load() == nil {
			c.Store(new([chunkSize]T))
		}
		t.grow.Unlock()
	}
	return n
}

// memo maps keys to numbers; what a key has never changes. Any number of
// goroutines may use it.
type memo struct {
	shards [shardCount]struct {
		sync.RWMutex
		numbers map[uint64]uint32
	}
	count atomic.Int64
}

func newMemo() *memo {
	m := &memo{}
	for i := range m.shards {
		m.shards[i].numbers = map[uint64]uint32{}
	}
	return m
}

func (m *memo) get(key uint64) (uint32, bool) {
	s := &m.shards[fold(key^mixC, mixA)%shardCount]
	s.RLock()
	n, ok := s.numbers[key]
	s.RUnlock()
	return n, ok
}

func (m *memo) put(key uint64, n uint32) {
	s := &m.shards[fold(key^mixC, mixA)%shardCount]
	s.Lock()
	if _, ok := s.numbers[key]; !ok {
		s.numbers[key] = n
		m.count.Add(1)
	}
	s.Unlock()
}

// recent is a cache, for one goroutine, of what a memo has.
type recent struct {
	of     *memo
	keys   []uint64
	values []uint32
}

const recentSize = 1 << 14

func newRecent(of *memo) *recent {
	return &recent{of: of, keys: make([]uint64, recentSize), values: make([]uint32, recentSize)}
}

// get finds a key, which is not 0.
func (r *recent) get(key uint64) (uint32, bool) {
	at := fold(key^mixC, mixB) % recentSize
	if r.keys[at] == key {
		return r.values[at], true
	}
	n, ok := r.of.get(key)
	if ok {
		r.keys[at], r.values[at] = key, n
	}
	return n, ok
}
