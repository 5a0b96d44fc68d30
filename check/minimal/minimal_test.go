package minimal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// smaller visits every history that one step makes of h: an operation left
// out, its readers gone too or reading something else, or a read-modify-write
// that only reads or only writes.
func smaller(h *parse.History, visit func(sub *parse.History)) {
	all := make([]parse.OpID, len(h.Ops))
	for i := range all {
		all[i] = parse.OpID(i)
	}
	for id := range h.Ops {
		var rest []parse.OpID
		for _, other := range all {
			if other != parse.OpID(id) && !dependsOn(h, other, parse.OpID(id)) {
				rest = append(rest, other)
			}
		}
		if len(rest) > 0 {
			sub, _ := h.Select(rest)
			visit(sub)
		}
		rest = append(append([]parse.OpID{}, all[:id]...), all[id+1:]...)
		for other := parse.Init; int(other) < len(h.Ops); other++ {
			if len(rest) == 0 || other == parse.OpID(id) || other >= 0 && !(h.Ops[other].Writes() && h.Ops[other].Loc == h.Ops[id].Loc) {
				continue
			}
			sub, number := h.Select(rest)
			own := false
			for i := range sub.Ops {
				if op := &sub.Ops[i]; op.Reads() && op.RF == parse.NoOp {
					op.RF, op.Read = number(other), 0
					own = own || op.RF == parse.OpID(i)
					if op.RF >= 0 {
						op.Read = sub.Ops[op.RF].Write
					}
				}
			}
			if !own {
				visit(sub)
			}
		}
	}
}

// dependsOn reports whether an operation reads from a write, or from what reads
// from it and writes.
func dependsOn(h *parse.History, id, write parse.OpID) bool {
	for n := 0; n <= len(h.Ops) && h.Ops[id].Reads() && h.Ops[id].RF >= 0; n++ {
		if id = h.Ops[id].RF; id == write {
			return true
		}
	}
	return false
}

// TestMinimal reduces histories that machines never made, and requires the result
// to be forbidden, by brute force too, and everything smaller to be allowed.
func TestMinimal(t *testing.T) {
	models := []model.Model{model.SC, model.TSO, model.PSO}
	reduced, before, after := 0, 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := models[seed%3]
		run := histgen.Machine(rng, m, histgen.Params{
			Threads: 2 + rng.IntN(4), Ops: 20 + rng.IntN(60), Locations: 1 + rng.IntN(4), RMWs: 0.1 * float64(rng.IntN(3)),
			Fences: 0.1 * float64(rng.IntN(2)), Depth: 3, Burst: 3,
		})
		h := histgen.Mutate(rng, run, 2)
		v, err := check.Check(t.Context(), h, m, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer != check.Forbidden {
			continue
		}
		res, err := Reduce(t.Context(), h, m, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		reduced++
		before, after = before+len(h.Ops), after+len(res.History.Ops)
		if err := res.History.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(res.History.Ops) <= 10 && brute.Allowed(res.History, m) {
			t.Errorf("seed %d: the reduced history is allowed by brute force", seed)
		}
		smaller(res.History, func(sub *parse.History) {
			if err := sub.Validate(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			v, err := check.Check(t.Context(), sub, m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Answer == check.Forbidden {
				t.Errorf("seed %d: %d operations, and a part of them is forbidden by %s", seed, len(res.History.Ops), m.Name)
			}
		})
	}
	t.Logf("%d histories of %d operations reduced to %d", reduced, before, after)
	if reduced < 20 {
		t.Errorf("only %d histories are forbidden", reduced)
	}
}

// TestKnown reduces histories whose core is known.
func TestKnown(t *testing.T) {
	for _, row := range []struct {
		text string
		m    model.Model
		want int
	}{
		// Message passing with other things around it.
		{"0: M[a] := 9\n0: M[x] := 1\n0: M[z] := 7\n0: M[y] := 2\n1: M[z] == 7\n1: M[y] == 2\n1: M[a] == 9\n1: M[x] == 0\n2: M[z] == 0\n", model.TSO, 4},
		// Coherence needs one location and two threads.
		{"0: M[x] := 1\n0: M[x] := 2\n1: M[x] == 2\n1: M[x] == 1\n1: M[y] == 0\n", model.SC, 3},
		// The read in front of the exchange carries nothing: the exchange that
		// lost its atomicity stays.
		{"0: M[x] := 1\n0: M[y] == 0\n1: M[y] := 2\n1: M[x] == 0\n2: M[x] == 1\n", model.SC, 4},
	} {
		h := cases.Parse(row.text)
		res, err := Reduce(t.Context(), h, row.m, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(res.History.Ops); got != row.want {
			t.Errorf("%d operations left, want %d of\n%s", got, row.want, row.text)
		}
	}
	h := cases.Parse("0: M[x] := 1\n1: M[x] == 1\n")
	_, err := Reduce(t.Context(), h, model.SC, check.Options{})
	if got := fmt.Sprint(err); !strings.Contains(got, "does not forbid") {
		t.Errorf("an allowed history: error is %s", got)
	}
}
