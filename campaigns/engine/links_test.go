package engine

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// unfinished runs half of a campaign and leaves what a kill may leave, and
// corrupt lines, so that resuming it has everything to do: go on, repair the
// journal, move runs to quarantine.
func unfinished(t *testing.T) string {
	t.Helper()
	e, _ := newEngine(t, nil)
	_, err := e.Run(interruptAt(t, e, 14), parse(t, embeddedCampaign))
	must.Succeed(t, err)
	journalFile := filepath.Join(e.Dir, journal.RunsFile)
	text, err := os.ReadFile(journalFile)
	must.Succeed(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	lines[1] = lines[1][:30] + "\n"
	must.Succeed(t, os.WriteFile(journalFile, []byte(strings.Join(lines, "")), 0o600))
	leaveKilled(t, e.Dir)
	must.Succeed(t, os.MkdirAll(filepath.Join(e.Dir, journal.QuarantineDir), 0o700))
	must.Succeed(t, os.WriteFile(filepath.Join(e.Dir, journal.QuarantineDir, journal.LinesFile), nil, 0o600))
	for _, name := range []string{journal.SummaryText, journal.SummaryJSON, journal.AfterStopDir} {
		if _, err := os.Lstat(filepath.Join(e.Dir, name)); err != nil && name != journal.AfterStopDir {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return e.Dir
}

// TestResumeLinks puts a link out of the directory, and then a pipe, at the
// place of each file and directory of a campaign, and resumes it: nothing
// outside changes, and nothing waits for the pipe. Without -soak one place of four has
// a link, and another one of four a pipe.
func TestResumeLinks(t *testing.T) {
	from := unfinished(t)
	var names []string
	must.Succeed(t, filepath.WalkDir(from, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(from, path); rel != "." {
			names = append(names, rel)
		}
		return err
	}))
	// Those that resuming makes.
	names = append(names, journal.AfterStopDir, run.Name(14), run.Name(15), run.Name(14)+"/program.elf")
	for i, name := range kinds(names) {
		plants := []string{"link", "pipe"}
		if _, err := os.Lstat(filepath.Join(from, name)); err != nil {
			plants = append(plants, "dangling link")
		}
		for j, plant := range plants {
			if !*soak && (i+j)%4 != 0 {
				continue
			}
			dir, outside := filepath.Join(t.TempDir(), "received"), t.TempDir()
			must.Succeed(t, os.CopyFS(dir, os.DirFS(from)))
			place, target := filepath.Join(dir, name), filepath.Join(outside, "target")
			if plant == "link" {
				if err := os.Rename(place, target); err != nil {
					must.Succeed(t, os.WriteFile(target, []byte("precious"), 0o600))
				}
			}
			must.Succeed(t, os.RemoveAll(place))
			must.Succeed(t, os.MkdirAll(filepath.Dir(place), 0o700))
			if plant == "pipe" {
				must.Succeed(t, unix.Mkfifo(place, 0o600))
			} else {
				must.Succeed(t, os.Symlink(target, place))
			}
			before := snapshot(t, outside)
			// Only what waits for the pipe takes so long, however busy the machine is.
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			e, _ := newEngine(t, nil)
			e.Dir = dir
			_, _ = e.Resume(ctx) // it may fail, and must then say so
			if ctx.Err() != nil {
				t.Errorf("a %s at %s: it waits", plant, name)
			}
			cancel()
			if diff := cmp.Diff(before, snapshot(t, outside)); diff != "" {
				t.Errorf("a %s at %s: outside the directory (-before +after):\n%s", plant, name, diff)
			}
		}
	}
}

// kinds keeps one name of each kind: a run directory is like another.
func kinds(names []string) []string {
	byKind := make(map[string]string)
	for _, name := range names {
		kind := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '0'
			}
			return r
		}, name)
		byKind[kind] = name
	}
	return slices.Sorted(maps.Values(byKind))
}

// snapshot is the content of every file below a directory.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	must.Succeed(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path] = "directory"
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	}))
	return all
}
