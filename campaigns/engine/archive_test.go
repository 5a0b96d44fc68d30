package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
)

// TestArchive reads a campaign back, a run cut short among its lines, and
// wants the counts that the loop had.
func TestArchive(t *testing.T) {
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := Engine{Dir: filepath.Join(t.TempDir(), "out"), Command: []string{"ordeal"}}
	want, err := l.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, filepath.Join(l.Dir, journal.RunsFile), `{"number":3,`)
	a, err := journal.Open(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := summary.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	if got.Elapsed <= 0 || got.Elapsed > want.Elapsed {
		t.Errorf("elapsed %v, want at most %v", got.Elapsed, want.Elapsed)
	}
	ignore := cmpopts.IgnoreFields(summary.Summary{}, "Elapsed", "Simulator", "Argv0", "Rerun", "Started")
	if d := cmp.Diff(want, got, ignore, cmpopts.IgnoreUnexported(summary.Summary{})); d != "" {
		t.Errorf("read back (-run +read):\n%s", d)
	}
	var last *journal.Entry
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && e.At < last.At {
			t.Errorf("run %d ended at %v, after run %d at %v", e.Number, e.At, last.Number, last.At)
		}
		if _, err := a.Run(e.Number).Spec(); (err == nil) != e.Kept {
			t.Errorf("run %d: kept %v, but its record: %v", e.Number, e.Kept, err)
		}
		last = e
	}
	var told []int
	if _, err := summary.ReadEach(a, func(r *journal.Entry) error { told = append(told, r.Number); return nil }); err != nil || len(told) != want.Total().Runs {
		t.Errorf("told of the runs %v, %v", told, err)
	}
	if _, err := summary.ReadEach(a, func(*journal.Entry) error { return os.ErrClosed }); err != os.ErrClosed {
		t.Errorf("an error of whom it told: %v", err)
	}
	appendTo(t, filepath.Join(l.Dir, journal.RunsFile), "\n")
	if _, err := summary.Read(a); err == nil || !strings.Contains(err.Error(), "runs.jsonl:25") {
		t.Errorf("a line that is no JSON: %v", err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
