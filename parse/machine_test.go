package parse_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim"
)

// run is an execution of a program by an interleaving machine, which notes
// what Native has to find out.
type run struct {
	program *gen.Program
	rounds  int
	stride  gen.Value
	reads   [][]gen.Value // logged, by thread
	final   []gen.Value
	order   [][]gen.Value // of each location
	// readsFrom has, for each read, the origin of its write; no entry for the
	// initial one.
	readsFrom map[parse.Origin]parse.Origin
	last      []parse.Origin // write of each location's final value
	steps     int            // operations executed, delays left out
}

// noWrite is the origin of initial values.
var noWrite = parse.Origin{Round: -1}

// interleave runs p, one operation at a time, of a random thread each.
func interleave(rng *rand.Rand, p *gen.Program, rounds int) *run {
	r := &run{
		program: p, rounds: rounds, stride: p.Stride(), reads: make([][]gen.Value, len(p.Threads)),
		final: make([]gen.Value, len(p.Locations)), order: make([][]gen.Value, len(p.Locations)),
		readsFrom: map[parse.Origin]parse.Origin{}, last: make([]parse.Origin, len(p.Locations)),
	}
	for x := range r.last {
		r.last[x] = noWrite
	}
	at := make([]parse.Origin, len(p.Threads))
	var live []int
	for t := range at {
		at[t].Thread = gen.ThreadID(t)
		if len(p.Threads[t]) > 0 {
			live = append(live, t)
		}
	}
	for len(live) > 0 {
		k := rng.IntN(len(live))
		t := live[k]
		r.step(at[t])
		if at[t].Index++; at[t].Index == len(p.Threads[t]) {
			at[t].Index = 0
			if at[t].Round++; at[t].Round == rounds {
				live = append(live[:k], live[k+1:]...)
			}
		}
	}
	return r
}

func (r *run) step(o parse.Origin) {
	op := r.program.Threads[o.Thread][o.Index]
	if op.Kind == gen.Delay {
		return
	}
	r.steps++
	old := r.final[op.Loc]
	if op.Kind.Reads() {
		r.reads[o.Thread] = append(r.reads[o.Thread], old)
		if w := r.last[op.Loc]; w != noWrite {
			r.readsFrom[o] = w
		}
	}
	v := gen.Value(o.Round)*r.stride + op.Value
	if op.Kind == gen.FetchAdd {
		v = old + op.Value*gen.AddUnit
	}
	if op.Kind.Writes() {
		r.final[op.Loc], r.last[op.Loc] = v, o
		r.order[op.Loc] = append(r.order[op.Loc], v)
	}
}

// log writes the run as a native log.
func (r *run) log() sim.Log {
	w := wire.NewWriter(r.program, r.rounds)
	var log sim.Log
	for t, values := range r.reads {
		log = w.AppendThread(log, gen.ThreadID(t), values)
	}
	log = w.AppendFinal(log, r.final)
	for x, values := range r.order {
		log = w.AppendOrder(log, gen.LocID(x), values)
	}
	return log
}

// mustProgram parses a program.
func mustProgram(t testing.TB, text string) *gen.Program {
	t.Helper()
	p, err := gen.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// randomRun is a run of a random program.
func randomRun(t testing.TB, seed uint64, ops, rounds int) *run {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	o := gen.Defaults()
	o.Threads = 1 + rng.IntN(5)
	o.Locations = 1 + rng.IntN(6)
	o.Ops = 1 + rng.IntN(ops)
	p, err := gen.Random(rng, o)
	if err != nil {
		t.Fatal(err)
	}
	return interleave(rng, p, rounds)
}
