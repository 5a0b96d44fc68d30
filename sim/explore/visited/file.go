package visited

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Save writes the set.
func (s *Set) Save(w io.Writer) error {
	for i, segment := range s.segments {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(segment)))
		if _, err := w.Write(size[:]); err != nil {
			return fmt.Errorf("write segment %d of the visited states: %w", i, err)
		}
		if _, err := w.Write(segment); err != nil {
			return fmt.Errorf("write segment %d of the visited states: %w", i, err)
		}
	}
	return nil
}

// maxSegment bounds the bytes of a segment that is read.
const maxSegment = 1 << 32

// Load reads a set that Save has written from one that was made alike.
func (s *Set) Load(r io.Reader) error {
	for i := range s.segments {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return fmt.Errorf("read segment %d of the visited states: %w", i, err)
		}
		size := binary.LittleEndian.Uint64(head[:])
		if size > maxSegment || size%uint64(s.width) != 0 {
			return fmt.Errorf("read segment %d of the visited states: a size of %d bytes, want a multiple of %d", i, size, s.width)
		}
		// Read as it comes: a corrupt size does not take memory.
		var segment []byte
		for left := int(size); left > 0; {
			n := min(left, 1<<20)
			at := len(segment)
			if cap(segment)-at < n {
				segment = append(grow(min(int(size), 2*at+n)), segment...)
			}
			segment = segment[:at+n]
			if _, err := io.ReadFull(r, segment[at:]); err != nil {
				return fmt.Errorf("read segment %d of the visited states: %w", i, err)
			}
			left -= n
		}
		for k := 1; k < len(segment)/s.width; k++ {
			if s.at(segment, k-1).Compare(s.at(segment, k)) >= 0 {
				return fmt.Errorf("read segment %d of the visited states: entry %d is out of order", i, k)
			}
		}
		s.segments[i] = segment
	}
	return nil
}
