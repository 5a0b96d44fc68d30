package ruby

import (
	varint "encoding/binary"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/structure"
)

// appendPersistent encodes the persistent requests for each line: 0, or 1 and
// three sets of machines, a word for each type of machine.
func (s *Stepper) appendPersistent(dst []byte, t *structure.Persistent, perm *Permutation) []byte {
	for l := range s.lines {
		line := s.lines[slices.Index(perm.Lines, l)]
		at := slices.IndexFunc(t.Lines, func(r structure.Starving) bool { return memory.Addr(r.Line) == line })
		if at < 0 {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		for _, set := range [][]uint64{t.Lines[at].Starving, t.Lines[at].Marked, t.Lines[at].Write} {
			for k, w := range set {
				dst = varint.AppendUvarint(dst, s.permutedSet(k, w, perm))
			}
		}
	}
	return dst
}

func (s *Stepper) readPersistent(d *decoder, t *structure.Persistent) {
	t.Lines = t.Lines[:0]
	for _, line := range s.lines {
		if d.byte() == 0 {
			continue
		}
		r := structure.Starving{Line: int64(line)}
		for _, set := range []*[]uint64{&r.Starving, &r.Marked, &r.Write} {
			for range t.Words {
				*set = append(*set, d.uvarint())
			}
		}
		t.Lines = append(t.Lines, r)
	}
}
