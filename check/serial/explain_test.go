package serial

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	s := sequence(t, taskPool)
	v := execution(t, TSO, s)
	var out strings.Builder
	if err := Explain(&out, s, &v); err != nil {
		t.Fatal(err)
	}
	const want = `thread a                         thread b
                                 a: read task (b.2, event 10)
b: commit task (a.2, event 13)
                                 c: commit task (b.2, event 14)

Cycle:
  a.2 → b.2  b writes task before c writes it
  b.2 → a.2  a reads task before b writes it
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	robust := scEquivalent(t, s)
	if err := Explain(&out, s, &robust); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, " → ") != len(robust.Cycle) || !strings.Contains(text, "program order") {
		t.Errorf("the cycle of the write-contraction:\n%s", text)
	}
	out.Reset()
	if err := Explain(&out, s, &Verdict{Serializable: true}); err != nil || out.Len() > 0 {
		t.Errorf("of a serializable execution: %q, %v", out.String(), err)
	}
}
