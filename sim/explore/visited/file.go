package visited

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Save writes the set: of each segment how many entries its parts have, and then
// the entries.
func (s *Set) Save(w io.Writer) error {
	for i := range s.segments {
		g := &s.segments[i]
		head := make([]byte, 0, 4*parts)
		for p := range parts {
			head = binary.LittleEndian.AppendUint32(head, g.starts[p+1]-g.starts[p])
		}
		for _, data := range [][]byte{head, g.entries} {
			if _, err := w.Write(data); err != nil {
				return fmt.Errorf("write segment %d of the visited states: %w", i, err)
			}
		}
	}
	return nil
}

// maxSegment bounds the entries of a segment that is read.
const maxSegment = 1<<32 - 1

// Load reads a set that Save has written from one that was made alike.
func (s *Set) Load(r io.Reader) error {
	for i := range s.segments {
		if err := s.load(r, &s.segments[i]); err != nil {
			return fmt.Errorf("read segment %d of the visited states: %w", i, err)
		}
	}
	return nil
}

func (s *Set) load(r io.Reader, g *segment) error {
	var head [4 * parts]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	entries := uint64(0)
	for p := range parts {
		entries += uint64(binary.LittleEndian.Uint32(head[4*p:]))
		if entries > maxSegment {
			return fmt.Errorf("more than %d entries", maxSegment)
		}
		g.starts[p+1] = uint32(entries)
	}
	// Read as it comes: a corrupt size does not take memory.
	size := int(entries) * s.width
	for left := size; left > 0; {
		n := min(left, 1<<20)
		at := len(g.entries)
		if cap(g.entries)-at < n {
			g.entries = append(grow(min(size, 2*at+n)), g.entries...)
		}
		g.entries = g.entries[:at+n]
		if _, err := io.ReadFull(r, g.entries[at:]); err != nil {
			return err
		}
		left -= n
	}
	for p := range parts {
		for k := g.starts[p] + 1; k < g.starts[p+1]; k++ {
			if s.at(g.entries, int(k-1)).Compare(s.at(g.entries, int(k))) >= 0 {
				return fmt.Errorf("entry %d is out of order", k)
			}
		}
	}
	return nil
}
