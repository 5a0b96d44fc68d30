package cache

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/builtin/memory"
)

// entry is the entry of a test.
type entry struct {
	header Header
	name   int
}

func (e *entry) Header() *Header { return &e.header }

// reference is a simple implementation of Cache: a map of lines, a way for each, and for each
// set the tree of the literature, a bit for each aligned group of ways.
type reference struct {
	g     Geometry
	lines map[memory.Addr]*entry
	ways  map[place]memory.Addr
	right map[group]bool // the next victim of the group is in its right half
}

type place struct{ set, way int }

type group struct{ set, first, size int }

func newReference(g Geometry) *reference {
	return &reference{g, map[memory.Addr]*entry{}, map[place]memory.Addr{}, map[group]bool{}}
}

func (t *reference) set(line memory.Addr) int {
	return int(line) / (1 << t.g.IndexBit) % t.g.Sets
}

// point directs all groups of a way away from it or towards it.
func (t *reference) point(p place, towards bool) {
	for size := 2; size <= t.g.Ways; size *= 2 {
		first := p.way / size * size
		t.right[group{p.set, first, size}] = (p.way >= first+size/2) == towards
	}
}

func (t *reference) wayOf(line memory.Addr) (place, bool) {
	for w := range t.g.Ways {
		p := place{t.set(line), w}
		if at, ok := t.ways[p]; ok && at == line {
			return p, true
		}
	}
	return place{}, false
}

func (t *reference) firstFree(line memory.Addr) (place, bool) {
	for w := range t.g.Ways {
		p := place{t.set(line), w}
		if _, taken := t.ways[p]; !taken {
			return p, true
		}
	}
	return place{}, false
}

func (t *reference) allocate(line memory.Addr, e *entry) bool {
	p, ok := t.firstFree(line)
	if t.lines[line] != nil || !ok {
		return false
	}
	t.lines[line], t.ways[p] = e, line
	t.point(p, false)
	return true
}

func (t *reference) remove(line memory.Addr, deallocate bool) bool {
	p, ok := t.wayOf(line)
	if !ok {
		return false
	}
	delete(t.lines, line)
	delete(t.ways, p)
	if deallocate {
		t.point(p, true)
	}
	return true
}

func (t *reference) victim(line memory.Addr) (*entry, bool) {
	if _, ok := t.firstFree(line); ok || t.lines[line] != nil {
		return nil, false
	}
	first, set := 0, t.set(line)
	for size := t.g.Ways; size > 1; size /= 2 {
		if t.right[group{set, first, size}] {
			first += size / 2
		}
	}
	return t.lines[t.ways[place{set, first}]], true
}

func TestAgainstReference(t *testing.T) {
	for _, g := range []Geometry{
		{Sets: 1, Ways: 1, IndexBit: 6}, {Sets: 2, Ways: 2, IndexBit: 6}, {Sets: 1, Ways: 4, IndexBit: 6},
		{Sets: 4, Ways: 8, IndexBit: 7}, {Sets: 1, Ways: 64, IndexBit: 6},
	} {
		t.Run(fmt.Sprintf("%+v", g), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(g.Ways), uint64(g.Sets)))
			c, w := New[*entry](g), newReference(g)
			victims := map[int]bool{}
			for step := range 20_000 {
				line := memory.Addr(random.IntN(3*g.Sets*g.Ways)) * 64
				what := random.IntN(10)
				var got, want any
				switch {
				case what < 4:
					e, f := &entry{name: step}, &entry{name: step}
					got, want = c.Allocate(line, e) == nil, w.allocate(line, f)
				case what == 4:
					got, want = c.Deallocate(line) == nil, w.remove(line, true)
				case what == 5:
					if e := c.Lookup(line); e != nil {
						e.header.Permission = NotPresent
						got, want = true, w.remove(line, false)
					}
				case what == 6:
					c.Touch(line)
					if p, ok := w.wayOf(line); ok {
						w.point(p, false)
					}
				default:
					e, err := c.Victim(line)
					f, ok := w.victim(line)
					got, want = err == nil, ok
					if err == nil && ok {
						got, want = e.name, f.name
						victims[e.name%g.Ways] = true
					}
				}
				if got != want {
					t.Fatalf("step %d: action %d on line %#x: %v, want %v", step, what, line, got, want)
				}
				_, hasRoom := w.firstFree(line)
				if got, want := c.Available(line), hasRoom || w.lines[line] != nil; got != want {
					t.Fatalf("step %d: line %#x available: %v, want %v", step, line, got, want)
				}
				e, f := c.Lookup(line), w.lines[line]
				if (e == nil) != (f == nil) || e != nil && e.name != f.name {
					t.Fatalf("step %d: line %#x holds %+v, want %+v", step, line, e, f)
				}
			}
			if len(victims) < min(g.Ways, 8) {
				t.Errorf("only %d kinds of victim", len(victims))
			}
			n := 0
			c.Each(func(e *entry) {
				n++
				if !slices.ContainsFunc(slices.Collect(maps.Values(w.lines)), func(f *entry) bool { return f.name == e.name }) {
					t.Errorf("entry %d is in no way", e.name)
				}
			})
			if n != len(w.lines) {
				t.Errorf("%d entries, want %d", n, len(w.lines))
			}
		})
	}
}

// TestTree follows the bits of a set of four ways by hand: bit 1 chooses the
// half, bits 2 and 3 the way within the left and the right half.
func TestTree(t *testing.T) {
	var bits tree
	for _, step := range []struct {
		way     int
		towards bool
		bits    tree
		victim  int
	}{
		{0, false, 0b0110, 2},
		{2, false, 0b1100, 1},
		{1, false, 0b1010, 3},
		{3, false, 0b0000, 0},
		{3, true, 0b1010, 3},
		{1, true, 0b1100, 1},
	} {
		bits.point(step.way, 4, step.towards)
		if bits != step.bits || bits.victim(4) != step.victim {
			t.Fatalf("after way %d, towards %v: bits %04b, victim %d; want %04b, %d",
				step.way, step.towards, bits, bits.victim(4), step.bits, step.victim)
		}
	}
}

// The way of an entry that is not present is free.
func TestNotPresentEntries(t *testing.T) {
	c := New[*entry](Geometry{Sets: 1, Ways: 2, IndexBit: 6})
	first, second := &entry{name: 1}, &entry{name: 2}
	for line, e := range map[memory.Addr]*entry{0: first, 64: second} {
		if err := c.Allocate(line, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Deallocate(0); err != nil {
		t.Fatal(err)
	}
	second.header.Permission = NotPresent
	if e := c.Lookup(64); e != nil {
		t.Errorf("entry %v of a line that is not present", e)
	}
	second.header.Permission = ReadOnly // without a change of the ways
	if e := c.Lookup(64); e != second {
		t.Errorf("entry %v of a line that is present again", e)
	}
	second.header.Permission = NotPresent
	for _, line := range []memory.Addr{128, 192} {
		if err := c.Allocate(line, &entry{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFaults(t *testing.T) {
	c := New[*entry](Geometry{Sets: 1, Ways: 1, IndexBit: 6})
	_, noVictim := c.Victim(64)
	absent := c.Deallocate(64)
	if err := c.Allocate(64, &entry{}); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"cache: victim asked for where a line is available": noVictim,
		"cache: absent line deallocated":                    absent,
		"cache: line allocated twice":                       c.Allocate(64, &entry{}),
		"cache: line allocated in a full set":               c.Allocate(128, &entry{}),
	} {
		var f *memory.Fault
		if !errors.As(err, &f) || f.Title() != want {
			t.Errorf("fault %v, want %q", err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, g := range []Geometry{{1, 1, 6}, {1024, 64, 40}} {
		if err := g.Validate(); err != nil {
			t.Errorf("%+v: %v", g, err)
		}
	}
	for _, g := range []Geometry{{0, 1, 6}, {3, 1, 6}, {1, 0, 6}, {1, 3, 6}, {1, 128, 6}, {1, 1, 5}, {1, 1, 41}} {
		if g.Validate() == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
}
