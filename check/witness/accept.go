package witness

import (
	"errors"

	"ordeal/check/model"
	"ordeal/parse"
)

// Check checks the evidence of a verdict for model m on history h, whatever its
// kind. A nil error means that the answer is proved; Unknown, and Forbidden with
// Unproved, claim no proof and need none. It does not look at Verdict.Model.
// Attributes and dependencies that the model does not know do not count.
func Check(h *parse.History, m model.Model, v *Verdict) error {
	h = m.View(h)
	switch {
	case v.Answer == Allowed && v.Closure != nil:
		return CheckClosure(h, m, v.Closure)
	case v.Answer == Allowed && v.Order != nil:
		return checkOrder(h, m, v.Order)
	case v.Answer == Allowed:
		return errors.New("there is none")
	case v.Answer == Forbidden && v.Unproved == "":
		return Verify(h, m, v.Refutation)
	default:
		return nil
	}
}

// checkOrder checks an order in the sense that the model gives it.
func checkOrder(h *parse.History, m model.Model, order *Order) error {
	switch m.Name {
	case model.CC.Name, model.CCv.Name, model.CM.Name:
		return ReplayCausal(h, m, order)
	default:
		return Replay(h, m, order)
	}
}
