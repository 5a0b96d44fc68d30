package parse_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim"
)

// small is a program whose logs are easy to write by hand.
const small = `ordeal-program 1
layout spread
locations x y
thread 0
store x 1
load y
thread 1
delay 3
store y 2
load x
add x 1
`

// smallLog is a correct log of one round: thread 1 runs after thread 0.
func smallLog(p *gen.Program) sim.Log {
	w := wire.NewWriter(p, 1)
	log := w.AppendThread(nil, 0, []gen.Value{0})
	log = w.AppendThread(log, 1, []gen.Value{1, 1})
	return w.AppendFinal(log, []gen.Value{1 + gen.AddUnit, 2})
}

// TestNativeFaults gives Native one fault at a time.
func TestNativeFaults(t *testing.T) {
	p := mustProgram(t, small)
	w := wire.NewWriter(p, 1)
	log := smallLog(p)
	if _, err := parse.Native(p, 1, log); err != nil {
		t.Fatal(err)
	}
	edited := func(at int, b byte) sim.Log {
		edited := slices.Clone(log)
		edited[at] ^= b
		return edited
	}
	values := func(t0, t1, final []gen.Value) sim.Log {
		l := w.AppendThread(nil, 0, t0)
		l = w.AppendThread(l, 1, t1)
		if final != nil {
			l = w.AppendFinal(l, final)
		}
		return l
	}
	type vs = []gen.Value
	for _, c := range []struct {
		name string
		log  sim.Log
		want string
		kind parse.FaultKind // of the ValueError, FaultUnknown for none
	}{
		{"magic", edited(0, 1), "byte 0: bad magic", 0},
		{"second magic", edited(56, 1), "byte 56: bad magic", 0},
		{"kind", edited(8, 8), "byte 0: unknown kind of frame 9", 0},
		{"thread number", edited(12, 2), "byte 0: frame of thread 2 of 2", 0},
		{"hash", edited(16, 1), "byte 0: program hash", 0},
		{"rounds", edited(24, 3), "byte 0: log of 2 rounds: want 1", 0},
		{"checksum", edited(40, 1), "byte 0: thread 0: checksum", 0},
		{"payload", edited(48, 1), "byte 0: thread 0: checksum", 0},
		{"repeated thread", w.AppendThread(slices.Clone(log), 0, vs{0}), "second frame of thread 0", 0},
		{"too many", values(vs{0, 0}, vs{1, 1}, nil), "thread 0: 2 values: want 1", 0},
		{"garbage", append(slices.Clone(log), "Bye."...), "4 bytes after the last frame", 0},
		{"unwritten", values(vs{7}, vs{1, 1}, nil),
			"thread 0 round 0 operation 1 (load y): value 7 of y is never written", parse.UnwrittenValue},
		{"foreign", values(vs{1}, vs{1, 1}, nil),
			"thread 0 round 0 operation 1 (load y): value 1 of y is written only to x, by thread 0 round 0 operation 0 (store x 1)",
			parse.ForeignValue},
		{"final", values(vs{0}, vs{1, 1}, vs{9, 2}),
			"final value of x: value 9 of x is never written", parse.UnwrittenValue},
		{"final count", values(vs{0}, vs{1, 1}, vs{1}), "final values: 1 values of 2 locations", 0},
		{"order twice", w.AppendOrder(w.AppendOrder(slices.Clone(log), 0, vs{1, 1 + gen.AddUnit, 1}), 1, vs{2}),
			"store order of x: entry 2: thread 0 round 0 operation 0 (store x 1) is listed twice", 0},
		{"order incomplete", w.AppendOrder(w.AppendOrder(slices.Clone(log), 0, vs{1}), 1, vs{2}),
			"store order of x: thread 1 round 0 operation 3 (add x 1) is missing", 0},
		{"order of initial", w.AppendOrder(w.AppendOrder(slices.Clone(log), 0, vs{0}), 1, vs{2}),
			"store order of x: entry 0 is 0, the initial value", 0},
	} {
		h, err := parse.Native(p, 1, c.log)
		if h != nil {
			t.Errorf("%s: a history, with error %v", c.name, err)
		}
		if err == nil || errors.Is(err, parse.ErrPartial) {
			t.Errorf("%s: error %v, want one that is not ErrPartial", c.name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q lacks %q", c.name, err, c.want)
		}
		var value *parse.ValueError
		if errors.As(err, &value) != (c.kind != 0) || value != nil && value.Fault.Kind != c.kind {
			t.Errorf("%s: value error %v: want kind %d", c.name, value, c.kind)
		}
	}
}

// TestNativeLostUpdate: an addition of two rounds that reads 0 in both.
func TestNativeLostUpdate(t *testing.T) {
	p := mustProgram(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nadd x 3\n")
	_, err := parse.Native(p, 2, wire.NewWriter(p, 2).AppendThread(nil, 0, []gen.Value{0, 0}))
	var value *parse.ValueError
	if !errors.As(err, &value) || value.Fault.Kind != parse.LostUpdate {
		t.Fatalf("error %v", err)
	}
	if want := "thread 0 round 1 operation 0 (add x 3): changes x from 0 to "; !strings.HasPrefix(value.Error(), want) {
		t.Errorf("error %q lacks %q", value, want)
	}
}

// TestNativeLostSums: additions of different addends, whose sums are equal since one was lost.
func TestNativeLostSums(t *testing.T) {
	p := mustProgram(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nadd x 1\nadd x 2\nthread 1\nadd x 3\nstore x 1\n")
	w := wire.NewWriter(p, 1)
	_, err := parse.Native(p, 1, w.AppendThread(w.AppendThread(nil, 0, []gen.Value{0, gen.AddUnit}), 1, []gen.Value{0}))
	var value *parse.ValueError
	if !errors.As(err, &value) || value.Fault.Kind != parse.LostUpdate {
		t.Fatalf("error %v", err)
	}
	want := "changes x from 0 to 206158430208, as does thread 0 round 0 operation 1 (add x 2) from 68719476736: sums only grow, one update is lost"
	if !strings.Contains(value.Error(), want) {
		t.Errorf("error %q lacks %q", value, want)
	}
}

// TestNativePartialKeepsProof has a thread read what a thread wrote after the
// last value it logged: the store is pending, the reads between are not guessed.
func TestNativePartialKeepsProof(t *testing.T) {
	p := mustProgram(t, `ordeal-program 1
layout spread
locations x y
thread 0
store x 1
load y
store x 2
thread 1
load x
store y 3
load x
store y 4
thread 2
load y
load y
`)
	w := wire.NewWriter(p, 1)
	// Thread 0 logged nothing, but thread 1 read its store of 2.
	log := w.AppendThread(nil, 1, []gen.Value{1, 2})
	log = w.AppendThread(log, 2, []gen.Value{3, 4})
	h, err := parse.Native(p, 1, log)
	if !errors.Is(err, parse.ErrPartial) || !strings.Contains(err.Error(), "thread 0: no frame") {
		t.Fatalf("error %v", err)
	}
	if want := []parse.OpID{0, 2, 6, 8}; !slices.Equal(h.Start, want) {
		t.Errorf("threads start at %v: want %v", h.Start, want)
	}
	for reader, writer := range map[parse.OpID]parse.OpID{2: 0, 4: 1, 6: 3, 7: 5} {
		if rf := h.Ops[reader].RF; rf != writer {
			t.Errorf("operation %d reads from %d: want %d", reader, rf, writer)
		}
	}
	// A value that no operation of the program can write is not excused: of
	// another location, of a second round, of an addition.
	for _, v := range []gen.Value{4, p.Stride() + 2, gen.AddUnit + 2} {
		log = w.AppendThread(nil, 1, []gen.Value{1, v})
		if h, err := parse.Native(p, 1, log); h != nil || errors.Is(err, parse.ErrPartial) {
			t.Errorf("impossible value %d: %v", v, err)
		}
	}
}

// FuzzNative changes logs, with and without correcting checksums.
func FuzzNative(f *testing.F) {
	p := mustProgram(f, small)
	f.Add([]byte(smallLog(p)), true)
	f.Add([]byte(smallLog(p))[:60], false)
	f.Fuzz(func(t *testing.T, data []byte, correct bool) {
		log := sim.Log(slices.Clone(data))
		if correct {
			for at := 0; at+wire.HeaderBytes <= len(log); {
				rest := log[at+wire.HeaderBytes:]
				n := min(binary.LittleEndian.Uint64(log[at+wire.CountAt:]), uint64(len(rest)/8))
				binary.LittleEndian.PutUint64(log[at+wire.HashAt:], p.Hash64())
				size := wire.HeaderBytes + int(8*n)
				wire.Seal(log[at : at+size])
				at += size
			}
		}
		h, err := parse.Native(p, 1, log)
		if (h != nil) != (err == nil || errors.Is(err, parse.ErrPartial)) {
			t.Fatalf("history %v, error %v", h != nil, err)
		}
		if h != nil {
			if err := h.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
