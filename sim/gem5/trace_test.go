package gem5

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// traceWriter writes traces in the form of gem5 v24.0's, from what happens to
// a memory: the inverse of tracer.
type traceWriter struct {
	text   strings.Builder
	tick   int
	memory map[uint64]*[gen.LineBytes]byte // by physical line
}

func (w *traceWriter) line(address uint64) *[gen.LineBytes]byte {
	line := address &^ (gen.LineBytes - 1)
	if w.memory[line] == nil {
		w.memory[line] = new([gen.LineBytes]byte)
	}
	return w.memory[line]
}

// data prints the line of an address as the sequencer does after an access.
func (w *traceWriter) data(core int, what string, address uint64) {
	fmt.Fprintf(&w.text, "%7d: system.ruby.l1_cntrl%d.sequencer: %s data [ ", w.tick, core, what)
	for _, b := range w.line(address) {
		fmt.Fprintf(&w.text, "%#x ", b)
	}
	fmt.Fprint(&w.text, "]\n")
}

// done prints that a request is done.
func (w *traceWriter) done(core int, address uint64) {
	w.tick += 500
	fmt.Fprintf(&w.text, "%15d %3d %10s%20s %6s>%-6s [%#x, line %#x] %d cycles\n",
		w.tick, core, "Seq", "Done", "", "", address, address&^(gen.LineBytes-1), 12)
}

// set stores a word.
func (w *traceWriter) set(core int, address uint64, value uint64) {
	for i := range 8 {
		w.line(address)[address%gen.LineBytes+uint64(i)] = byte(value >> (8 * i))
	}
	w.data(core, "set", address)
}

// noise prints lines that say nothing about stores.
func (w *traceWriter) noise(core int, address uint64) {
	fmt.Fprintf(&w.text, "%15d %3d %10s%20s %6s>%-6s [%#x, line %#x] IFETCH\n", w.tick, core, "Seq", "Begin", "", "", address, address)
	fmt.Fprintf(&w.text, "%15d %3d %10s%20s %6s>%-6s [%#x, line %#x] Protocol Stall\n", w.tick, core, "L1Cache", "Replacement", "IS", "IS", address, address)
	fmt.Fprintf(&w.text, "%7d: system.ruby.l1_cntrl%d.sequencer: Issuing Locked RMW Read\n", w.tick, core)
}

// simulated is a run of programs on that memory: its trace and, by program
// and location, the order of the stores.
func simulated(rng *rand.Rand, programs []*gen.Program, bases []int64, rounds int) (string, [][][]gen.Value) {
	w := &traceWriter{memory: make(map[uint64]*[gen.LineBytes]byte)}
	// Pages in no order of the virtual addresses, as SE mode may have them.
	pages, next := make(map[int64]uint64), uint64(0x7000)
	physical := func(virtual int64) uint64 {
		return pages[virtual/pageBytes] + uint64(virtual%pageBytes)
	}
	for k, p := range programs {
		end := bases[k] + p.Offset(gen.LocID(len(p.Locations)))
		for page := bases[k]; page < end; page += pageBytes {
			pages[page/pageBytes] = next ^ 0x4000
			next += pageBytes
			w.noise(0, next)
			w.done(0, physical(page))
			w.set(0, physical(page), 0)
		}
	}
	var orders [][][]gen.Value
	for k, p := range programs {
		order := make([][]gen.Value, len(p.Locations))
		for r := range rounds {
			for t, ops := range p.Threads {
				for _, op := range ops {
					at := physical(bases[k] + p.Offset(op.Loc))
					if op.Kind.Reads() {
						w.done(t, at)
						w.data(t, "read", at)
					}
					if op.Kind.Writes() {
						value := gen.Value(r)*p.Stride() + op.Value
						// Some stores join a request to another word of the
						// line that is under way.
						if rng.IntN(3) == 0 {
							w.done(t, at^8)
							w.data(t, "read", at)
						} else {
							w.noise(t, at)
							w.done(t, at)
						}
						w.set(t, at, uint64(value))
						order[op.Loc] = append(order[op.Loc], value)
					}
					// Traffic elsewhere: logs and control lines.
					w.done(t, 0x2000_0000+uint64(t)*64)
					w.set(t, 0x2000_0000+uint64(t)*64, uint64(r+1))
				}
			}
		}
		orders = append(orders, order)
	}
	return w.text.String(), orders
}

func traceBatch(t *testing.T, n int) ([]*gen.Program, []int64) {
	t.Helper()
	var programs []*gen.Program
	for i := range n {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations, o.Layout = 2, 20, 6, gen.Layouts()[i%4]
		o.Mix = gen.Mix{Load: 1, Store: 2, Exchange: 1}
		p, err := gen.Random(rand.New(rand.NewPCG(5, uint64(i))), o)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	image, err := elf.EmitBatch(programs, elf.Options{Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	return programs, image.Bases
}

func TestStoreOrder(t *testing.T) {
	for seed := range uint64(8) {
		programs, bases := traceBatch(t, 4)
		text, want := simulated(rand.New(rand.NewPCG(seed, 1)), programs, bases, 3)
		tracer := newTracer(programs, bases)
		// What gem5 wrote of a line before it was killed.
		if err := (&debugReader{tracer: tracer}).read(strings.NewReader(text + " 12345: system.ruby.l1_cntrl0.sequencer: set data [ 0x1\n" + endOfTrace + "not read")); err != nil {
			t.Fatal(err)
		}
		for k, p := range programs {
			if err := tracer.orders[k].complete(p, 3); err != nil {
				t.Error(err)
			}
			for l := range p.Locations {
				if !slices.Equal(tracer.orders[k][l], want[k][l]) {
					t.Errorf("program %d location %d: %v\nwant %v", k, l, tracer.orders[k][l], want[k][l])
				}
			}
		}
	}
}

// TestTraceFaults refuses traces that are not understood, instead of telling
// an order that may be wrong.
func TestTraceFaults(t *testing.T) {
	programs, bases := traceBatch(t, 1)
	text, _ := simulated(rand.New(rand.NewPCG(1, 1)), programs, bases, 1)
	for name, test := range map[string]struct{ old, new, want string }{
		"short line":  {"set data [ 0x0 ", "set data [ ", "a line of 63 bytes"},
		"no address":  {"Done       >       [0x", "Done       >       [", "no address"},
		"a store too": {"", "", ""},
	} {
		damaged := strings.Replace(text, test.old, test.new, 1)
		err := (&debugReader{tracer: newTracer(programs, bases)}).read(strings.NewReader(damaged))
		if (err != nil) != (test.want != "") {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		} else if err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
	// Whatever happens, the rest is read: here to a reader's own error.
	torn := errors.New("torn")
	rest := iotest.ErrReader(torn)
	bad := strings.NewReader(strings.Repeat("x", 1<<17) + "\n" + strings.Replace(text, "set data [ 0x0 ", "set data [ ", 1))
	if err := (&debugReader{tracer: newTracer(programs, bases)}).read(io.MultiReader(bad, rest)); !errors.Is(err, torn) || !strings.Contains(err.Error(), "xxx") {
		t.Errorf("%v, want both faults", err)
	}
	// A run that lacks stores has no order.
	tracer := newTracer(programs, bases)
	if err := (&debugReader{tracer: tracer}).read(strings.NewReader(text[:len(text)/2])); err == nil {
		err = tracer.orders[0].complete(programs[0], 1)
		if err == nil {
			t.Error("half a trace is complete")
		}
	}
	// The first store of another executable.
	tracer = newTracer(programs, bases)
	w := &traceWriter{memory: make(map[uint64]*[gen.LineBytes]byte)}
	w.done(0, 0x2008)
	w.set(0, 0x2008, 1)
	w.noise(0, 0x2008)
	if err := (&debugReader{tracer: tracer}).read(strings.NewReader(w.text.String())); err == nil {
		t.Error("took a store in the middle of a page for the first to it")
	}
}

// TestOrderOfRun has the stand-in write a trace into the pipe; the log gets
// the order of the stores.
func TestOrderOfRun(t *testing.T) {
	p := &gen.Program{
		Layout: gen.Spread, Locations: []string{"x", "y"},
		Threads: [][]gen.Op{{{Kind: gen.Store, Loc: 0, Value: 1}, {Kind: gen.Store, Loc: 1, Value: 2}, {Kind: gen.Load, Loc: 0}}},
	}
	const rounds = 2
	image, err := elf.EmitBatch([]*gen.Program{p}, elf.Options{Rounds: rounds})
	if err != nil {
		t.Fatal(err)
	}
	text, want := simulated(rand.New(rand.NewPCG(1, 1)), []*gen.Program{p}, image.Bases, rounds)
	trace := filepath.Join(t.TempDir(), "trace")
	for _, test := range []struct {
		text  string
		order bool
	}{{text, true}, {"", false}, {strings.Replace(text, "set data [", "set data [ 0x1", 1), false}} {
		if err := os.WriteFile(trace, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := newRunner(t, "tracing=on,trace="+trace, func(o *Options) { o.StoreOrder, o.Log = true, LogMemory })
		result, err := r.Run(t.Context(), sim.Job{Program: p, Rounds: rounds, Dir: t.TempDir()})
		if err != nil || result.Outcome != sim.Passed {
			t.Fatalf("%+v, %v", result, err)
		}
		plain := elf.LogBytes(p, rounds)
		if !test.order {
			if int64(len(result.Log)) != plain || !strings.Contains(result.Detail, "the order of stores is not known: ") {
				t.Errorf("log of %d bytes, detail %q", len(result.Log), result.Detail)
			}
			continue
		}
		w := wire.NewWriter(p, rounds)
		orders := w.AppendOrder(w.AppendOrder(nil, 0, want[0][0]), 1, want[0][1])
		if string(result.Log[plain:]) != string(orders) {
			t.Errorf("after the %d bytes of the plain log: %q, want %q", plain, result.Log[plain:], orders)
		}
	}
}

func FuzzTrace(f *testing.F) {
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Store, Value: 1}}}}
	text, _ := simulated(rand.New(rand.NewPCG(1, 1)), []*gen.Program{p}, []int64{0x1000_0000}, 2)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		_ = (&debugReader{tracer: newTracer([]*gen.Program{p}, []int64{0x1000_0000})}).read(strings.NewReader(text)) // must not panic
	})
}

// BenchmarkTrace is the cost of a line of the trace.
func BenchmarkTrace(b *testing.B) {
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Store, Value: 1}, {Kind: gen.Load}}}}
	text, _ := simulated(rand.New(rand.NewPCG(1, 1)), []*gen.Program{p}, []int64{0x1000_0000}, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := (&debugReader{tracer: newTracer([]*gen.Program{p}, []int64{0x1000_0000})}).read(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
