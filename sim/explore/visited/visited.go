// Package visited holds the set of the states that a search has visited, as
// fingerprints: hash compaction (Wolper and Leroy, CAV 1993; Stern and Dill,
// CHARME 1995).
//
// The set is split into segments by the first bits of the fingerprint. A segment
// is a sorted array of what follows the first 16 bits, with an index by these: so
// an entry of 128 bits takes 14 bytes, with little room left over, and workers
// share the set without locks: each has segments of its own at any time.
package visited

import (
	"encoding/binary"
	"math"
	"slices"

	"ordeal/sim/explore/machine"
)

// Segments is the number of segments of a set, of which each is large, so that
// little of the memory that it is given is left over.
const (
	segmentBits = 6
	Segments    = 1 << segmentBits
)

// Segment is the segment that a fingerprint belongs to.
func Segment(f machine.Fingerprint) int { return int(f.Hi >> (64 - segmentBits)) }

// parts is the number of parts of a segment, which have the same first 16 bits.
const parts = 1 << (16 - segmentBits)

func part(f machine.Fingerprint) int { return int(f.Hi >> 48 % parts) }

// segment is an array of entries, in order, and where the parts begin: part i is
// entries starts[i] to starts[i+1].
type segment struct {
	entries []byte
	starts  [parts + 1]uint32
}

// The bytes of an entry: the second to the eighth pair of bytes of the
// fingerprint, or in a set of 64 bits the second to the fourth; then the
// number, if there is one.
const (
	highBytes   = 6
	lowBytes    = 8
	numberBytes = 5
)

// MaxNumber bounds the numbers of a set.
const MaxNumber = 1<<(8*numberBytes) - 1

// Set is a set of fingerprints, each with a number if the set is numbered.
// Calls for different segments may run at the same time.
type Set struct {
	bits     int
	numbered bool
	key      int // bytes of the fingerprint in an entry
	width    int // bytes of an entry
	segments [Segments]segment
}

// New makes an empty set which keeps 64 or 128 bits of each fingerprint.
func New(bits int, numbered bool) *Set {
	s := &Set{bits: bits, numbered: numbered, key: highBytes}
	if bits > 64 {
		s.key += lowBytes
	}
	s.width = s.key
	if numbered {
		s.width += numberBytes
	}
	return s
}

// Truncate is the part of a fingerprint that the set keeps.
func (s *Set) Truncate(f machine.Fingerprint) machine.Fingerprint {
	if s.key == highBytes {
		f.Lo = 0
	}
	return f
}

// Len is the number of fingerprints.
func (s *Set) Len() int {
	n := 0
	for i := range s.segments {
		n += len(s.segments[i].entries)
	}
	return n / s.width
}

// Bytes is the memory that the entries have, with the room for more; the index
// takes a quarter of a megabyte for any number of them.
func (s *Set) Bytes() int64 {
	n := 0
	for i := range s.segments {
		n += cap(s.segments[i].entries)
	}
	return int64(n)
}

// OmissionProbability bounds the probability that two of n states have the same
// fingerprint, so that a state was taken for another: the birthday bound.
func (s *Set) OmissionProbability(n int) float64 {
	return math.Ldexp(float64(n)*float64(n), -s.bits-1)
}

// Find reports whether the set has a fingerprint, and its number, which is 0 in
// a set without numbers.
func (s *Set) Find(f machine.Fingerprint) (number uint64, ok bool) {
	f = s.Truncate(f)
	g := &s.segments[Segment(f)]
	p := part(f)
	end := int(g.starts[p+1])
	i := s.locate(g.entries, int(g.starts[p]), end, f)
	if i == end || s.at(g.entries, i) != (machine.Fingerprint{Hi: f.Hi & highMask, Lo: f.Lo}) {
		return 0, false
	}
	if s.numbered {
		number = getNumber(g.entries[i*s.width+s.key:])
	}
	return number, true
}

// Insert adds fingerprints of one segment, which are in ascending order and not
// in the set, with their numbers if the set is numbered.
func (s *Set) Insert(prints []machine.Fingerprint, numbers []uint64) {
	if len(prints) == 0 {
		return
	}
	g := &s.segments[Segment(prints[0])]
	old := g.entries
	size := len(old) + len(prints)*s.width
	all := old
	if size > cap(old) {
		all = grow(size)
	}
	all = all[:size]
	// From the last to the first: what lies behind it moves to its place.
	end, next := len(old)/s.width, parts // entries that have not moved; parts above have their new starts
	for k := len(prints) - 1; k >= 0; k-- {
		f := s.Truncate(prints[k])
		p := part(f)
		for ; next > p; next-- {
			g.starts[next] += uint32(k + 1)
		}
		i := s.locate(old, int(g.starts[p]), min(end, int(g.starts[p+1])-k-1), f)
		copy(all[(i+k+1)*s.width:], old[i*s.width:end*s.width])
		entry := all[(i+k)*s.width:][:s.width]
		putHigh(entry, f.Hi)
		if s.key > highBytes {
			binary.BigEndian.PutUint64(entry[highBytes:], f.Lo)
		}
		if s.numbered {
			putNumber(entry[s.key:], numbers[k])
		}
		end = i
	}
	if size > cap(old) {
		copy(all, old[:end*s.width])
	}
	g.entries = all
}

// growth is the inverse of the least room that a segment has left over when it
// grows.
const growth = 64

// grow makes an array for size bytes and a few more: those of the block of
// memory that it takes anyway, if they are enough.
func grow(size int) []byte {
	if all := slices.Grow([]byte(nil), size); cap(all)-size >= size/growth {
		return all
	}
	return slices.Grow([]byte(nil), size+size/growth)
}

// locate is the index of the first of the entries from first to end, which belong
// to one part, that is not below f. Fingerprints are evenly spread, so it lies near its
// share of them.
func (s *Set) locate(entries []byte, first, end int, f machine.Fingerprint) int {
	n := end - first
	f.Hi &= highMask
	below := func(i int) bool { return s.at(entries, i).Compare(f) < 0 }
	// The entry lies behind low and not behind high.
	low, high := first-1, end
	if n > 0 {
		step := 4
		if i := first + int(f.Hi>>16*uint64(n)>>32); below(i) {
			low = i
			for i += step; i < end; i += step {
				if !below(i) {
					high = i
					break
				}
				low = i
				step *= 2
			}
		} else {
			high = i
			for i -= step; i >= first; i -= step {
				if below(i) {
					low = i
					break
				}
				high = i
				step *= 2
			}
		}
	}
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// highMask has the bits of Hi that an entry keeps.
const highMask = 1<<(8*highBytes) - 1

// at is the fingerprint of an entry, without the bits that number the part.
func (s *Set) at(entries []byte, i int) machine.Fingerprint {
	entry := entries[i*s.width:][:s.width]
	f := machine.Fingerprint{Hi: uint64(binary.BigEndian.Uint32(entry))<<16 | uint64(binary.BigEndian.Uint16(entry[4:]))}
	if s.key > highBytes {
		f.Lo = binary.BigEndian.Uint64(entry[highBytes:])
	}
	return f
}

func putHigh(entry []byte, hi uint64) {
	binary.BigEndian.PutUint32(entry, uint32(hi>>16))
	binary.BigEndian.PutUint16(entry[4:], uint16(hi))
}

func putNumber(to []byte, n uint64) {
	to[0] = byte(n >> 32)
	binary.BigEndian.PutUint32(to[1:], uint32(n))
}

func getNumber(from []byte) uint64 {
	return uint64(from[0])<<32 | uint64(binary.BigEndian.Uint32(from[1:]))
}
