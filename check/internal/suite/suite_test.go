// Package suite tests the checker as a whole: every procedure that package
// check registers, under every model it claims, against brute force, against
// each other, against stated verdicts and against changed copies of itself.
//
// The ordinary run is of samples; with -soak
// nothing is left out of the bounds. Only exponential procedures get a timeout,
// and their Unknown is accepted: no test depends on the speed of the machine.
package suite_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// totals are the models with a global memory order, strongest first.
var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

// closures are the closures that saturation computes, of the first totals.
var closures = []model.Model{model.WSC, model.WTSO, model.WPSO}

// models are all that the default pipeline decides.
var models = slices.DeleteFunc(model.All(), func(m model.Model) bool {
	p, ok := check.Procedure("auto")
	return !ok || !p.Supports(m)
})

// text is a history in the notation of package axe.
func text(h *parse.History) string {
	var b strings.Builder
	if err := axe.Write(&b, h); err != nil {
		return err.Error()
	}
	for x, writes := range h.StoreOrder {
		b.WriteString("\n# store order of M[" + h.Locations[x] + "]:")
		for _, w := range writes {
			b.WriteString(" ")
			b.Write(axe.AppendOp(nil, h, w))
		}
	}
	return b.String()
}

// decide runs one procedure by way of check.Check, which verifies the evidence.
// A complete procedure may answer Unknown only for lack of time, and only if it
// was given a timeout.
func decide(t testing.TB, p search.Procedure, h *parse.History, m model.Model, timeout time.Duration) check.Verdict {
	t.Helper()
	v, err := check.Check(context.Background(), h, m, check.Options{Procedure: p.Name, Timeout: timeout})
	if err != nil {
		t.Fatalf("%v\n%s", err, text(h))
	}
	if v.Answer == check.Unknown {
		late := timeout > 0 && strings.Contains(v.Reason, "budget")
		if v.Reason == "" || p.Complete && !late {
			t.Fatalf("%s by %s: unknown, reason %q\n%s", m.Name, p.Name, v.Reason, text(h))
		}
	}
	return v
}

// answer is the answer for allowed.
func answer(allowed bool) check.Answer {
	if allowed {
		return check.Allowed
	}
	return check.Forbidden
}

// tally counts by procedure and model how many histories were checked and how
// many decided.
type tally map[string]*[2]int

// expect runs every procedure that claims m on h, and compares the answers
// that are not Unknown with want.
func (c tally) expect(t testing.TB, h *parse.History, m model.Model, want check.Answer, timeout time.Duration) {
	t.Helper()
	for _, p := range check.Procedures() {
		if !p.Supports(m) || cubic[p.Name] && len(h.Ops) > cubicOps {
			continue
		}
		v := decide(t, p, h, m, timeout)
		key := p.Name + " " + m.Name
		n := c[key]
		if n == nil {
			n = new([2]int)
			c[key] = n
		}
		n[0]++
		if v.Answer == check.Unknown {
			continue
		}
		n[1]++
		if v.Answer != want {
			t.Fatalf("%s by %s: %v, want %v\n%s", m.Name, p.Name, v.Answer, want, text(h))
		}
	}
}

// complete checks that each procedure decided something under each model that
// it claims: one that always answers Unknown contradicts none.
func (c tally) complete(t testing.TB) {
	t.Helper()
	for _, p := range check.Procedures() {
		for _, m := range models {
			key := p.Name + " " + m.Name
			if n := c[key]; p.Supports(m) && (n == nil || n[1] == 0) {
				t.Errorf("%s: decided nothing", key)
			}
		}
	}
}

// procedure is the procedure of a name; "auto" is the default pipeline, which
// decides under every model.
func procedure(t testing.TB, name string) search.Procedure {
	t.Helper()
	p, ok := check.Procedure(name)
	if !ok {
		t.Fatal("no procedure is named " + name)
	}
	return p
}

// auto is the default pipeline's answer.
func auto(t testing.TB, h *parse.History, m model.Model) check.Answer {
	t.Helper()
	return decide(t, procedure(t, "auto"), h, m, 0).Answer
}

// bruteAnswer is the answer of the brute-force oracle.
func bruteAnswer(h *parse.History, m model.Model) check.Answer { return answer(brute.Allowed(h, m)) }

// searchBound is what an exponential procedure may take on one history that is
// not small: the answer of one that needs more is not compared.
const searchBound = 50 * time.Millisecond

// cubic procedures write down a formula of cubic size before they look at the
// clock: they are asked about histories of up to cubicOps operations.
var cubic = map[string]bool{"sat-full": true, "x-sat": true, "wsc+sat": true, "ccm+sat": true}

const cubicOps = 120
