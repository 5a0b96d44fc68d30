package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/sim"
)

// TestMark reads a journal in two parts, broken at every line, the second part
// knowing of the first only what a Mark is told, and wants the same runs as in
// one go.
func TestMark(t *testing.T) {
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := Engine{Dir: filepath.Join(t.TempDir(), "out")}
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	a, err := journal.Open(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	whole := readAfter(t, a, new(journal.Cursor), -1)
	if len(whole) != 24 {
		t.Fatalf("%d runs", len(whole))
	}
	for n := range len(whole) + 1 {
		first := new(journal.Cursor)
		got := readAfter(t, a, first, n)
		var numbers []int
		transitions := make(map[string]sim.Coverage)
		for _, e := range got {
			numbers = append(numbers, e.Number)
			transitions[e.ConfigName] = append(transitions[e.ConfigName], e.New...)
		}
		m := journal.CursorAt(first.Offset, numbers, transitions)
		if m.Lines != n {
			t.Errorf("%d lines before the mark, want %d", m.Lines, n)
		}
		got = append(got, readAfter(t, a, m, -1)...)
		if d := cmp.Diff(whole, got); d != "" {
			t.Fatalf("broken after %d lines (-whole +parts):\n%s", n, d)
		}
		if m.Lines != len(whole) {
			t.Errorf("%d lines read, want %d", m.Lines, len(whole))
		}
		// A run of the first part does not come again.
		for _, err := range a.EntriesAfter(journal.CursorAt(0, numbers, nil)) {
			if n > 0 && (err == nil || !strings.Contains(err.Error(), "missing")) {
				t.Fatalf("run %d comes twice: %v", numbers[0], err)
			}
			break
		}
	}
}

// readAfter reads at most n runs after a mark, or all where n is negative.
func readAfter(t *testing.T, a *journal.Archive, m *journal.Cursor, n int) []*journal.Entry {
	t.Helper()
	var list []*journal.Entry
	if n == 0 {
		return nil
	}
	for e, err := range a.EntriesAfter(m) {
		if err != nil {
			t.Fatal(err)
		}
		if list = append(list, e); len(list) == n {
			break
		}
	}
	return list
}
