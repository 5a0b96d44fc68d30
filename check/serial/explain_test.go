package serial

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const wantContraction = `  a → c  program order: a before c
  c → f  c reads tail before f writes it
  b → d  program order: b before d
  d → e  d reads head before e writes it
`

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
	if _, cycle, _ := strings.Cut(out.String(), "Cycle:\n"); cycle != wantContraction {
		t.Errorf("the cycle of the write-contraction (-want +got):\n%s", cmp.Diff(wantContraction, cycle))
	}
	out.Reset()
	if err := Explain(&out, s, &Verdict{Serializable: true}); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("explanation of a serializable execution: %q", out.String())
	}
}
