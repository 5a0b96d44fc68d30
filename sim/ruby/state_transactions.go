package ruby

import (
	"bytes"
	varint "encoding/binary"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
)

// appendTransactions encodes what protocols whose transactions have several steps
// keep besides their entries: slots, queues of triggers, and which transactions are
// under way.
func (s *Stepper) appendTransactions(dst []byte, c *controller, perm *Permutation) []byte {
	for _, st := range c.storages {
		dst = appendStorage(dst, st)
	}
	for i, l := range c.lists {
		dst = varint.AppendUvarint(dst, uint64(len(l.Words)/l.Width))
		for at := 0; at < len(l.Words); at += l.Width {
			dst = s.appendWords(dst, l.Words[at:at+l.Width], s.elements[c.code.Index][i], -1, perm)
		}
	}
	for list, all := range c.underway {
		dst = append(dst, byte(len(all)))
		s.texts = s.texts[:0]
		for _, u := range all {
			var text []byte
			if isNumbered(list) {
				text = varint.AppendUvarint(nil, uint64(u.line))
			} else {
				text = s.appendAddress(nil, uint64(u.line), perm)
			}
			s.texts = append(s.texts, varint.AppendUvarint(text, uint64(u.event)))
		}
		slices.SortFunc(s.texts, bytes.Compare)
		for _, text := range s.texts {
			dst = append(dst, text...)
		}
	}
	return dst
}

func isNumbered(list int) bool { return list == code.IncomingNumbered || list == code.OutgoingNumbered }

func (s *Stepper) readTransactions(d *decoder, c *controller) {
	for _, st := range c.storages {
		readStorage(d, st)
	}
	for i, l := range c.lists {
		l.Words = l.Words[:0]
		for range min(d.uvarint(), maxTriggers) {
			at := len(l.Words)
			l.Words = append(l.Words, make([]uint64, l.Width)...)
			s.readWords(d, l.Words[at:], s.elements[c.code.Index][i])
		}
	}
	for list := range c.underway {
		c.underway[list] = c.underway[list][:0]
		for range d.byte() {
			var u underway
			if isNumbered(list) {
				u.line = memory.Addr(d.uvarint())
			} else {
				u.line = memory.Addr(s.readAddress(d))
			}
			u.event = int(d.uvarint())
			c.underway[list] = append(c.underway[list], u)
		}
	}
}

// maxTriggers bounds the elements of a queue that is read.
const maxTriggers = 1 << 16

// appendStorage encodes the reservations, and the transactions in each slot up
// to the last one in use. In which order slots became free is left out: the
// lowest free one is taken next, since slots are only names.
func appendStorage(dst []byte, st *structure.Storage) []byte {
	dst = varint.AppendUvarint(dst, uint64(st.Reserved))
	n := len(st.Used)
	for n > 0 && st.Used[n-1] == 0 {
		n--
	}
	dst = varint.AppendUvarint(dst, uint64(n))
	for _, used := range st.Used[:n] {
		dst = append(dst, byte(used))
	}
	return dst
}

func readStorage(d *decoder, st *structure.Storage) {
	st.Reserved = int(d.uvarint())
	n := d.uvarint()
	if n > uint64(len(st.Used)) {
		d.failed, n = true, 0
	}
	clear(st.Used)
	for slot := range n {
		st.Used[slot] = d.byte()
	}
	st.Free = st.Free[:0]
	for slot := len(st.Used) - 1; slot >= 0; slot-- {
		if st.Used[slot] == 0 {
			st.Free = append(st.Free, slot)
		}
	}
}
