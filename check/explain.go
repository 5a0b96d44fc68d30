package check

import (
	"io"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Explain prints why model m forbids history h, restricted to the operations
// of the refutation. It prints nothing for other answers.
func Explain(w io.Writer, h *parse.History, m model.Model, v *Verdict) error {
	if v.Answer != Forbidden || v.Refutation == nil {
		return nil
	}
	small, refutation, _ := witness.Restrict(h, v.Refutation)
	return witness.Explain(w, small, m, refutation)
}
