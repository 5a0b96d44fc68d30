package ruby

import (
	"bytes"
	varint "encoding/binary"
	"fmt"
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/structure"
)

// An encoded controller is all that the future of the controller depends on, and
// nothing else: no ticks, no numbers of messages, no history. Lists without an
// order of their own are sorted. In order it has the variables of the machine,
// caches, tables, directories, timers, persistent requests, slots and triggers, buffers, which buffers wait for which
// line, locks, memory, and the accesses of its cores.

// AppendController encodes controller i, with cores and lines renamed.
func (s *Stepper) AppendController(dst []byte, i int, perm *Permutation) []byte {
	c := s.all[i]
	dst = append(dst, byte(s.first[c.code.Index]+s.permuted(c.code.Index, s.number(c), perm)))
	dst = s.appendWords(dst, c.words, s.variables[c.code.Index], -1, perm)
	for _, held := range c.caches {
		dst = s.appendCache(dst, c, held, perm)
	}
	for _, t := range c.tables {
		dst = s.appendEntries(dst, t.entries, perm)
	}
	for _, d := range c.directory {
		s.entries = s.entries[:0]
		for _, line := range s.lines {
			if e := d.entries[line]; e != nil {
				s.entries = append(s.entries, e)
			}
		}
		dst = s.appendEntries(dst, s.entries, perm)
	}
	for _, t := range c.timers {
		dst = s.appendTimer(dst, t, perm)
	}
	for _, t := range c.persistents {
		dst = s.appendPersistent(dst, t, perm)
	}
	dst = s.appendTransactions(dst, c, perm)
	for _, b := range s.buffersOf[i] {
		dst = s.appendBuffer(dst, b, perm)
	}
	dst = s.appendWaiting(dst, c, i, perm)
	dst = append(dst, byte(len(c.locked)))
	for _, line := range c.locked {
		dst = s.appendAddress(dst, uint64(line), perm)
	}
	if c.memory != nil {
		dst = s.appendMemory(dst, c, perm)
	}
	for _, seq := range c.sequencers {
		dst = s.appendSequencer(dst, seq, perm)
	}
	for _, d := range c.devices {
		dst = s.appendDevice(dst, d, perm)
	}
	return dst
}

// LoadController makes controller i what AppendController wrote without
// renaming.
func (s *Stepper) LoadController(i int, encoded []byte) error {
	c := s.all[i]
	s.empty(c, i)
	d := &s.reader
	*d = decoder{rest: encoded}
	if d.byte() != i {
		d.failed = true
	}
	s.readWords(d, c.words, s.variables[c.code.Index])
	for _, w := range s.initial[c.code.Index] {
		c.words[w.at] = w.value
	}
	for _, held := range c.caches {
		s.readCache(d, c, held)
	}
	for _, t := range c.tables {
		t.entries = s.readEntries(d, t.entries)
	}
	for _, dir := range c.directory {
		s.entries = s.readEntries(d, s.entries[:0])
		for _, e := range s.entries {
			dir.add(e.line, e)
		}
	}
	for _, t := range c.timers {
		s.readTimer(d, t)
	}
	for _, t := range c.persistents {
		s.readPersistent(d, t)
	}
	s.readTransactions(d, c)
	for _, b := range s.buffersOf[i] {
		s.readBuffer(d, b)
	}
	s.readWaiting(d, c, i)
	for range d.byte() {
		c.locked = append(c.locked, memory.Addr(s.readAddress(d)))
	}
	if c.memory != nil {
		s.readMemory(d, c)
	}
	for _, seq := range c.sequencers {
		s.readSequencer(d, seq)
	}
	for _, device := range c.devices {
		s.readDevice(d, device)
	}
	if d.failed || len(d.rest) > 0 {
		return fmt.Errorf("load %s: %w", c.name(), errTruncated)
	}
	return nil
}

// empty takes everything out of a controller, its objects back into the pools.
func (s *Stepper) empty(c *controller, i int) {
	for _, held := range c.caches {
		held.Each(s.release)
		held.Reset()
	}
	for _, t := range c.tables {
		for _, e := range t.entries {
			s.release(e)
		}
		t.entries = t.entries[:0]
	}
	for _, d := range c.directory {
		for _, e := range d.entries {
			s.release(e)
		}
		d.reset()
	}
	for _, t := range c.timers {
		t.Lines = t.Lines[:0]
	}
	for _, b := range s.buffersOf[i] {
		for _, q := range b.items[b.head:] {
			s.release(q.msg)
		}
		for _, set := range b.stalls {
			for _, q := range set.list {
				s.release(q.msg)
			}
		}
		b.items, b.head, b.stalls, b.count, b.last = b.items[:0], 0, b.stalls[:0], 0, 0
	}
	for _, b := range s.outOf[i] { // of a step that failed
		b.items, b.head, b.last = b.items[:0], 0, 0
	}
	if c.memory != nil {
		c.memory.requests.items, c.memory.requests.head = c.memory.requests.items[:0], 0
	}
	c.waiting, c.locked = c.waiting[:0], c.locked[:0]
}

func (s *Stepper) release(o *object) { s.pools[o.layout.Index].put(o) }

func (s *Stepper) appendEntry(dst []byte, e *object, perm *Permutation) []byte {
	dst = append(dst, byte(e.layout.Index))
	dst = s.appendAddress(dst, uint64(e.line), perm)
	return s.appendWords(dst, e.words, s.codecsOf[e.layout.Index], s.lineOf(e.line), perm)
}

func (s *Stepper) readEntry(d *decoder) *object {
	o := s.pools[d.below(len(s.pools))].get()
	o.line = memory.Addr(s.readAddress(d))
	s.readWords(d, o.words, s.codecsOf[o.layout.Index])
	return o
}

// appendEntries encodes entries in the order of their lines.
func (s *Stepper) appendEntries(dst []byte, list []*object, perm *Permutation) []byte {
	dst = append(dst, byte(len(list)))
	for l := range s.lines {
		line := s.lines[slices.Index(perm.Lines, l)]
		for _, e := range list {
			if e.line == line {
				dst = s.appendEntry(dst, e, perm)
			}
		}
	}
	return dst
}

func (s *Stepper) readEntries(d *decoder, list []*object) []*object {
	for range d.byte() {
		list = append(list, s.readEntry(d))
	}
	return list
}

// appendCache encodes the entries of a cache, way by way with the replacement
// state if the lines compete for the ways, else line by line.
func (s *Stepper) appendCache(dst []byte, c *controller, held *cache.Cache[*object], perm *Permutation) []byte {
	if !s.competed[held] {
		s.entries = s.entries[:0]
		held.Each(func(e *object) { s.entries = append(s.entries, e) })
		dst = append(dst, byte(len(s.entries)))
		for l := range s.lines {
			line := s.lines[slices.Index(perm.Lines, l)]
			for _, e := range s.entries {
				if e.line == line {
					dst = s.appendEntry(append(dst, byte(e.header.Permission)), e, perm)
				}
			}
		}
		return dst
	}
	for way := range held.Ways() {
		if e := held.At(way); e != nil {
			dst = s.appendEntry(append(dst, byte(1+e.header.Permission)), e, perm)
		} else {
			dst = append(dst, noneByte)
		}
	}
	for set := range held.Geometry().Sets {
		dst = varint.AppendUvarint(dst, held.Tree(set))
	}
	return dst
}

func (s *Stepper) readCache(d *decoder, c *controller, held *cache.Cache[*object]) {
	if !s.competed[held] {
		next := map[int]int{} // ways of each set that are taken
		for range d.byte() {
			p := cache.Permission(d.byte())
			e := s.readEntry(d)
			set, ways := held.SetOf(e.line), held.Geometry().Ways
			if next[set] >= ways {
				d.failed = true
				return
			}
			held.Restore(set*ways+next[set], e.line, p, e)
			next[set]++
		}
		return
	}
	for way := range held.Ways() {
		if p := d.byte(); p != noneByte {
			e := s.readEntry(d)
			held.Restore(way, e.line, cache.Permission(p-1), e)
		}
	}
	for set := range held.Geometry().Sets {
		held.SetTree(set, d.uvarint())
	}
}

// appendTimer encodes the lines of a timer table by line: 0 for one that is not
// set, 1 for one whose time runs, 2 for one whose time is over.
func (s *Stepper) appendTimer(dst []byte, t *structure.Timer, perm *Permutation) []byte {
	for l := range s.lines {
		at := t.Find(s.lines[slices.Index(perm.Lines, l)])
		switch {
		case at < 0:
			dst = append(dst, 0)
		case t.Lines[at].At > stepTick:
			dst = append(dst, 1)
		default:
			dst = append(dst, 2)
		}
	}
	return dst
}

func (s *Stepper) readTimer(d *decoder, t *structure.Timer) {
	for _, line := range s.lines {
		switch d.byte() {
		case 1:
			t.Lines = append(t.Lines, structure.Timed{Line: line, At: stepTick + 1})
		case 2:
			t.Lines = append(t.Lines, structure.Timed{Line: line, At: stepTick})
		}
	}
}

// appendMessage encodes a message by its structure and fields.
func (s *Stepper) appendMessage(dst []byte, m *object, perm *Permutation) []byte {
	line := -1
	if at := m.layout.Addr; at >= 0 {
		line = s.lineOf(memory.Addr(m.words[at]).Line())
	}
	dst = append(dst, byte(m.layout.Index))
	return s.appendWords(dst, m.words, s.codecsOf[m.layout.Index], line, perm)
}

func (s *Stepper) readMessage(d *decoder) *object {
	o := s.pools[d.below(len(s.pools))].get()
	s.readWords(d, o.words, s.codecsOf[o.layout.Index])
	return o
}

// Where a message of a buffer is. Those that have arrived and those set aside
// have an order among them, and so have those of the controller itself that
// have not arrived; those put back come again in any order.
const (
	arrivedItem = iota
	ownItem     // the delay follows
	returningItem
	stalledItem // the line follows
)

func (s *Stepper) appendBuffer(dst []byte, b *buffer, perm *Permutation) []byte {
	list := s.items[:0]
	for _, q := range b.items[b.head:] {
		list = append(list, item{q.msg, q.number, placeOf(&q), delayOf(&q), 0})
	}
	for _, set := range b.stalls {
		for _, q := range set.list {
			list = append(list, item{q.msg, q.number, stalledItem, 0, set.line})
		}
	}
	s.items = list
	dst = append(dst, byte(len(list)))
	slices.SortFunc(list, func(a, b item) int {
		if a.own() != b.own() {
			return a.own() - b.own()
		}
		return int(a.number) - int(b.number)
	})
	for _, it := range list {
		if it.place == returningItem {
			continue
		}
		dst = append(dst, byte(it.place))
		switch it.place {
		case stalledItem:
			dst = s.appendAddress(dst, uint64(it.line), perm)
		case ownItem:
			dst = append(dst, byte(it.delay))
		}
		dst = s.appendMessage(dst, it.msg, perm)
	}
	s.texts = s.texts[:0]
	for _, it := range list {
		if it.place == returningItem {
			s.texts = append(s.texts, s.appendMessage([]byte{returningItem}, it.msg, perm))
		}
	}
	slices.SortFunc(s.texts, bytes.Compare)
	for _, text := range s.texts {
		dst = append(dst, text...)
	}
	return dst
}

// item is a message of a buffer that is being encoded.
type item struct {
	msg    *object
	number uint64
	place  int
	delay  int // of an ownItem
	line   memory.Addr
}

// own orders the messages of the controller itself after those that arrived.
func (it *item) own() int {
	if it.place == ownItem {
		return 1
	}
	return 0
}

func placeOf(q *queued) int {
	switch {
	case q.at <= stepTick:
		return arrivedItem
	case q.recycled > 0:
		return returningItem
	}
	return ownItem
}

func (s *Stepper) readBuffer(d *decoder, b *buffer) {
	for range d.byte() {
		place := d.byte()
		var line memory.Addr
		delay := 0
		switch place {
		case stalledItem:
			line = memory.Addr(s.readAddress(d))
		case ownItem:
			delay = max(d.byte(), 1)
		}
		b.count++
		q := queued{msg: s.readMessage(d), at: stepTick, number: b.count}
		switch place {
		case stalledItem:
			b.setAside(line, q)
			continue
		case returningItem:
			q.recycled = 1
			q.at++
		case ownItem:
			q.at += event.Tick(delay)
			b.last = max(b.last, q.at)
		case arrivedItem:
		default:
			d.failed = true
		}
		b.insert(q)
	}
}

func (s *Stepper) appendWaiting(dst []byte, c *controller, i int, perm *Permutation) []byte {
	dst = append(dst, byte(len(c.waiting)))
	for l := range s.lines {
		at := c.waitingFor(s.lines[slices.Index(perm.Lines, l)])
		if at < 0 {
			continue
		}
		dst = append(dst, byte(l))
		for _, b := range c.waiting[at].buffers {
			dst = append(dst, byte(1+slices.Index(s.buffersOf[i], b)))
		}
	}
	return dst
}

func (s *Stepper) readWaiting(d *decoder, c *controller, i int) {
	for range d.byte() {
		w := waiting{line: s.lines[d.below(len(s.lines))], buffers: make([]*buffer, c.code.Ranks)}
		for rank := range w.buffers {
			if b := d.below(1 + len(s.buffersOf[i])); b > 0 {
				w.buffers[rank] = s.buffersOf[i][b-1]
			}
		}
		c.waiting = append(c.waiting, w)
	}
}

// appendMemory encodes the lines that the controller is the home of.
func (s *Stepper) appendMemory(dst []byte, c *controller, perm *Permutation) []byte {
	for l := range s.lines {
		from := slices.Index(perm.Lines, l)
		if !s.isHome(c, s.lines[from]) {
			continue
		}
		var none memory.Block
		block := c.memory.lines[s.lines[from]]
		if block == nil {
			block = &none
		}
		dst = s.appendData(dst, block[:], from)
	}
	return dst
}

func (s *Stepper) readMemory(d *decoder, c *controller) {
	for _, line := range s.lines {
		if !s.isHome(c, line) {
			continue
		}
		block := c.memory.lines[line]
		if block == nil {
			block = new(memory.Block)
			c.memory.lines[line] = block
		}
		s.readData(d, block[:])
	}
}
