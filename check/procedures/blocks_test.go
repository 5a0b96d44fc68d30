package procedures_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/procedures/frontier"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
)

// atThread puts histories together that share their first thread, whose
// operations of one and another alternate, and nothing else.
func atThread(rng *rand.Rand, parts ...*parse.History) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	type name struct {
		part int
		id   parse.OpID
	}
	moved := map[name]parse.OpID{}
	var from []name
	var locations []int32
	take := func(part int, id parse.OpID) {
		moved[name{part, id}] = parse.OpID(len(from))
		from = append(from, name{part, id})
		h.Ops = append(h.Ops, parts[part].Ops[id])
	}
	next := make([]parse.OpID, len(parts))
	for left := true; left; {
		left = false
		for i, p := range parts {
			for n := rng.IntN(3); next[i] < p.Start[1] && n > 0; n-- {
				take(i, next[i])
				next[i]++
			}
			left = left || next[i] < p.Start[1]
		}
	}
	h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	h.ThreadNames = []string{"shared"}
	for i, p := range parts {
		locations = append(locations, int32(len(h.Locations)))
		for _, x := range p.Locations {
			h.Locations = append(h.Locations, x+string(rune('a'+i)))
		}
		for t := 1; t < p.Threads(); t++ {
			for id := p.Start[t]; id < p.Start[t+1]; id++ {
				take(i, id)
			}
			h.ThreadNames = append(h.ThreadNames, fmt.Sprint(i, t))
			h.Start = append(h.Start, parse.OpID(len(h.Ops)))
		}
	}
	for i := range h.Ops {
		op, n := &h.Ops[i], from[i]
		if op.Loc >= 0 {
			op.Loc += locations[n.part]
		}
		if op.RF >= 0 {
			op.RF = moved[name{n.part, op.RF}]
		}
	}
	return h
}

// TestBlocks compares the procedures that decide parts with the search of the
// whole and with enumeration, on histories whose parts share a thread.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	answers := map[witness.Answer]int{}
	for range 250 {
		for _, m := range []model.Model{model.SC, model.TSO, model.PSO, model.RMO} {
			var parts []*parse.History
			for range 2 {
				run := histgen.Machine(rng, m, histgen.Params{Threads: 2, Ops: 6, Locations: 2, RMWs: 0.1, Fences: 0.1})
				h := run.History
				if rng.IntN(3) == 0 {
					h = histgen.Mutate(rng, run, 1)
				}
				parts = append(parts, h)
			}
			h := atThread(rng, parts...)
			want := witness.Forbidden
			if brute.Allowed(h, m) {
				want = witness.Allowed
			}
			answers[want]++
			for _, p := range []search.Procedure{frontier.Plain, frontier.DBCOP, frontier.Procedure} {
				v, err := p.Run(t.Context(), h, m, search.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if v.Answer != want {
					t.Fatalf("%s by %s: %s, want %s\n%v", m.Name, p.Name, v.Answer, want, h.Ops)
				}
				if v.Answer == witness.Allowed {
					err = witness.Replay(h, m, v.Order)
				} else if v.Refutation != nil {
					err = witness.Verify(h, m, v.Refutation)
				}
				if err != nil {
					t.Fatalf("%s by %s: %v", m.Name, p.Name, err)
				}
			}
		}
	}
	if answers[witness.Allowed] < 100 || answers[witness.Forbidden] < 100 {
		t.Errorf("the histories are too uniform for a test: %v", answers)
	}
}

// program makes a history of threads of reads and writes, which name the
// operation that they read from.
func program(threads ...[]parse.Op) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}, Locations: []string{"x", "u", "y", "z"}}
	for t, ops := range threads {
		h.ThreadNames = append(h.ThreadNames, fmt.Sprint(t))
		h.Ops = append(h.Ops, ops...)
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			op.Write = gen.Value(i) + 1
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF >= 0 {
			op.Read = h.Ops[op.RF].Write
		}
	}
	return h
}

// TestBlocksNeedSC: under TSO each block of the communication graph may be
// allowed, and the whole is not. In the first thread the read of u passes the
// write of x, but not what comes between, the write of y and the read of z,
// which another thread orders.
func TestBlocksNeedSC(t *testing.T) {
	write := func(x int32) parse.Op { return parse.Op{Kind: parse.Write, Loc: x, RF: parse.NoOp} }
	read := func(x int32, from parse.OpID) parse.Op { return parse.Op{Kind: parse.Read, Loc: x, RF: from} }
	fence := parse.Op{Kind: parse.Fence, Loc: -1, Mask: parse.FullFence, RF: parse.NoOp}
	const x, u, y, z = 0, 1, 2, 3
	one := program(
		[]parse.Op{write(x), read(u, parse.Init)},
		[]parse.Op{write(u), fence, read(x, parse.Init)})
	two := program(
		[]parse.Op{write(y), read(z, 3)},
		[]parse.Op{read(y, 0), write(z)})
	whole := program(
		[]parse.Op{write(x), write(y), read(z, 8), read(u, parse.Init)},
		[]parse.Op{write(u), fence, read(x, parse.Init)},
		[]parse.Op{read(y, 1), write(z)})
	for _, c := range []struct {
		name string
		h    *parse.History
		want witness.Answer
	}{
		{"x and u", one, witness.Allowed}, {"y and z", two, witness.Allowed}, {"whole", whole, witness.Forbidden},
	} {
		for _, p := range []search.Procedure{frontier.Plain, frontier.DBCOP, frontier.Procedure} {
			v, err := p.Run(t.Context(), c.h, model.TSO, search.Limits{})
			if err != nil || v.Answer != c.want {
				t.Errorf("%s by %s: %s (%v), want %s", c.name, p.Name, v.Answer, err, c.want)
			}
		}
	}
}
