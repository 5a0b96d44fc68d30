package witness

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// Inclusion is how a verdict follows from that of another model on the same
// history. The zero value says that it does not: the verdict has evidence of its
// own.
type Inclusion struct {
	// Model names the model whose evidence the verdict carries: for Allowed a
	// stronger one, for Forbidden a weaker one.
	Model string
	// Checked says that the checkers accept that evidence under the verdict's
	// model too, on this history: it is the Order or Refutation of the
	// verdict. Otherwise only
	// model.Implies says that it counts, and the verdict has no evidence.
	Checked bool
}

// Carry makes the verdict of model m of from, another model's verdict on h,
// whose evidence it shares: an order of a stronger model is one of m, and a
// refutation by a weaker model is one by m. That is not taken for granted: the
// evidence is checked again, under m. The result is false where from has no
// evidence or the checker does not accept it under m, as when the two models
// have different kinds of it; that says nothing about the verdict.
//
// Procedure and Stats are those of from. Where from was carried itself,
// Inclusion names the model that it comes from.
func Carry(h *parse.History, m model.Model, from *Verdict) (Verdict, bool) {
	if from.Answer == Unknown || from.Unproved != "" || Check(h, m, from) != nil {
		return Verdict{}, false
	}
	v := *from
	v.Model, v.Inclusion = m.Name, Inclusion{Model: from.Model, Checked: true}
	if from.Inclusion.Model != "" {
		v.Inclusion.Model = from.Inclusion.Model
	}
	return v, true
}
