package evaluate

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/sim"
)

// stale runs one round of a program on a memory whose reads now and then
// return what a location held before, and returns the log. It may break any
// model, which is what its histories are good for.
func stale(rng *rand.Rand, p *gen.Program) sim.Log {
	held := make([][]gen.Value, len(p.Locations))
	for x := range held {
		held[x] = []gen.Value{0}
	}
	reads := make([][]gen.Value, len(p.Threads))
	next := make([]int, len(p.Threads))
	for left := p.Ops(); left > 0; {
		t := rng.IntN(len(p.Threads))
		if next[t] == len(p.Threads[t]) {
			continue
		}
		op := p.Threads[t][next[t]]
		next[t]++
		left--
		if op.Kind.Reads() {
			age := 1
			for age < len(held[op.Loc]) && rng.IntN(4) == 0 {
				age++
			}
			reads[t] = append(reads[t], held[op.Loc][len(held[op.Loc])-age])
		}
		if op.Kind.Writes() {
			held[op.Loc] = append(held[op.Loc], op.Value)
		}
	}
	w := wire.NewWriter(p, 1)
	var log sim.Log
	for t, values := range reads {
		log = w.AppendThread(log, gen.ThreadID(t), values)
	}
	if rng.IntN(2) == 0 {
		var final []gen.Value
		for _, values := range held {
			final = append(final, values[len(values)-1])
		}
		log = w.AppendFinal(log, final)
	}
	if rng.IntN(2) == 0 {
		for x, values := range held {
			log = w.AppendOrder(log, gen.LocID(x), values[1:])
		}
	}
	return log
}

// Where nothing is lost that models evaluate by, every model gives a history that
// went through a format the verdict that it gave before.
func TestConvertKeepsVerdicts(t *testing.T) {
	const runs = 60
	evaluated := map[string]map[check.Answer]int{}
	for _, m := range []gen.Mix{
		{Load: 1, Store: 1},
		{Load: 4, Store: 4, Exchange: 1, Fence: 1},
	} {
		for seed := range runs {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(m.Fence)))
			p, err := gen.Random(rng, gen.Options{Threads: 2 + rng.IntN(2), Ops: 2 + rng.IntN(5), Locations: 2, Mix: m, Layout: gen.Spread, Transaction: rng.IntN(3)})
			must.Succeed(t, err)
			h, err := parse.Native(p, 1, stale(rng, p))
			must.Succeed(t, err)
			before := answers(t, h)
			for _, f := range formats.Matching(nil) {
				if w, err := formats.NewWriter(f, nil); err != nil || w == nil || grave(f, h) {
					continue
				}
				after := answers(t, through(t, f, h))
				for i, m := range model.All() {
					if before[i] != after[i] {
						t.Errorf("%s, seed %d: %s says %v, and %v before", f.Name, seed, m.Name, after[i], before[i])
					}
					if evaluated[f.Name] == nil {
						evaluated[f.Name] = map[check.Answer]int{}
					}
					evaluated[f.Name][after[i]]++
				}
			}
		}
	}
	for _, f := range formats.Matching(nil) {
		if _, err := formats.NewWriter(f, nil); err == nil && (evaluated[f.Name][check.Allowed] < 20 || evaluated[f.Name][check.Forbidden] < 20) {
			t.Errorf("%s: %v: the test says little", f.Name, evaluated[f.Name])
		}
	}
}

func answers(t *testing.T, h *parse.History) []check.Answer {
	t.Helper()
	var list []check.Answer
	for _, m := range model.All() {
		v, err := check.Check(context.Background(), h, m, check.Options{})
		must.Succeed(t, err)
		list = append(list, v.Answer)
	}
	return list
}

func grave(f formats.Format, h *parse.History) bool {
	for _, l := range f.Losses(h) {
		if l.Verdict {
			return true
		}
	}
	return false
}

// through writes and reads a history.
func through(t *testing.T, f formats.Format, h *parse.History) *parse.History {
	t.Helper()
	var out bytes.Buffer
	w, err := formats.NewWriter(f, &out)
	must.Succeed(t, err)
	must.Succeed(t, w.Write(h))
	var back *parse.History
	err = formats.Read(f, strings.NewReader(out.String()), f.Name, func(trace formats.Trace) error {
		back = trace.History
		return trace.Err
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	return back
}
