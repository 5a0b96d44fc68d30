package suite_test

import (
	"context"
	"testing"
	"time"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// With too little memory or time a procedure says so: it is never wrong, and
// never without evidence. The histories need a search, and the second one a
// proof by case splits.
func TestBudgets(t *testing.T) {
	for _, forbid := range []bool{false, true} {
		h, _ := histgen.Kernel{Pairs: 2, Conflicts: 2, Forbid: forbid}.History()
		for _, p := range check.Procedures() {
			if !p.Supports(model.SC) {
				continue
			}
			for bytes := int64(16); bytes < 1<<22; bytes *= 2 {
				within(t, h, check.Options{Procedure: p.Name, MemoryBytes: bytes}, !forbid)
			}
			for timeout := time.Nanosecond; timeout < 4*time.Millisecond; timeout *= 4 {
				within(t, h, check.Options{Procedure: p.Name, Timeout: timeout}, !forbid)
			}
		}
	}
}

func within(t *testing.T, h *parse.History, o check.Options, allowed bool) {
	t.Helper()
	v, err := check.Check(context.Background(), h, model.SC, o)
	if err != nil {
		t.Errorf("%+v: %v", o, err)
	}
	switch v.Answer {
	case answer(allowed):
	case check.Unknown:
		if v.Reason == "" {
			t.Errorf("%+v: unknown without a reason", o)
		}
	default:
		t.Errorf("%+v: %v, want %v", o, v.Answer, answer(allowed))
	}
}
