package journal

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// TestRewrite writes a journal of entries of another campaign directory: At
// does not decrease, new transitions are counted anew, a second rewrite that
// changes nothing leaves the file alone, and nothing changes before Commit.
func TestRewrite(t *testing.T) {
	c := parse(t, campaign)
	dir := t.TempDir()
	rewrite := func(commit bool, add func(a *Archive) []*Entry) os.FileInfo {
		t.Helper()
		w, err := Rewrite(dir)
		must.Succeed(t, err)
		if _, err := Rewrite(dir); err == nil {
			t.Error("the directory is not locked")
		}
		must.Succeed(t, w.Begin(c, &Header{Version: run.FormatVersion}))
		for _, e := range add(newArchive("elsewhere", c)) {
			if _, err := w.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		if commit {
			err = w.Commit()
		}
		must.Succeed(t, errors.Join(err, w.Close()))
		info, err := os.Stat(w.a.Path(RunsFile))
		must.Succeed(t, err)
		return info
	}
	entries := func(a *Archive) []*Entry {
		first, second := entry(a, 3, "B"), entry(a, 1, "A", "B")
		first.At, first.Covered.New = 5*time.Second, 9
		second.At, second.Covered.New = 2*time.Second, 9
		return []*Entry{first, second}
	}
	before := rewrite(true, entries)
	for name, after := range map[string]os.FileInfo{
		"an unchanged journal":     rewrite(true, entries),
		"a journal without Commit": rewrite(false, func(*Archive) []*Entry { return nil }),
	} {
		if !os.SameFile(before, after) {
			t.Errorf("%s is replaced", name)
		}
	}
	a, err := Open(dir)
	must.Succeed(t, err)
	type line struct {
		Number, New int
		At          time.Duration
		Dir         run.Dir
	}
	var got []line
	for e, err := range a.Entries() {
		must.Succeed(t, err)
		got = append(got, line{e.Number, e.Covered.New, e.At, e.Dir})
	}
	if diff := cmp.Diff([]line{{3, 1, 5 * time.Second, a.Run(3)}, {1, 1, 5 * time.Second, a.Run(1)}}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if after := rewrite(true, func(a *Archive) []*Entry { return entries(a)[:1] }); os.SameFile(before, after) {
		t.Error("a changed journal is not replaced")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
		t.Errorf("%v: %v, want campaign file, header and journal", err, list)
	}
}
