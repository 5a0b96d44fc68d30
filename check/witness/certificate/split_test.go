package certificate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
)

// Evidence under POW names the events of the history as the model sees it, in a
// certificate and in an explanation; one about other events is refused.
func TestSplitEvidence(t *testing.T) {
	const allowed = "0: M[x] := 1\n1: M[x] == 1 @ 1:2\n1: M[y] := 1 @ 3:\n2: M[y] == 1 @ 1:2\n2: M[x] == 0 @ 3:\n"
	forbidden := strings.Replace(allowed, "1: M[y] := 1", "1: sync\n1: M[y] := 1", 1)
	for text, want := range map[string]check.Answer{allowed: check.Allowed, forbidden: check.Forbidden} {
		h := cases.Parse(text)
		v, err := check.Check(t.Context(), h, model.POW, check.Options{})
		if err != nil || v.Answer != want {
			t.Fatalf("%v, %v: want %v\n%s", v.Answer, err, want, text)
		}
		data, err := json.Marshal(certificate.New("t", h, []witness.Verdict{v}))
		if err != nil {
			t.Fatal(err)
		}
		verify := func() certificate.Result {
			var c certificate.Trace
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			results, err := c.Verify(h)
			if err != nil {
				t.Fatal(err)
			}
			return results[0]
		}
		if r := verify(); !r.Proved {
			t.Errorf("%s: %+v", want, r)
		}
		if want == check.Allowed {
			order := slices.Clone(v.Order.Ops)
			slices.Reverse(order)
			if witness.Check(h, model.POW, &witness.Verdict{Answer: check.Allowed, Order: &witness.Order{Ops: order}}) == nil {
				t.Error("the reverse of an order is accepted")
			}
			whole := &witness.Order{Ops: []parse.OpID{4, 0, 1, 2, 3}} // of the operations
			if witness.Check(h, model.POW, &witness.Verdict{Answer: check.Allowed, Order: whole}) == nil {
				t.Error("an order of operations is accepted")
			}
			continue
		}
		var out strings.Builder
		if err := check.Explain(&out, h, model.POW, &v); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "M[y] == 1 performed") || !strings.Contains(out.String(), "M[x] == 0\n") {
			t.Errorf("the explanation does not name performed and other events:\n%s", out.String())
		}
		refutation := witness.Rename(model.POW.View(h), v.Refutation, func(id parse.OpID) parse.OpID { return max(id-1, 0) })
		if witness.Verify(h, model.POW, refutation) == nil {
			t.Error("a refutation about other events is accepted")
		}
	}
}
