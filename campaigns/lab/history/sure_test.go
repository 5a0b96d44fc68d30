package history

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// edited is our MI with an edit of its cache controller.
func edited(t *testing.T, pattern, to string) *version {
	t.Helper()
	dir := t.TempDir()
	must.Succeed(t, os.CopyFS(dir, os.DirFS("../../../sim/protocols/slicc")))
	file := filepath.Join(dir, "MI_example-cache.sm")
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	after := regexp.MustCompile(pattern).ReplaceAllString(string(text), to)
	if after == string(text) {
		t.Fatalf("nothing is %s", pattern)
	}
	must.Succeed(t, os.WriteFile(file, []byte(after), 0o600))
	return &version{protocol: "MI_example", root: filepath.Join(dir, "MI_example.slicc")}
}

// TestOutlasts has a missing row that a run needs early, one that the same run needs late, and that under another name: what
// fails late is not hidden by what fails early in the other version, and what is renamed fails at the same event.
func TestOutlasts(t *testing.T) {
	const row = `(?s)  transition\(%s\) \{.*?\n  \}\n`
	early := edited(t, strings.ReplaceAll(row, "%s", "IM, Data, M"), "")
	late := edited(t, strings.ReplaceAll(row, "%s", `\{IS, IM\}, Fwd_GETX`), "")
	renamed := edited(t, strings.ReplaceAll(row, "%s", `\{IS, IM\}, Fwd_GETX`), "")
	file := filepath.Join(filepath.Dir(renamed.root), "MI_example-cache.sm")
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	must.Succeed(t, os.WriteFile(file, regexp.MustCompile(`\bIM\b`).ReplaceAll(text, []byte("IMX")), 0o600))
	// The store of thread 0 gets its data long before there is another access.
	program := "ordeal-program 1\nlayout packed\nlocations x y\nthread 0\nstore x 1\n"
	for i := range 16 {
		if i == 8 {
			program += "thread 1\n" + strings.Repeat("delay 30\n", 4)
		}
		program += fmt.Sprintf("load x\nstore y %d\n", i+2)
	}
	finding := func(v *version) *audit.Finding {
		f := &audit.Finding{Machine: config.Machine{SLICC: v.root, Core: "inorder", Latency: 4, MemoryLatency: 20, Jitter: 10}, Program: program, Rounds: 3, Seed: 1}
		must.Succeed(t, audit.Repeat(t.Context(), f.Machine, nil, f, func(res *run.Evaluation, _ uint64) bool {
			if res.Failed() {
				f.Title, f.Failure, f.Outcome = res.FindingTitle(), res.Failure.Failure, res.Outcome.String()
			}
			return !res.Failed()
		}))
		return f
	}
	for _, c := range []struct {
		about       string
		before, now *version
		title       string
		want        bool
	}{
		{"what fails later is hidden", late, early, "(IM, Data)", true},
		{"what fails earlier hides", early, late, "Fwd_GETX)", false},
		{"a new name", late, renamed, "Fwd_GETX)", false},
	} {
		f := finding(c.now)
		if !strings.Contains(f.Title, c.title) {
			t.Fatalf("%s: finding %q", c.about, f.Title)
		}
		got, err := outlasts(t.Context(), []*version{c.before}, c.now, f)
		must.Succeed(t, err)
		if got != c.want {
			t.Errorf("%s: %v", c.about, got)
		}
	}
}
