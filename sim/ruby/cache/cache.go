// Package cache holds the entries of one cache: sets, ways and replacement,
// as gem5's CacheMemory with TreePLRU does. What an entry holds is up to the
// protocol.
package cache

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/sim/builtin/memory"
)

// Permission is the access permission of an entry, as far as it matters to the
// cache.
type Permission uint8

// The permissions. A new entry is Invalid.
const (
	Invalid Permission = iota
	// NotPresent makes an entry count as absent; its way is free.
	NotPresent
	ReadOnly
	ReadWrite
	Busy
)

// Header is the part of an entry that the cache looks at. Its zero value is
// that of an entry in no cache.
type Header struct {
	Permission Permission
	// Reserved says that a linked load has reserved the line for a core.
	Reserved bool
}

// Permit gives the entry a permission. What may not be read is not reserved any more
// (AbstractCacheEntry::changePermission).
func (h *Header) Permit(p Permission) {
	h.Permission = p
	if p == Invalid || p == NotPresent {
		h.Reserved = false
	}
}

// Entry is an entry of a cache, by pointer.
type Entry interface {
	comparable // the zero value stands for no entry
	Header() *Header
}

// Geometry is the shape of a cache.
type Geometry struct {
	Sets int // a power of two
	Ways int // a power of two, at most MaxWays
	// IndexBit is the lowest bit of an address that chooses the set; 6, or
	// more where lower bits choose a bank.
	IndexBit int
}

// The bits of an address that may be the lowest one to choose the set: not
// those within a line.
const (
	LineBits    = 6
	maxIndexBit = 40
)

// MaxWays bounds the ways of a set: the bits of its tree are one word.
const MaxWays = 64

// Validate reports what is wrong with a geometry.
func (g Geometry) Validate() error {
	switch {
	case g.Sets < 1 || g.Sets&(g.Sets-1) != 0:
		return fmt.Errorf("cache of %d sets: want a power of two", g.Sets)
	case g.Ways < 1 || g.Ways > MaxWays || g.Ways&(g.Ways-1) != 0:
		return fmt.Errorf("cache of %d ways: want a power of two, at most %d", g.Ways, MaxWays)
	case g.IndexBit < LineBits || g.IndexBit > maxIndexBit:
		return fmt.Errorf("cache indexed from bit %d of the address: want %d to %d", g.IndexBit, LineBits, maxIndexBit)
	}
	return nil
}

// ParseGeometry reads a number of sets and one of ways, as in 2x4. The lowest
// bit that chooses the set is left to the default.
func ParseGeometry(text string) (Geometry, error) {
	sets, ways, ok := strings.Cut(text, "x")
	g := Geometry{}
	var errSets, errWays error
	g.Sets, errSets = strconv.Atoi(sets)
	g.Ways, errWays = strconv.Atoi(ways)
	if !ok || errSets != nil || errWays != nil {
		return Geometry{}, fmt.Errorf("cache %q: want SETSxWAYS, as 2x4", text)
	}
	check := g
	check.IndexBit = LineBits
	return g, check.Validate()
}

// Cache is a cache of entries of type E.
type Cache[E Entry] struct {
	geometry Geometry
	ways     []E           // set after set; the zero value where a way is free
	headers  []*Header     // of the entries
	lines    []memory.Addr // of the entries; no line where there is none
	trees    []tree        // of each set
	used     int           // ways with an entry
	last     found[E]
}

// found is what was found of the line that was looked up last, until what the ways hold
// changes.
type found[E Entry] struct {
	line   memory.Addr // no line before the first one
	entry  E
	header *Header // of the entry, or unchanging
}

// unchanging is what found has of a line that was in no way.
var unchanging Header

// noLine is the line of a way without an entry.
const noLine = memory.Addr(-1)

// New makes an empty cache of a valid geometry.
func New[E Entry](g Geometry) *Cache[E] {
	return &Cache[E]{
		geometry: g, ways: make([]E, g.Sets*g.Ways), trees: make([]tree, g.Sets),
		headers: make([]*Header, g.Sets*g.Ways), lines: slices.Repeat([]memory.Addr{noLine}, g.Sets*g.Ways),
		last: found[E]{line: noLine, header: &unchanging},
	}
}

// Reset empties the cache.
func (c *Cache[E]) Reset() {
	clear(c.ways)
	clear(c.trees)
	clear(c.headers)
	c.used = 0
	for i := range c.lines {
		c.lines[i] = noLine
	}
	c.forget()
}

// forget has the next lookup search the ways.
func (c *Cache[E]) forget() { c.last = found[E]{line: noLine, header: &unchanging} }

// set is the index of a line's set and its ways.
func (c *Cache[E]) set(line memory.Addr) (int, []E) {
	i := c.SetOf(line)
	return i, c.ways[i*c.geometry.Ways : (i+1)*c.geometry.Ways]
}

// find is the way, of all sets, of a line that is present; -1 when it is absent.
func (c *Cache[E]) find(line memory.Addr) int {
	first := c.SetOf(line) * c.geometry.Ways
	for w, l := range c.lines[first : first+c.geometry.Ways] {
		if l == line && !c.free(first+w) {
			return first + w
		}
	}
	return -1
}

// free reports whether a new entry may take a way.
func (c *Cache[E]) free(way int) bool {
	h := c.headers[way]
	return h == nil || h.Permission == NotPresent
}

// put puts an entry into a way.
func (c *Cache[E]) put(way int, line memory.Addr, h Header, e E) {
	if c.lines[way] == noLine {
		c.used++
	}
	c.ways[way], c.headers[way], c.lines[way] = e, e.Header(), line
	*c.headers[way] = h
	c.forget()
}

// Lookup is the entry of a line; the zero value when the line is absent. That a line is absent because
// its entry is NotPresent may change without a change of the ways, and is not kept.
func (c *Cache[E]) Lookup(line memory.Addr) E {
	if c.last.line == line && c.last.header.Permission != NotPresent {
		return c.last.entry
	}
	var none E
	if c.used == 0 {
		return none
	}
	first, absent := c.SetOf(line)*c.geometry.Ways, true
	for w, l := range c.lines[first : first+c.geometry.Ways] {
		if l != line {
			continue
		}
		if h := c.headers[first+w]; h != nil && h.Permission != NotPresent {
			c.last = found[E]{line, c.ways[first+w], h}
			return c.ways[first+w]
		}
		absent = false
	}
	if absent {
		c.last = found[E]{line: line, header: &unchanging}
	}
	return none
}

// Available reports whether a line is in its set or could be allocated there.
func (c *Cache[E]) Available(line memory.Addr) bool {
	if c.find(line) >= 0 {
		return true
	}
	return c.room(line) >= 0
}

// room is the first free way of a line's set, of all sets; -1 if there is none.
func (c *Cache[E]) room(line memory.Addr) int {
	first := c.SetOf(line) * c.geometry.Ways
	for w := first; w < first+c.geometry.Ways; w++ {
		if c.free(w) {
			return w
		}
	}
	return -1
}

// Victim is the entry to replace before a line, which is not Available, can be
// allocated.
func (c *Cache[E]) Victim(line memory.Addr) (E, error) {
	var none E
	if c.Available(line) {
		return none, fault("victim asked for where a line is available", line)
	}
	set, ways := c.set(line)
	return ways[c.trees[set].victim(c.geometry.Ways)], nil
}

// Allocate puts an entry into the first free way of a line's set, as the most
// recently used one, with permission Invalid.
func (c *Cache[E]) Allocate(line memory.Addr, e E) error {
	if c.find(line) >= 0 {
		return fault("line allocated twice", line)
	}
	w := c.room(line)
	if w < 0 {
		return fault("line allocated in a full set", line)
	}
	c.put(w, line, Header{Permission: Invalid}, e)
	c.point(line, w, false)
	return nil
}

// Deallocate frees the way of a line and makes it the next to be taken.
func (c *Cache[E]) Deallocate(line memory.Addr) error {
	w := c.find(line)
	if w < 0 {
		return fault("absent line deallocated", line)
	}
	var none E
	c.ways[w], c.headers[w], c.lines[w] = none, nil, noLine
	c.used--
	c.forget()
	c.point(line, w, true)
	return nil
}

// Touch makes a line the most recently used one of its set. An absent line
// does not matter.
func (c *Cache[E]) Touch(line memory.Addr) {
	if w := c.find(line); w >= 0 {
		c.point(line, w, false)
	}
}

// point makes the way of a line the next to be replaced in its set, or the last.
func (c *Cache[E]) point(line memory.Addr, way int, next bool) {
	set := c.SetOf(line)
	c.trees[set].point(way-set*c.geometry.Ways, c.geometry.Ways, next)
}

// Each calls do for every entry, in order of sets and ways.
func (c *Cache[E]) Each(do func(E)) {
	for w, e := range c.ways {
		if !c.free(w) {
			do(e)
		}
	}
}

func fault(title string, line memory.Addr) error {
	return memory.Failed("cache: "+title, fmt.Sprintf("line %#x", int64(line)))
}
