package structure

import (
	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// The sizes of gem5's RubyPrefetcher by default (RubyPrefetcher.py of v24.0.0.1). A stream
// begins with one prefetch and does not leave its page.
const (
	streams    = 4
	filterSize = 8
	pageBytes  = 1 << 12
)

// Streams is gem5's RubyPrefetcher: it watches the misses of a cache and, after so many in
// sequence, asks for the lines that follow, each when the one before is used.
type Streams struct {
	train    int
	request  func(line memory.Addr, kind uint64)
	up, down filter
	strides  []stride
	list     [streams]prefetchStream
}

// filter is the next lines of sequences that go up, or down, by one line.
type filter struct {
	step    int64 // lines
	entries []expectation
}

type expectation struct {
	line memory.Addr
	hits int
}

// stride is the last miss in a page and the distance from the one before.
type stride struct {
	last  memory.Addr
	bytes int64
	hits  int
}

type prefetchStream struct {
	line  memory.Addr // asked for last
	step  int64       // lines
	kind  uint64
	used  event.Tick
	valid bool
}

// NewStreams makes a prefetcher that begins a stream after train misses that follow the
// first one of a sequence (gem5: train_misses, 4 by default) and calls request for each
// prefetch, with the kind of access that missed.
func NewStreams(train int, request func(line memory.Addr, kind uint64)) *Streams {
	return &Streams{train: train, request: request, up: filter{step: 1}, down: filter{step: -1}}
}

// Reset makes the prefetcher as it was made.
func (s *Streams) Reset() {
	s.up.entries, s.down.entries, s.strides = s.up.entries[:0], s.down.entries[:0], s.strides[:0]
	s.list = [streams]prefetchStream{}
}

// Miss notes a miss of an access of a kind.
func (s *Streams) Miss(line memory.Addr, kind uint64, now event.Tick) {
	if s.find(line) == nil && !s.follow(&s.up, line, kind, now) && !s.follow(&s.down, line, kind, now) {
		s.stride(line, kind, now)
	}
}

// Use notes that a line that was prefetched is used, be it there or still on its way: the
// stream that ends in it goes on.
func (s *Streams) Use(line memory.Addr, now event.Tick) {
	t := s.find(line)
	if t == nil {
		return
	}
	next := after(t.line, t.step)
	if page(next) != page(t.line) {
		t.valid = false
		return
	}
	t.line, t.used = next, now
	s.request(next, t.kind)
}

// find is the stream that asked for a line last, or nil.
func (s *Streams) find(line memory.Addr) *prefetchStream {
	for i := range s.list {
		if s.list[i].valid && s.list[i].line == line {
			return &s.list[i]
		}
	}
	return nil
}

// follow reports whether a line is the next of a sequence, of which it is the last miss then.
func (s *Streams) follow(f *filter, line memory.Addr, kind uint64, now event.Tick) bool {
	for i := range f.entries {
		if e := &f.entries[i]; e.line == line {
			e.line = after(line, f.step)
			e.hits++
			if e.hits >= s.train {
				s.begin(line, f.step, kind, now)
			}
			return true
		}
	}
	f.entries = push(f.entries, expectation{line: after(line, f.step)})
	return false
}

// stride notes a miss among those of its page.
func (s *Streams) stride(line memory.Addr, kind uint64, now event.Tick) {
	for i := range s.strides {
		e := &s.strides[i]
		if page(e.last) != page(line) {
			continue
		}
		bytes := int64(line) - int64(e.last)
		if bytes == 0 {
			return
		}
		if bytes == e.bytes {
			e.hits++
			if e.hits > s.train {
				s.begin(line, bytes/gen.LineBytes, kind, now)
				e.hits = 0 // gem5 clears the entry, and then sets the other two all the same
			}
		} else {
			e.hits = 0
		}
		e.last, e.bytes = line, bytes
		return
	}
	s.strides = push(s.strides, stride{last: line})
}

// begin makes a stream, in place of the one that was not used for longest, and asks for its
// first line.
func (s *Streams) begin(line memory.Addr, step int64, kind uint64, now event.Tick) {
	t := &s.list[0]
	for i := range s.list {
		if !s.list[i].valid {
			t = &s.list[i]
			break
		}
		if s.list[i].used < t.used {
			t = &s.list[i]
		}
	}
	next := after(line, step)
	*t = prefetchStream{line: line, step: step, kind: kind, used: now, valid: page(next) == page(line)}
	if t.valid {
		t.line = next
		s.request(next, kind)
	}
}

// push adds an entry at the end of a filter; the first one leaves a full one.
func push[E any](list []E, e E) []E {
	if len(list) == filterSize {
		copy(list, list[1:])
		list = list[:filterSize-1]
	}
	return append(list, e)
}

func after(line memory.Addr, step int64) memory.Addr {
	return memory.Addr(int64(line) + step*gen.LineBytes)
}

func page(line memory.Addr) memory.Addr { return line &^ (pageBytes - 1) }
