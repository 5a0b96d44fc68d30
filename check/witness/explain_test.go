package witness

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
)

// Each test of testdata/explain is a history and what Explain prints of its
// refutation: "explain model=tso". The refutations are the naive prover's.
func TestExplain(t *testing.T) {
	models := map[string]model.Model{}
	for _, m := range append(append(totals, closures...), weak...) {
		models[m.Name] = m
	}
	datadriven.Walk(t, "testdata/explain", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "explain" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			var name string
			d.ScanArgs(t, "model", &name)
			h := cases.Parse(d.Input)
			m := models[name]
			ref := newProver(nil, h, m).prove(m.Family == model.Total)
			if ref == nil {
				return fmt.Sprintf("allowed by %s\n", name)
			}
			var out bytes.Buffer
			if err := Explain(&out, h, m, ref); err != nil {
				d.Fatalf(t, "%v", err)
			}
			return out.String()
		})
	})
}
