package ruby

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby/cache"
)

// storer is a core that stores numbers that count up.
type storer struct{ next *uint64 }

func (c storer) Perform(tag uint64, b *memory.Block) {
	if tag%2 == 1 {
		*c.next++
		b[0] = *c.next
	}
}
func (storer) Evict(memory.Addr) {}

// walker takes random steps, its messages in flight being objects.
type walker struct {
	*Stepper
	flying []Sent
	stores uint64
}

func newWalker(t *testing.T, p *Protocol, cores, lines int) *walker {
	t.Helper()
	list := make([]memory.Addr, lines)
	for i := range list {
		list[i] = memory.Base + memory.Addr(i<<16)
	}
	o := Options{Cores: cores, Hardware: Hardware{Private: cache.Geometry{Sets: 1, Ways: 1}, Shared: cache.Geometry{Sets: 1, Ways: 2}}}.WithDefaults()
	s, err := NewStepper(p, o, list, Data{Words: 1, Depth: 4})
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{Stepper: s}
	for core := range cores {
		s.Port(core).Attach(storer{&w.stores})
	}
	return w
}

// step takes the step that the random numbers choose, or none.
func (w *walker) step(t *testing.T, random *rand.Rand) {
	t.Helper()
	w.Start()
	var err error
	before, stores := w.encoded(), w.stores
	i := random.IntN(len(w.all))
	switch moves := w.Moves(nil, i); {
	case random.IntN(4) == 0:
		core, line := random.IntN(len(w.ports)), random.IntN(len(w.lines))
		write := random.IntN(2)
		if home, n := w.Home(core); w.Outstanding(home, n) < 2 {
			_, err = w.Access(core, memory.Request{Line: w.lines[line], Write: write == 1, Tag: uint64(write)})
		}
	case len(moves) > 0 && random.IntN(2) == 0:
		err = w.Do(i, w.sorted(i, moves[random.IntN(len(moves))]))
	case len(w.flying) > 0:
		at := random.IntN(len(w.flying))
		chosen := w.flying[at]
		at = slices.IndexFunc(w.flying, func(m Sent) bool {
			return m.To == chosen.To && m.From == chosen.From && m.buffer == chosen.buffer
		})
		if chosen = w.flying[at]; !w.Open(&chosen) {
			break
		}
		w.flying = slices.Delete(w.flying, at, at+1)
		err = w.Arrive(chosen)
	}
	if errors.Is(err, ErrLater) {
		w.load(t, before)
		w.stores = stores
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	w.flying = append(w.flying, w.sent...)
	w.sent = w.sent[:0]
}

// sorted makes a step with the message number n of those put back the one with
// the n-th smallest of them, since an encoded state has no other order of them.
func (w *walker) sorted(i int, m Move) Move {
	if m.Kind != Return {
		return m
	}
	var texts []string
	b := w.buffersOf[i][m.At]
	for _, q := range b.items[b.head:] {
		if placeOf(&q) == returningItem {
			texts = append(texts, string(w.appendMessage(nil, q.msg, w.identity)))
		}
	}
	m.Index = slices.Index(texts, slices.Sorted(slices.Values(texts))[m.Index])
	return m
}

// encoded is the whole state.
func (w *walker) encoded() [][]byte {
	var list [][]byte
	for i := range w.all {
		list = append(list, w.AppendController(nil, i, w.identity))
	}
	for i := range w.flying {
		list = append(list, w.AppendSent(nil, &w.flying[i], w.identity))
	}
	return list
}

// load makes the walker what encoded wrote.
func (w *walker) load(t *testing.T, list [][]byte) {
	t.Helper()
	w.flying = w.flying[:0]
	for i, part := range list {
		if i < len(w.all) {
			if err := w.LoadController(i, part); err != nil {
				t.Fatal(err)
			}
			continue
		}
		m, err := w.LoadSent(part)
		if err != nil {
			t.Fatal(err)
		}
		w.flying = append(w.flying, m)
	}
}

// TestLoad walks at random on two machines, one of which is saved and loaded
// before every step: the states stay the same.
func TestLoad(t *testing.T) {
	const steps = 1500
	for _, name := range protocols.Names() {
		tree, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(tree)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(2) {
			live, loaded := newWalker(t, p, 3, 3), newWalker(t, p, 3, 3)
			for i := range steps {
				before := loaded.encoded()
				loaded.load(t, before)
				again := loaded.encoded()
				if !slices.EqualFunc(before, again, bytes.Equal) {
					t.Fatalf("%s, seed %d, step %d: a state changes when it is loaded", name, seed, i)
				}
				live.step(t, rand.New(rand.NewPCG(seed, uint64(i))))
				loaded.step(t, rand.New(rand.NewPCG(seed, uint64(i))))
				if !slices.EqualFunc(live.encoded(), loaded.encoded(), bytes.Equal) {
					t.Fatalf("%s, seed %d, step %d: a run that is loaded at every step differs from one that is not:\n%x\n%x",
						name, seed, i, live.encoded(), loaded.encoded())
				}
			}
			if loaded.stores < 50 {
				t.Errorf("%s, seed %d: %d stores in %d steps", name, seed, loaded.stores, steps)
			}
		}
	}
}
