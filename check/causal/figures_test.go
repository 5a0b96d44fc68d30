package causal_test

import (
	"strings"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/witness"
)

// The papers' histories, with the models that allow them.
func TestFigures(t *testing.T) {
	for _, tc := range []struct {
		name, history string
		allowed       string
	}{
		// CAV 2019, Fig. 1, restored from the text.
		{"Fig. 1a", "x=1 x?2 | x=2 x?1", "cc cm"},
		{"Fig. 1b", "z=1 x=1 y=1 | x=2 z?0 y?1 x?2", "cc ccv wccm tso"},
		{"Fig. 1c", "x=1 x=2 y?1 | y=1 y=2 x?1", "cc ccv cm wccm tso"},
		{"Fig. 1d", "x=1 y?0 y=1 x?1 | x=2 y?0 y=2 x?2", "cc ccv cm ccm wccm tso"},
		// The definition trap: read literally, CAV 2019's CC forbids store
		// buffering, of which everybody says that causal consistency allows it.
		{"store buffering", "x=1 y?0 | y=1 x?0", "cc ccv cm wccm tso"},
		// And the other: CAV 2019 says that CCM and wCCM allow Fig. 3, but by
		// their definitions they do not.
		{"Fig. 3 (IRIW)", "x=1 | y=1 | x?1 y?0 | y?1 x?0", "cc ccv cm"},
		// rw[pww] rests on cf[hb]: x=1 cf x=2 and y=1 cf y=2, as in Fig. 1c.
		{"rw over cf", "x=1 a=1 | a?1 x?2 | x=2 y?1 | y=1 b=1 | b?1 y?2 | y=2 x?1", "cc ccv cm wccm tso"},
		// The same where x=1 cf x=2 needs what a thread other than the
		// reader's infers: p=1 before p=2.
		{"rw over cf[hb]", "x=1 p=1 q=1 | q?1 p?2 | p=2 | p?2 x?2 | x=2 y?1 | " +
			"y=1 r=1 s=1 | s?1 r?2 | r=2 | r?2 y?2 | y=2 x?1", "cc ccv cm wccm tso"},
		// POPL 2017's bad patterns one by one.
		{"CyclicCO", "x?1 y=1 | y?1 x=1", ""},
		{"ThinAirRead", "x?1 x=1", "wccm"},
		{"WriteCOInitRead", "x=1 y=1 | y?1 x?0", ""},
		{"WriteCORead", "x=1 x=2 y=1 | y?1 x?1", ""},
		{"CyclicCF", "x=1 x?2 | x=2 x?1", "cc cm"},
		{"WriteHBInitRead", "z=1 x=1 y=1 | x=2 z?0 y?1 x?2", "cc ccv wccm tso"},
	} {
		h := cases.Compact(tc.history)
		var got []string
		for _, m := range models {
			if decide(t, h, m).Answer == witness.Allowed {
				got = append(got, m.Name)
			}
		}
		for _, m := range []model.Model{model.SC, model.TSO} {
			if decide(t, h, m).Answer == witness.Allowed {
				got = append(got, m.Name)
			}
		}
		if got := strings.Join(got, " "); got != tc.allowed {
			t.Errorf("%s: allowed by %s, want %s", tc.name, got, tc.allowed)
		}
		agree(t, h)
	}
}
