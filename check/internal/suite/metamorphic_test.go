package suite_test

import (
	"context"
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

// subject is a history with its answers under all models, which the tests share.
type subject struct {
	history *parse.History
	answers map[string]check.Answer // by model; nil until a test asks for them
}

func (s *subject) verdicts(t *testing.T) map[string]check.Answer {
	t.Helper()
	if s.answers == nil {
		s.answers = verdicts(t, s.history)
	}
	return s.answers
}

// subjects are the named cases, small members of the families, and histories
// at random. No test changes them.
func subjects(t *testing.T) []*subject {
	t.Helper()
	if allSubjects != nil {
		return allSubjects
	}
	add := func(h *parse.History) { allSubjects = append(allSubjects, &subject{history: h}) }
	for _, c := range named(t) {
		add(c.History)
	}
	for _, f := range families() {
		if len(f.history.Ops) <= 60 {
			add(f.history)
		}
	}
	for seed := range scale.Of[uint64](100, 100, 50_000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		h := draw(rng, 6, 30)
		if seed%10 == 0 {
			h = draw(rng, 40, 120)
		}
		add(h)
	}
	return allSubjects
}

var allSubjects []*subject

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
	for _, s := range subjects(t) {
		h, v := s.history, s.verdicts(t)
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
	for i, s := range subjects(t) {
		h, rng := s.history, rand.New(rand.NewPCG(uint64(i)+1, 9))
		other := renamed(rng, permuted(rng, h))
		if err := other.Validate(); err != nil {
			t.Fatal(err)
		}
		was, is := s.verdicts(t), verdicts(t, other)
		for _, m := range models {
			if was[m.Name] != is[m.Name] {
				t.Fatalf("%s: %v before and %v after renaming:\n%s\n%s", m.Name, was[m.Name], is[m.Name], text(h), text(other))
			}
		}
	}
}

// asksForMore reports a model that allows the stronger of two histories and
// forbids the weaker one.
func asksForMore(t *testing.T, what string, strong, weak *subject) {
	t.Helper()
	if err := strong.history.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := weak.history.Validate(); err != nil {
		t.Fatal(err)
	}
	s, w := strong.verdicts(t), weak.verdicts(t)
	for _, m := range models {
		if s[m.Name] == check.Allowed && w[m.Name] == check.Forbidden {
			t.Fatalf("%s: %s: allows\n%sand forbids\n%s", m.Name, what, text(strong.history), text(weak.history))
		}
	}
}

// A fence more never allows more.
func TestFenceMore(t *testing.T) {
	for i, s := range subjects(t) {
		rng := rand.New(rand.NewPCG(uint64(i)+1, 10))
		asksForMore(t, "fence", &subject{history: fenced(rng, s.history)}, s)
	}
}

// A read, an unread write or a fence less never forbids more.
func TestOperationLess(t *testing.T) {
	for i, s := range subjects(t) {
		rng := rand.New(rand.NewPCG(uint64(i)+1, 11))
		if ids := superfluous(s.history); len(ids) > 0 {
			less := without(s.history, ids[rng.IntN(len(ids))])
			asksForMore(t, "an operation less", s, &subject{history: less})
		}
	}
}

// With a full fence between any two operations of a thread all models with a
// global memory order are SC.
func TestSeparated(t *testing.T) {
	for _, s := range subjects(t) {
		want := s.verdicts(t)[model.SC.Name]
		h := separated(s.history)
		for _, m := range totals {
			if got := auto(t, h, m); got != want {
				t.Fatalf("%s: %v with fences everywhere, SC: %v\n%s", m.Name, got, want, text(h))
			}
		}
	}
}

// What is known about memory never allows more: that a run ended with some
// value, or that its writes reached memory in some order.
func TestKnowMore(t *testing.T) {
	for i, bare := range subjects(t) {
		rng := rand.New(rand.NewPCG(uint64(i)+1, 12))
		if h := bare.history; h.Final != nil || h.StoreOrder != nil {
			bare = &subject{history: histgen.Clone(h)}
			bare.history.Final, bare.history.StoreOrder = nil, nil
		}
		known := histgen.Clone(bare.history)
		if i%2 == 1 {
			histgen.AddFinal(rng, known)
		} else {
			histgen.AddStoreOrder(rng, known)
		}
		asksForMore(t, "final values or store order", &subject{history: known}, bare)
	}
}

// With the store order and final values of a verdict's memory order known,
// every procedure that claims the model still allows the history.
func TestOwnOrder(t *testing.T) {
	count := tally{}
	for _, s := range subjects(t) {
		h := s.history
		if len(h.Ops) > scale.Of(20, 20, 40) {
			continue
		}
		for _, m := range totals {
			if s.verdicts(t)[m.Name] != check.Allowed {
				continue
			}
			v := decide(t, procedure(t, "auto"), h, m, 0)
			known := histgen.Clone(h)
			known.StoreOrder = h.Writes(v.Order.Ops)
			known.Final = histgen.Final(h, v.Order.Ops)
			count.expect(t, known, m, check.Allowed, searchBound)
		}
	}
}
