package rundir

import (
	"io"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Explain prints for people why model m forbids history h, on the operations
// that matter alone. It prints nothing for other answers.
func Explain(w io.Writer, h *parse.History, m model.Model, v *check.Verdict) error {
	if v.Answer != check.Forbidden || v.Refutation == nil {
		return nil
	}
	small, refutation, _ := witness.Restrict(h, v.Refutation)
	return witness.Explain(w, small, m, refutation)
}
