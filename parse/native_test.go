package parse_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// TestNativeRebuilds compares histories with what the machine that ran the
// program noted.
func TestNativeRebuilds(t *testing.T) {
	for seed := range uint64(300) {
		r := randomRun(t, seed, 30, 1+int(seed%4))
		h, err := parse.Native(r.program, r.rounds, r.log())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := h.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(h.Ops) != r.steps {
			t.Fatalf("seed %d: %d operations: want %d", seed, len(h.Ops), r.steps)
		}
		compare(t, r, h)
		for x, id := range h.Final {
			if got := originOf(r, h, id); got != r.last[x] {
				t.Fatalf("seed %d: final %d by %v: want %v", seed, x, got, r.last[x])
			}
		}
		for x, order := range h.StoreOrder {
			for i, id := range order {
				if h.Ops[id].Write != r.order[x][i] {
					t.Fatalf("seed %d: store order of %d differs at %d", seed, x, i)
				}
			}
		}
	}
}

func originOf(r *run, h *parse.History, id parse.OpID) parse.Origin {
	if id == parse.Init {
		return noWrite
	}
	return parse.NewOrigins(r.program, h).Of(id)
}

// compare checks that every operation of h is the program's, with the writer
// that the machine noted.
func compare(t *testing.T, r *run, h *parse.History) {
	t.Helper()
	origins := parse.NewOrigins(r.program, h)
	for i := range h.Ops {
		op := &h.Ops[i]
		o := origins.Of(parse.OpID(i))
		from := r.program.Threads[o.Thread][o.Index]
		if h.Tails != nil && from.Kind == gen.Exchange && !op.Reads() {
			from.Kind = gen.Store // pending
		}
		if op.Reads() != from.Kind.Reads() || op.Writes() != from.Kind.Writes() ||
			(op.Kind == parse.Fence) != (from.Kind == gen.FullFence) ||
			op.Kind != parse.Fence && op.Loc != int32(from.Loc) {
			t.Fatalf("operation %d is %+v: want %+v", i, *op, from)
		}
		if !op.Reads() {
			continue
		}
		want, ok := r.readsFrom[o]
		if !ok {
			want = noWrite
		}
		if got := originOf(r, h, op.RF); got != want {
			t.Fatalf("%v reads from %v: want %v", o, got, want)
		}
	}
}

// TestNativePartial cuts logs short: what is left must be a prefix of what
// happened.
func TestNativePartial(t *testing.T) {
	for seed := range uint64(200) {
		r := randomRun(t, seed, 20, 2)
		r.order = nil
		short := false
		for th, values := range r.reads {
			if n := len(values) * int(seed%7) / 6; n < len(values) && (th == 0 || seed%3 == 0) {
				r.reads[th] = values[:n]
				short = true
			}
		}
		if !short {
			continue
		}
		h, err := parse.Native(r.program, r.rounds, r.log())
		if !errors.Is(err, parse.ErrPartial) || h == nil {
			t.Fatalf("seed %d: history %v, error %v", seed, h != nil, err)
		}
		if h.Final != nil || h.StoreOrder != nil {
			t.Fatalf("seed %d: partial history with final values", seed)
		}
		if err := h.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, r, h)
	}
}

// TestNativePending reads values of stores that follow reads without a value in
// their thread.
func TestNativePending(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y z\n"+
		"thread 0\nload z\nstore x 1\nload z\ndelay 3\nadd z 1\nfence\nstore y 2\nexchange z 3\nstore z 4\nthread 1\nload y\nload x\nload z\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := wire.NewWriter(p, 2)
	for _, test := range []struct {
		zero, one []gen.Value
		want      string
	}{
		{nil, []gen.Value{2, 0}, "0.1:W1 0.5:F0 0.6:W2 | 0.0:R2 0.1:R0"},
		{nil, []gen.Value{7, 6, 8}, "0.1:W1 0.5:F0 0.6:W2 0.7:W3 0.8:W4 1.1:W6 1.5:F0 1.6:W7 1.7:W8 | 0.0:R7 0.1:R6 0.2:R8"},
		{[]gen.Value{0, 0}, []gen.Value{0, 0, 3}, "0.0:R0 0.1:W1 0.2:R0 0.5:F0 0.6:W2 0.7:W3 | 0.0:R0 0.1:R0 0.2:R3"},
		// The value of a pending addition is not known: what reads it is cut off.
		{nil, []gen.Value{2, 1, 1 << 36}, "0.1:W1 0.5:F0 0.6:W2 | 0.0:R2 0.1:R1"},
		{nil, []gen.Value{0}, " | 0.0:R0"},
	} {
		log := w.AppendThread(w.AppendThread(nil, 0, test.zero), 1, test.one)
		h, err := parse.Native(p, 2, log)
		if !errors.Is(err, parse.ErrPartial) || h == nil {
			t.Fatalf("%v: %v", test.one, err)
		}
		if err := h.Validate(); err != nil {
			t.Error(err)
		}
		var got []string
		origins := parse.NewOrigins(p, h)
		for i, op := range h.Ops {
			if parse.OpID(i) == h.Start[1] {
				got = append(got, "|")
			}
			o := origins.Of(parse.OpID(i))
			got = append(got, fmt.Sprintf("%d.%d:%s", o.Round, o.Index, map[parse.Kind]string{
				parse.Read: fmt.Sprint("R", op.Read), parse.Write: fmt.Sprint("W", op.Write), parse.Fence: "F0",
			}[op.Kind]))
		}
		if text := strings.Join(got, " "); strings.TrimSpace(text) != strings.TrimSpace(test.want) {
			t.Errorf("%v %v:\n%s\nwant\n%s", test.zero, test.one, text, test.want)
		}
	}
}

// TestNativeTornLog cuts a log at every byte.
func TestNativeTornLog(t *testing.T) {
	r := randomRun(t, 5, 6, 1)
	log := r.log()
	for n := range log {
		h, err := parse.Native(r.program, r.rounds, slices.Clip(log[:n]))
		if err != nil && (!errors.Is(err, parse.ErrPartial) || h == nil) {
			t.Fatalf("%d bytes of %d: %v", n, len(log), err)
		}
		if err == nil && n < len(log)-wire.HeaderBytes-8*len(r.order[len(r.order)-1]) && h.StoreOrder != nil {
			t.Fatalf("%d bytes of %d are a whole log", n, len(log))
		}
	}
	if _, err := parse.Native(r.program, r.rounds, append(log, "x"...)); err == nil || errors.Is(err, parse.ErrPartial) ||
		!strings.Contains(err.Error(), "1 bytes after the last frame") {
		t.Errorf("trailing garbage: %v", err)
	}
}
