package ruby

import (
	"fmt"
	"reflect"
	"testing"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/protocols"
)

// TestReleasedSystem compares systems that have run, in the midst of accesses and at
// rest, and were released and begun again, with new ones: all that they consist of.
func TestReleasedSystem(t *testing.T) {
	for _, name := range protocols.Names() {
		for _, o := range []Options{
			{Cores: 2, Streams: 1},
			{Cores: 4, Devices: 2, Hardware: Hardware{Directories: 2, MemoryChannels: 2}, Bounds: []Bound{{Size: 8}, {Buffer: networkBound, Size: 8}}},
		} {
			tree, err := protocols.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !p.Devices() {
				o.Devices = 0
			}
			if !p.Streams() {
				o.Streams = 0
			}
			o = o.WithDefaults()
			for _, events := range []int{50, 400, 10_000} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, o.Cores, events), func(t *testing.T) {
					o.Seed = uint64(events)
					q := event.New(event.Shuffled, 1)
					used := New(q, p, o)
					stress(q, used)
					if err := q.Run(events); err != nil {
						t.Fatal(err)
					}
					used.stalls[0][0]++ // there may be none
					used.controllers[0][0].locked = append(used.controllers[0][0].locked, memory.Base)
					used.Release()
					o.Seed++
					again, other := New(event.New(event.Shuffled, 2), p, o), New(event.New(event.Shuffled, 2), p, o)
					if again != used {
						t.Skip("the memory was not kept") // a sync.Pool may drop it
					}
					w := walk{seen: map[[2]uintptr]bool{}}
					if where := w.differ(reflect.ValueOf(again), reflect.ValueOf(other), "system"); where != "" {
						t.Errorf("begun again and new: %s", where)
					}
				})
			}
		}
	}
}

// stress has all cores load and store eight lines, and devices transfer them.
func stress(q *event.Queue, s *System) {
	for i, p := range s.ports {
		c := &accessor{q: q, port: p, n: i}
		c.self = q.Add(c)
		p.Attach(c)
		q.At(1, c.self, 0)
	}
	for _, d := range s.devices {
		c := &transferor{d: d}
		d.Attach(c)
		q.At(1, q.Add(c), 0)
	}
}

type accessor struct {
	q    *event.Queue
	self event.Actor
	port memory.Port
	n    int
}

func (a *accessor) Handle(uint64) {
	a.n = (a.n*5 + 3) % 64
	a.port.Access(memory.Request{Line: memory.Base + memory.Addr(a.n%16)*64, Write: a.n >= 32})
}
func (a *accessor) Perform(uint64, *memory.Block) { a.q.At(a.q.Now()+1, a.self, 0) }
func (a *accessor) Evict(memory.Addr)             {}

type transferor struct {
	d memory.Device
	n int
}

func (a *transferor) Handle(uint64) {
	a.n = (a.n*5 + 3) % 64
	a.d.Transfer(memory.Transfer{Addr: memory.Base + memory.Addr(a.n%16)*64, Bytes: 64, Write: a.n >= 32})
}
func (a *transferor) Transferred(*memory.Block) {}

// walk compares values and what they point to.
type walk struct{ seen map[[2]uintptr]bool }

// differ says where two values differ, but for the memory that they have: empty if
// they do not. Queues are those of the runs, and pools have no objects in use.
func (w *walk) differ(a, b reflect.Value, at string) string {
	if a.Kind() != b.Kind() {
		return at
	}
	switch a.Type() {
	case reflect.TypeFor[*event.Queue](), reflect.TypeFor[[]pool](), reflect.TypeFor[*program]():
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return at
			}
			return ""
		}
		if a.Kind() == reflect.Pointer {
			pair := [2]uintptr{a.Pointer(), b.Pointer()}
			if w.seen[pair] {
				return ""
			}
			w.seen[pair] = true
		}
		return w.differ(a.Elem(), b.Elem(), at)
	case reflect.Struct:
		for i := range a.NumField() {
			if where := w.differ(a.Field(i), b.Field(i), at+"."+a.Type().Field(i).Name); where != "" {
				return where
			}
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d elements", at, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if where := w.differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", at, i)); where != "" {
				return where
			}
		}
	case reflect.Map:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d entries", at, a.Len(), b.Len())
		}
		for _, k := range a.MapKeys() {
			if where := w.differ(a.MapIndex(k), b.MapIndex(k), fmt.Sprintf("%s[%v]", at, k)); where != "" {
				return where
			}
		}
	case reflect.Func:
		if a.IsNil() != b.IsNil() {
			return at
		}
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v and %v", at, a, b)
		}
	}
	return ""
}
