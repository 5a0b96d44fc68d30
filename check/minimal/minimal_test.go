package minimal

import (
	"bytes"
	"errors"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/picture"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// smaller visits every history that leaving one operation of h out makes, its
// readers gone too.
func smaller(h *parse.History, visit func(sub *parse.History)) {
	for id := range h.Ops {
		var rest []parse.OpID
		for _, other := range all(h) {
			if other != parse.OpID(id) && !dependsOn(h, other, parse.OpID(id)) {
				rest = append(rest, other)
			}
		}
		if len(rest) > 0 {
			sub, _ := h.Select(rest)
			visit(sub)
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
	every := model.All()
	reduced, before, after := 0, 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := models[seed%3]
		by := m // reduced by
		if seed%2 == 1 {
			by = every[seed/2%uint64(len(every))]
		}
		run := histgen.Machine(rng, m, histgen.Params{
			Threads: 2 + rng.IntN(4), Ops: 20 + rng.IntN(60), Locations: 1 + rng.IntN(4), RMWs: 0.1 * float64(rng.IntN(3)),
			Fences: 0.1 * float64(rng.IntN(2)), Depth: 3, Burst: 3,
		})
		h := histgen.Mutate(rng, run, 2)
		if seed%4 == 0 {
			histgen.AddFinal(rng, h)
		}
		v, err := check.Check(t.Context(), h, by, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer != check.Forbidden {
			continue
		}
		res, err := Reduce(t.Context(), h, by, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		reduced++
		before, after = before+len(h.Ops), after+len(res.History.Ops)
		if err := res.History.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if part, _ := h.Select(res.Ops); !cmp.Equal(part, res.History, cmpopts.IgnoreUnexported(parse.History{})) {
			t.Errorf("seed %d: the result is no part of the history", seed)
		}
		shown(t, h, by, res)
		if by.Family == model.Total && len(res.History.Ops) <= 10 && brute.Allowed(res.History, by) {
			t.Errorf("seed %d: the reduced history is allowed by brute force", seed)
		}
		smaller(res.History, func(sub *parse.History) {
			if err := sub.Validate(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			v, err := check.Check(t.Context(), sub, by, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Answer == check.Forbidden {
				t.Errorf("seed %d: %d operations, and a part of them is forbidden by %s", seed, len(res.History.Ops), by.Name)
			}
		})
	}
	t.Logf("%d histories of %d operations reduced to %d", reduced, before, after)
	if reduced < 20 {
		t.Errorf("only %d histories are forbidden", reduced)
	}
}

// shown demands that the text and the picture of the refutation show the
// operations that are left, as the log has them.
func shown(t *testing.T, h *parse.History, m model.Model, res *Result) {
	t.Helper()
	small, refutation, kept := witness.Restrict(h, res.Refutation)
	for i, id := range kept {
		if !slices.Contains(res.Ops, id) {
			t.Errorf("operation %d is shown and was left out", id)
		}
		if got, want := axe.AppendOp(nil, small, parse.OpID(i)), axe.AppendOp(nil, h, id); string(got) != string(want) {
			t.Errorf("%s is shown for %s", got, want)
		}
	}
	var text, svg bytes.Buffer
	picture, err := picture.Draw(small, m, refutation)
	if err := errors.Join(err, witness.Explain(&text, small, m, refutation)); err != nil {
		t.Fatal(err)
	}
	if err := picture.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for i := range small.Ops {
		op := html.EscapeString(witness.Letters(i) + ": " + string(axe.AppendOp(nil, small, parse.OpID(i))))
		if !strings.Contains(html.EscapeString(text.String()), op) || !strings.Contains(svg.String(), op) {
			t.Errorf("%s is not in the text or not in the picture:\n%s\n%s", op, &text, &svg)
		}
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
		{"0: M[x] := 1\n0: M[x] := 2\n1: M[x] == 2\n1: M[x] == 1\n1: M[y] == 0\n", model.SC, 4},
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
	if !errors.Is(err, ErrNot) {
		t.Errorf("an allowed history: error %v", err)
	}
}
