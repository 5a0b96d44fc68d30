package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
)

// table is a TBETable: the transactions under way, a few at a time.
type table struct {
	layout  *code.Layout
	entries []*object
	limit   int // of entries
}

// lookup finds the transaction of a line, nil if there is none.
func (t *table) lookup(line memory.Addr) *object {
	for _, e := range t.entries {
		if e.line == line {
			return e
		}
	}
	return nil
}

func (t *table) hasCapacity(n int) bool { return len(t.entries)+n <= t.limit }

// remove drops a transaction, which is there.
func (t *table) remove(e *object) {
	i, last := slices.Index(t.entries, e), len(t.entries)-1
	t.entries[i] = t.entries[last]
	t.entries = t.entries[:last]
}

// directory is a DirectoryMemory: entries that are made when first asked for.
type directory struct {
	entries map[memory.Addr]*object
	line    memory.Addr // of the entry asked for last, if there is one
	last    *object
}

// lookup is the entry of a line, nil if there is none.
func (d *directory) lookup(line memory.Addr) *object {
	if d.last == nil || d.line != line {
		d.line, d.last = line, d.entries[line]
	}
	return d.last
}

func (d *directory) add(line memory.Addr, e *object) { d.entries[line], d.last = e, nil }

func (d *directory) drop(line memory.Addr) {
	delete(d.entries, line)
	d.last = nil
}

// reset drops all entries.
func (d *directory) reset() {
	clear(d.entries)
	d.line, d.last = 0, nil
}

// pool recycles the objects of one layout, a while after they died so that
// the use of a stale pointer is noticed.
type pool struct {
	layout *code.Layout
	dead   []*object // a ring
	next   int
	free   []*object
	made   []*object // the first ones, for the next system
}

// quarantine is the number of dead objects of a layout that are kept.
const quarantine = 64

// get is an object as its layout says.
func (p *pool) get() *object { return p.begin(p.layout.Init) }

// begin is get of an object whose words begin as given.
func (p *pool) begin(words []uint64) *object {
	var o *object
	if n := len(p.free); n > 0 {
		o = p.free[n-1]
		p.free = p.free[:n-1]
		o.dead, o.header, o.line = false, cache.Header{}, 0
	} else {
		o = &object{layout: p.layout, words: make([]uint64, len(p.layout.Init))}
		if len(p.made) < most {
			p.made = append(p.made, o)
		}
	}
	copy(o.words, words)
	return o
}

// put takes back an object that nothing refers to.
func (p *pool) put(o *object) { p.free = append(p.free, o) }

// kill takes back an object that stale pointers may refer to.
func (p *pool) kill(o *object) {
	o.dead = true
	if len(p.dead) < quarantine {
		p.dead = append(p.dead, o)
		return
	}
	p.put(p.dead[p.next])
	p.dead[p.next] = o
	p.next = (p.next + 1) % quarantine
}
