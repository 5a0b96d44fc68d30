package suite_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

// verdicts are the answers under all models.
func verdicts(t *testing.T, h *parse.History) map[string]check.Answer {
	t.Helper()
	out := map[string]check.Answer{}
	for _, m := range models {
		out[m.Name] = auto(t, h, m)
	}
	return out
}

// subjects are the named cases, small members of the families, and histories
// at random.
func subjects(t *testing.T) iter.Seq[*parse.History] {
	n := scale.Of(100, 200, 50_000)
	return func(yield func(*parse.History) bool) {
		for _, c := range named(t) {
			if !yield(c.History) {
				return
			}
		}
		for _, f := range families() {
			if len(f.history.Ops) <= 60 && !yield(f.history) {
				return
			}
		}
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, 8))
			h := draw(rng, 6, 30)
			if seed%10 == 0 {
				h = draw(rng, 40, 120)
			}
			if !yield(h) {
				return
			}
		}
	}
}

// A model allows what a stronger one allows, and for any two models of which
// the first is not known to be the stronger one there is a history that it
// allows and the second forbids. A classification says the same as the
// verdicts of single models.
//
// PSO implies RMO with dependencies too. PSO keeps a load before everything
// later, so that it has every dependency as an edge; and a value out of thin
// air, which RMO forbids even where it passes through a store buffer, is a
// cycle of dependencies and reads-from in which "r → w → r'", w forwarded to
// the own later load r', can be replaced by "r → r'".
func TestLattice(t *testing.T) {
	strict := map[[2]string]bool{}
	for h := range subjects(t) {
		v := verdicts(t, h)
		for _, a := range models {
			for _, b := range models {
				if v[a.Name] != check.Allowed || v[b.Name] != check.Forbidden {
					continue
				}
				if model.Implies(a, b) {
					t.Fatalf("%s allows what %s forbids:\n%s", a.Name, b.Name, text(h))
				}
				strict[[2]string{a.Name, b.Name}] = true
			}
		}
		c, err := check.Classify(context.Background(), h, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, single := range c.Verdicts {
			if single.Answer != v[single.Model] {
				t.Fatalf("%s: %v, classified as %v\n%s", single.Model, v[single.Model], single.Answer, text(h))
			}
		}
	}
	for _, a := range models {
		for _, b := range models {
			if !model.Implies(a, b) && !strict[[2]string{a.Name, b.Name}] {
				t.Errorf("no history is allowed by %s and forbidden by %s", a.Name, b.Name)
			}
		}
	}
}

// Names of threads, locations and values do not matter.
func TestRenaming(t *testing.T) {
	seed := uint64(0)
	for h := range subjects(t) {
		seed++
		rng := rand.New(rand.NewPCG(seed, 9))
		other := renamed(rng, permuted(rng, h))
		if err := other.Validate(); err != nil {
			t.Fatal(err)
		}
		was, is := verdicts(t, h), verdicts(t, other)
		for _, m := range models {
			if was[m.Name] != is[m.Name] {
				t.Fatalf("%s: %v before and %v after renaming:\n%s\n%s", m.Name, was[m.Name], is[m.Name], text(h), text(other))
			}
		}
	}
}

// asksForMore reports a model that allows the stronger of two histories and
// forbids the weaker one.
func asksForMore(t *testing.T, what string, strong, weak *parse.History) {
	t.Helper()
	if err := strong.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := weak.Validate(); err != nil {
		t.Fatal(err)
	}
	s, w := verdicts(t, strong), verdicts(t, weak)
	for _, m := range models {
		if s[m.Name] == check.Allowed && w[m.Name] == check.Forbidden {
			t.Fatalf("%s: %s: allows\n%sand forbids\n%s", m.Name, what, text(strong), text(weak))
		}
	}
}

// A fence more never allows more.
func TestFenceMore(t *testing.T) {
	seed := uint64(0)
	for h := range subjects(t) {
		seed++
		asksForMore(t, "fence", fenced(rand.New(rand.NewPCG(seed, 10)), h), h)
	}
}

// A read, an unread write or a fence less never forbids more.
func TestOperationLess(t *testing.T) {
	seed := uint64(0)
	for h := range subjects(t) {
		seed++
		rng := rand.New(rand.NewPCG(seed, 11))
		if ids := superfluous(h); len(ids) > 0 {
			asksForMore(t, "an operation less", h, without(h, ids[rng.IntN(len(ids))]))
		}
	}
}

// With a full fence between any two operations of a thread all models with a
// global memory order are SC.
func TestSeparated(t *testing.T) {
	for h := range subjects(t) {
		want := auto(t, h, model.SC)
		s := separated(h)
		for _, m := range totals {
			if got := auto(t, s, m); got != want {
				t.Fatalf("%s: %v with fences everywhere, SC: %v\n%s", m.Name, got, want, text(s))
			}
		}
	}
}

// What is known about memory never allows more: that a run ended with some
// value, or that its writes reached memory in some order.
func TestKnowMore(t *testing.T) {
	seed := uint64(0)
	for h := range subjects(t) {
		seed++
		rng := rand.New(rand.NewPCG(seed, 12))
		bare := histgen.Clone(h)
		bare.Final, bare.StoreOrder = nil, nil
		known := histgen.Clone(bare)
		if seed%2 == 0 {
			histgen.AddFinal(rng, known)
		} else {
			histgen.AddStoreOrder(rng, known)
		}
		asksForMore(t, "final values or store order", known, bare)
	}
}

// With the store order and final values of a verdict's memory order known,
// every procedure that claims the model still allows the history.
func TestOwnOrder(t *testing.T) {
	count := tally{}
	for h := range subjects(t) {
		for _, m := range totals {
			v := decide(t, procedure(t, "auto"), h, m, 0)
			if v.Answer != check.Allowed || len(h.Ops) > scale.Of(20, 20, 40) {
				continue
			}
			known := histgen.Clone(h)
			known.StoreOrder = h.Writes(v.Order.Ops)
			known.Final = histgen.Final(h, v.Order.Ops)
			count.expect(t, known, m, check.Allowed, searchBound)
		}
	}
}
