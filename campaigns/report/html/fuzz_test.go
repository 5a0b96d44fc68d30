package html

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// FuzzReport reports what a journal, a header and a kill matrix from others
// say: there is an error, or a page that is safe.
func FuzzReport(f *testing.F) {
	line := func(e *journal.Entry) []byte {
		text, err := json.Marshal(e)
		must.Succeed(f, err)
		return append(text, '\n')
	}
	head := `{"version":1,"seed":1,"command":["ordeal"],"tools":{"go":"1"},"started":"2026-01-02T03:04:05Z","end":"complete"}`
	passed := line(entry("a", 0, nil))
	failed := line(entry("a", 0, func(e *journal.Entry) {
		fails(sim.Crash, "<b>boom</b>")(e)
		e.New, e.Counts = sim.Coverage{{Row: sim.Row{Machine: "M", State: "S", Event: "E"}}, {Row: sim.Row{Machine: "M", State: "T", Event: "E"}}}, []uint64{7}
		e.Covered, e.At = &run.Covered{Taken: 1}, 5*time.Hour
	}))
	matrix, err := os.ReadFile(filepath.Join("testdata", "matrix.json"))
	must.Succeed(f, err)
	f.Add(passed, []byte(head), matrix[:1200])
	f.Add(append(passed, bytes.Replace(failed, []byte(`"number":0,`), []byte(`"number":2,`), 1)...), []byte(head), []byte("{}\n"))
	f.Add(failed, []byte(`{"spent_ns":-5}`), []byte(`[{"seeds":[{"ops":-1},{"ops":1000000000000000000,"killed":true}]}]`))
	f.Fuzz(func(t *testing.T, lines, head, matrix []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"campaign.yaml": []byte(twoConfigs), "campaign.json": head, "runs.jsonl": lines, "matrix.json": matrix} {
			must.Succeed(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		}
		a, err := journal.Open(dir)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if Write(context.Background(), &out, a, Options{}) != nil {
			return
		}
		all := parsePage(t, out.String())
		checkSafe(t, out.String(), all)
		checkAccess(t, all)
	})
}
