package parse_test

import (
	"errors"
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
