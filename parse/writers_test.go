package parse_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/parse"
)

// TestWriters compares the hash table with a map, on values that differ in
// low bits, in high bits, and in both.
func TestWriters(t *testing.T) {
	type key struct {
		loc   int32
		value gen.Value
	}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		shift := seed % 60
		h := &parse.History{Locations: []string{"x", "y", "z"}}
		writers, wantFaults := map[key]parse.OpID{}, map[parse.OpID]parse.FaultKind{}
		kinds := []parse.Kind{parse.Read, parse.Write, parse.RMW}
		for id := range parse.OpID(rng.IntN(400)) {
			op := parse.Op{Kind: kinds[rng.IntN(3)], Loc: int32(rng.IntN(3))}
			op.Read, op.Write = gen.Value(rng.Uint64N(300)<<shift), gen.Value(rng.Uint64N(3000)<<shift)
			h.Ops = append(h.Ops, op)
			if !op.Writes() {
				continue
			}
			k := key{op.Loc, op.Write}
			first, twice := writers[k]
			switch {
			case op.Write == 0:
				wantFaults[id] = parse.ZeroWrite
			case twice && op.Kind == parse.RMW && h.Ops[first].Kind == parse.RMW && h.Ops[first].Read == op.Read:
				wantFaults[id] = parse.LostUpdate
			case twice:
				wantFaults[id] = parse.DuplicateWrite
			default:
				writers[k] = id
			}
		}
		w := parse.NewWriters(h, func(f parse.Fault) {
			if f.Kind != wantFaults[f.Op] {
				t.Fatalf("seed %d: operation %d has fault %d: want %d", seed, f.Op, f.Kind, wantFaults[f.Op])
			}
			delete(wantFaults, f.Op)
		})
		if len(wantFaults) > 0 {
			t.Fatalf("seed %d: faults not reported: %v", seed, wantFaults)
		}
		missing := map[parse.OpID]bool{}
		w.Link(func(id parse.OpID) { missing[id] = true })
		for i := range h.Ops {
			op, id := &h.Ops[i], parse.OpID(i)
			want := parse.NoOp
			if op.Reads() {
				want = parse.Init
				if op.Read != 0 {
					var ok bool
					if want, ok = writers[key{op.Loc, op.Read}]; !ok {
						want = parse.NoOp
					}
				}
			}
			if op.RF != want || missing[id] != (op.Reads() && want == parse.NoOp) {
				t.Fatalf("seed %d: operation %d reads from %d: want %d", seed, id, op.RF, want)
			}
		}
	}
}

// BenchmarkWriters resolves a million operations. The values of "sums" differ
// in their high bits, as those of fetch-adds do.
func BenchmarkWriters(b *testing.B) {
	for _, c := range []struct {
		name string
		unit gen.Value
	}{{"dense", 1}, {"sums", gen.AddUnit}} {
		b.Run(c.name, func(b *testing.B) {
			const ops, locations = 1 << 20, 16
			rng := rand.New(rand.NewPCG(1, 3))
			h := &parse.History{Ops: make([]parse.Op, ops), Locations: make([]string, locations)}
			last := make([]gen.Value, locations)
			for i := range h.Ops {
				x := rng.IntN(locations)
				h.Ops[i] = parse.Op{Kind: parse.Read, Loc: int32(x), Read: last[x]}
				if rng.IntN(2) == 0 {
					last[x] = gen.Value(i+1) * c.unit
					h.Ops[i] = parse.Op{Kind: parse.Write, Loc: int32(x), Write: last[x]}
				}
			}
			for b.Loop() {
				parse.NewWriters(h, func(f parse.Fault) { b.Fatal(f) }).Link(func(id parse.OpID) { b.Fatal(id) })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/operation")
		})
	}
}
