package check

import (
	"context"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Classification places a history in the lattice of models.
type Classification struct {
	// Verdicts are those of the models, in the order of model.All; before
	// them, of a history with times, that of model.Linearizable. Each has
	// evidence of its own or, by its Inclusion, that of another one.
	Verdicts []Verdict
	// Strongest names the models that allow the history and are implied by
	// no other one that does; Weakest those that forbid it and imply no
	// other one that does; Open those that are Unknown.
	Strongest, Weakest, Open []string
	_                        struct{}
}

// Classify decides a history under the models that the procedure supports. A
// history that a model allows is allowed by all that it implies, and one that it
// forbids is forbidden by all that imply it: such a verdict carries the evidence
// of the other one where the checkers accept it (witness.Carry), and is decided
// like the rest where they do not. If that ends in Unknown, by a budget or an
// incomplete procedure, the verdict rests on model.Implies alone and its Inclusion
// is not checked.
func Classify(ctx context.Context, h *parse.History, opt Options) (Classification, error) {
	models := model.All()
	if h.Times != nil {
		models = slices.Insert(models, 0, model.Linearizable)
	}
	models = slices.DeleteFunc(models, func(m model.Model) bool {
		p, ok := Procedure(opt.Procedure)
		return ok && !p.Supports(m)
	})
	// The weakest models are cheap and settle most forbidden histories, so
	// models are taken from both ends.
	order := make([]int, len(models))
	for k := range order {
		order[k] = k / 2
		if k%2 == 1 {
			order[k] = len(models) - 1 - k/2
		}
	}
	verdicts, err := decideAll(ctx, h, models, order, opt)
	c := Classification{Verdicts: verdicts}
	if err != nil {
		return c, err
	}
	c.place(models)
	return c, nil
}

// Several is Check under each of some models. Where the order found under one model
// is accepted under a weaker one, which is most often, there is no second search.
func Several(ctx context.Context, h *parse.History, models []model.Model, opt Options) ([]Verdict, error) {
	order := make([]int, len(models))
	implied := make([]int, len(models)) // how many of the others a model implies
	for i, m := range models {
		order[i] = i
		for _, other := range models {
			if model.Implies(m, other) {
				implied[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return implied[j] - implied[i] })
	return decideAll(ctx, h, models, order, opt)
}

// decideAll decides under models, which it takes in an order.
func decideAll(ctx context.Context, h *parse.History, models []model.Model, order []int, opt Options) ([]Verdict, error) {
	verdicts := make([]Verdict, len(models))
	for _, i := range order {
		v, err := decide(ctx, h, models, verdicts, i, opt)
		if err != nil {
			return verdicts, err
		}
		verdicts[i] = v
	}
	return verdicts, nil
}

// decide decides under one model, given the verdicts already there.
func decide(ctx context.Context, h *parse.History, models []model.Model, verdicts []Verdict, i int, opt Options) (Verdict, error) {
	implied := Verdict{}
	for j := range verdicts {
		from := &verdicts[j]
		if (from.Answer != Allowed || !model.Implies(models[j], models[i])) &&
			(from.Answer != Forbidden || !model.Implies(models[i], models[j])) {
			continue
		}
		if v, ok := carry(h, models[i], from); ok {
			return v, nil
		}
		implied = Verdict{Answer: from.Answer, Model: models[i].Name, Procedure: from.Procedure, Unproved: from.Unproved,
			Inclusion: witness.Inclusion{Model: from.Model}}
	}
	v, err := Check(ctx, h, models[i], opt)
	switch {
	case err != nil || implied.Answer == Unknown || v.Answer == implied.Answer:
		return v, err
	case v.Answer == Unknown:
		implied.Stats = v.Stats
		return implied, nil
	default:
		return v, fmt.Errorf("check %s: internal error: %v by procedure %s, %v because %s is", v.Model, v.Answer, v.Procedure,
			implied.Answer, implied.Inclusion.Model)
	}
}

func (c *Classification) place(models []model.Model) {
	none := func(answer Answer, implies func(j int) bool) bool {
		for j := range models {
			if c.Verdicts[j].Answer == answer && implies(j) {
				return false
			}
		}
		return true
	}
	for i, m := range models {
		switch c.Verdicts[i].Answer {
		case Allowed:
			if none(Allowed, func(j int) bool { return j != i && model.Implies(models[j], m) }) {
				c.Strongest = append(c.Strongest, m.Name)
			}
		case Forbidden:
			if none(Forbidden, func(j int) bool { return j != i && model.Implies(m, models[j]) }) {
				c.Weakest = append(c.Weakest, m.Name)
			}
		default:
			c.Open = append(c.Open, m.Name)
		}
	}
}
