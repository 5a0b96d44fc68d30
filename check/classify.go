package check

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// Classification places a history in the lattice of models.
type Classification struct {
	// Verdicts are those of the models, in the order of model.All. The
	// procedure of a verdict that follows from another one is ImpliedBy and
	// the name of the other one's model.
	Verdicts []Verdict
	// Strongest names the models that allow the history and are implied by
	// no other one that does; Weakest those that forbid it and imply no
	// other one that does; Open those that are Unknown.
	Strongest, Weakest, Open []string
	_                        struct{}
}

// ImpliedBy begins the procedure of a verdict that follows from another.
const ImpliedBy = "implied by "

// Classify decides a history under the models that the procedure supports, each
// only if it does not follow from earlier verdicts: a history that a model allows
// is allowed by all that it implies, and one that it forbids is forbidden by all
// that imply it.
func Classify(ctx context.Context, h *parse.History, opt Options) (Classification, error) {
	models := slices.DeleteFunc(model.All(), func(m model.Model) bool {
		p, ok := Procedure(opt.Procedure)
		return ok && !p.Supports(m)
	})
	c := Classification{Verdicts: make([]Verdict, len(models))}
	// The weakest models are cheap and settle most forbidden histories, so
	// models are taken from both ends.
	for k := range models {
		i := k / 2
		if k%2 == 1 {
			i = len(models) - 1 - k/2
		}
		if v, ok := c.follows(models, i); ok {
			c.Verdicts[i] = v
			continue
		}
		v, err := Check(ctx, h, models[i], opt)
		if err != nil {
			return c, err
		}
		c.Verdicts[i] = v
	}
	c.place(models)
	return c, nil
}

// follows derives the verdict of a model from those already there.
func (c *Classification) follows(models []model.Model, i int) (Verdict, bool) {
	for j, v := range c.Verdicts {
		if v.Answer == Allowed && model.Implies(models[j], models[i]) ||
			v.Answer == Forbidden && model.Implies(models[i], models[j]) {
			return Verdict{Answer: v.Answer, Model: models[i].Name, Procedure: ImpliedBy + v.Model}, true
		}
	}
	return Verdict{}, false
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
