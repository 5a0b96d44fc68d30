package wire_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// TestNext reads back what a Writer wrote, and every log cut short.
func TestNext(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout packed\nlocations x y\nthread 0\nload x\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := wire.NewWriter(p, 3)
	log := w.AppendThread(nil, 0, []gen.Value{7, 8, 9})
	first := len(log)
	log = w.AppendSteps(w.AppendOrder(w.AppendFinal(log, []gen.Value{1, 1 << 63}), 1, nil), []gen.Value{wire.Step(2, true)})

	header := wire.Frame{Hash: p.Hash64(), Rounds: 3}
	want := []wire.Frame{header, header, header, header}
	want[0].Kind, want[1].Kind, want[2].Kind, want[3].Kind = wire.Thread, wire.Final, wire.Order, wire.Steps
	want[2].Index = 1
	values := [][]gen.Value{{7, 8, 9}, {1, 1 << 63}, nil, {5}}
	for rest := log; len(want) > 0; want, values = want[1:], values[1:] {
		f, err := wire.Next(rest)
		if err != nil {
			t.Fatal(err)
		}
		var got []gen.Value
		for i := range f.Payload.Len() {
			got = append(got, f.Payload.At(i))
		}
		if diff := cmp.Diff(values[0], got); diff != "" {
			t.Error(diff)
		}
		if sum := wire.Checksum(f.Payload); sum != f.Checksum {
			t.Errorf("kind %d: checksum %#x, header %#x", f.Kind, sum, f.Checksum)
		}
		rest = rest[f.Size():]
		f.Payload, f.Checksum = nil, 0
		if diff := cmp.Diff(want[0], f); diff != "" {
			t.Error(diff)
		}
	}
	for n := range first {
		_, err := wire.Next(log[:n])
		want := wire.ErrTornPayload
		if n < wire.HeaderBytes {
			want = wire.ErrTornHeader
		}
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", n, err, want)
		}
	}
	log[3]++
	if _, err := wire.Next(log[:4]); !errors.Is(err, wire.ErrMagic) {
		t.Errorf("bad magic: %v", err)
	}
}
