package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// times are the members of records that differ from one audit to the next.
var times = regexp.MustCompile(`,"(at_ns|elapsed_ns|cpu_ns|search_ns|evidence_ns|crc32c)":("[0-9a-f]+"|[0-9]+)`)

var soak = flag.Bool("soak", false, "kills after every run, not a sample")

// recorded is what the journal of an audit says, without times.
func recorded(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, journal.RunsFile))
	must.Succeed(t, err)
	return string(times.ReplaceAll(text, nil))
}

// campaign runs or resumes an audit in a directory. It returns the report as JSON, without times.
func campaign(t *testing.T, c *config.Campaign, dir string, resume bool) (string, *summary.Summary) {
	t.Helper()
	var s *Schedule
	e := engine.Engine{Dir: dir, Schedule: func(c *config.Campaign) (engine.Schedule, error) {
		var err error
		s, err = NewSchedule(c, nil)
		return s, err
	}}
	run := func() (*summary.Summary, error) { return e.Run(t.Context(), c) }
	if resume {
		run = func() (*summary.Summary, error) { return e.Resume(t.Context()) }
	}
	sum, err := run()
	must.Succeed(t, err)
	r, err := s.Report(sum)
	must.Succeed(t, err)
	text, err := json.Marshal(r)
	must.Succeed(t, err)
	return strings.ReplaceAll(string(times.ReplaceAll(text, nil)), dir, "DIR"), sum
}

// TestResumed cuts the journal of an audit after each of its runs, as a kill does, and requires that a
// resumed audit ends with the same journal and the same report.
func TestResumed(t *testing.T) {
	path := mutant(t, "mi", store)
	o := Options{Machine: config.Machine{SLICC: path}, Seed: 3, Steps: 1_000_000}
	c, dir := Campaign(o), filepath.Join(t.TempDir(), "whole")
	want, sum := campaign(t, c, dir, false)
	journalled := recorded(t, dir)
	if len(sum.Findings) == 0 || !slices.ContainsFunc(sum.Findings, func(f summary.Finding) bool { return len(f.Configs) > 1 }) {
		t.Fatalf("findings %+v: want one of several engines", sum.Findings)
	}
	whole, err := os.ReadFile(filepath.Join(dir, journal.RunsFile))
	must.Succeed(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	for n := range lines {
		if n%27 != 0 && !*soak {
			continue
		}
		part := filepath.Join(t.TempDir(), "part")
		must.Succeed(t, os.CopyFS(part, os.DirFS(dir)))
		cut := slices.Concat(slices.Concat(lines[:n]...), lines[n][:len(lines[n])/2])
		must.Succeed(t, os.WriteFile(filepath.Join(part, journal.RunsFile), cut, 0o666))
		header, err := os.ReadFile(filepath.Join(part, journal.HeaderFile))
		must.Succeed(t, err)
		header = bytes.Replace(header, []byte(`"end": "complete"`), []byte(`"end": ""`), 1)
		must.Succeed(t, os.WriteFile(filepath.Join(part, journal.HeaderFile), header, 0o666))
		got, _ := campaign(t, c, part, true)
		if again := recorded(t, part); again != journalled {
			t.Fatalf("killed after %d runs: journal (-want +got):\n%s", n, cmp.Diff(strings.Split(journalled, "\n"), strings.Split(again, "\n")))
		}
		if got != want {
			t.Fatalf("killed after %d runs: report (-want +got):\n%s", n, cmp.Diff(strings.Split(want, ","), strings.Split(got, ",")))
		}
	}
}

// TestAsInMemory requires that an audit that is recorded finds what one in memory does.
func TestAsInMemory(t *testing.T) {
	o := Options{Machine: config.Machine{SLICC: mutant(t, "mi", store)}, Seed: 3, Steps: 1_000_000}
	_, sum := campaign(t, Campaign(o), filepath.Join(t.TempDir(), "dir"), false)
	r, err := Run(t.Context(), o)
	must.Succeed(t, err)
	if len(r.Findings) != len(sum.Findings) {
		t.Fatalf("%d findings in memory, %d recorded", len(r.Findings), len(sum.Findings))
	}
	if total := sum.Total().Operations; r.Operations != uint64(total) || total == 0 {
		t.Errorf("the report says %d operations, the summary %d", r.Operations, total)
	}
	for i, f := range r.Findings {
		if got := sum.Findings[i]; got.Title != f.Title || got.Outcome.String() != f.Outcome || got.Runs != f.Count || !slices.Equal(got.Needs, f.Needs) || !slices.Equal(got.Conditions, f.Conditions) {
			t.Errorf("finding %d is recorded as %+v, in memory it is %+v", i+1, got, *f)
		}
	}
}
