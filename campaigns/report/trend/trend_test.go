package trend

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

const file = `
name: NAME
sim: builtin
configs:
  - {name: mi, runs: 5, protocol: mi}
  - {name: mi-small, runs: 5, protocol: mi}
  - {name: canary, runs: 5, protocol: mi, mutant: "MI_example/L1Cache/(M,Load)/delete", bug: {about: x}}
  - {name: control, runs: 5, protocol: mi, bug: {about: x, equivalent: y}}
`

// night writes the directory of a campaign of a day, with its summary.
func night(t *testing.T, dir, name string, day int, s *summary.Summary) {
	t.Helper()
	at := filepath.Join(dir, name+"-"+string(rune('0'+day)))
	must.Succeed(t, os.MkdirAll(at, 0o755))
	write := func(file string, v any) {
		text, err := json.Marshal(v)
		must.Succeed(t, err)
		must.Succeed(t, os.WriteFile(filepath.Join(at, file), text, 0o644))
	}
	must.Succeed(t, os.WriteFile(filepath.Join(at, journal.CampaignFile), []byte(strings.Replace(file, "NAME", name, 1)), 0o644))
	write(journal.HeaderFile, &journal.Header{Version: 1, Started: time.Date(2026, 11, day, 1, 0, 0, 0, time.UTC), End: journal.EndComplete})
	s.Campaign, s.Planned, s.Recorded = name, 20, 10*time.Second
	write(journal.SummaryJSON, s)
}

// rows are those of a campaign: what the first two covered of a table of four
// transitions, and the status of the canary.
func rows(mi, small string, canary summary.Status) []summary.Row {
	table := func(taken string) (c sim.Coverage) {
		for _, event := range "ABCD" {
			n := strings.Count(taken, string(event))
			c = append(c, sim.Transition{Row: sim.Row{Machine: "M", State: "S", Event: string(event)}, Count: uint64(n)})
		}
		return c
	}
	row := func(name string, operations int, c sim.Coverage, k *summary.Canary) summary.Row {
		return summary.Row{Config: name, Runs: 5, Operations: operations, Coverage: c, Whole: true, Canary: k}
	}
	return []summary.Row{
		row("mi", 100, table(mi), nil), row("mi-small", 200, table(small), nil), row("canary", 300, table("D"), &summary.Canary{Status: canary}),
		row("control", 400, nil, &summary.Canary{Status: summary.StatusSurvived, Control: "y"}),
	}
}

func found(title string, runs int, known bool) summary.Finding {
	f := summary.Finding{Title: title, Outcome: sim.Crash, System: "builtin mi", Runs: runs}
	if known {
		f.Known = new(config.Known)
	}
	return f
}

// trends are three nights, written in another order than that of their days, and one of
// another campaign.
func trends(t *testing.T) (string, []*Trend) {
	dir := filepath.Join(t.TempDir(), "nights")
	night(t, dir, "nightly", 3, &summary.Summary{Rows: rows("AB", "B", summary.StatusMissed), Findings: []summary.Finding{found("one", 2, true), found("three <b>", 1, false)}})
	night(t, dir, "nightly", 1, &summary.Summary{Rows: rows("A", "AAC", summary.StatusPending), Findings: []summary.Finding{found("one", 4, false), found("two", 1, false)}})
	night(t, dir, "nightly", 2, &summary.Summary{Rows: rows("ABC", "D", summary.StatusCaught), Findings: []summary.Finding{found("one", 3, false)}})
	night(t, dir, "other", 2, &summary.Summary{})
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "no campaign"), 0o755))
	dirs, err := Find([]string{dir})
	must.Succeed(t, err)
	return dir, Read(dirs, func(err error) { t.Error(err) })
}

// TestTrend holds a trend against what was counted by hand.
func TestTrend(t *testing.T) {
	_, list := trends(t)
	if len(list) != 2 || list[0].Campaign != "nightly" || list[1].Campaign != "other" || len(list[1].Points) != 1 {
		t.Fatalf("%+v", list)
	}
	type point struct{ day, runs, findings, fresh, gone, known, caught, canaries, taken, of int }
	var got []point
	for _, p := range list[0].Points {
		got = append(got, point{p.Started.Day(), p.Runs, p.Findings, p.New, p.Gone, p.Known, p.Caught, p.Canaries, p.Taken, p.Transitions})
		if p.Rate != 100 { // 1,000 operations in 10 s
			t.Errorf("%v operations a second", p.Rate)
		}
	}
	want := []point{{1, 20, 2, 2, 0, 0, 0, 1, 2, 4}, {2, 20, 1, 0, 1, 0, 1, 1, 4, 4}, {3, 20, 1, 1, 0, 1, 0, 1, 2, 4}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(point{})); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	var text bytes.Buffer
	must.Succeed(t, (&Trends{Trends: list[:1]}).WriteText(&text, 0))
	for _, want := range []string{
		"nightly: 3 campaigns, 2026-11-01 to 2026-11-03\n", "  ■■■  crash: one (builtin mi), known\n", "  ■··  crash: two (builtin mi), not in the last one\n",
		"  ··■  crash: three <b> (builtin mi)\n", "  ·■!  canary\n", "  ■■■  control\n", "100.0 %", "1 of 1",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// TestHTML demands a well-formed page with a plot of each kind and no markup of others.
func TestHTML(t *testing.T) {
	_, list := trends(t)
	var b bytes.Buffer
	must.Succeed(t, WriteHTML(&b, list))
	dec := xml.NewDecoder(strings.NewReader(b.String()))
	dec.Entity = xml.HTMLEntity
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"three &lt;b&gt;", "Coverage by campaign", "Findings by campaign", "Operations a second by campaign", "Share of the canaries caught", "2026-11-03 01:00", "default-src 'none'"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestFaults leaves out what cannot be read, and wants some campaign.
func TestFaults(t *testing.T) {
	dir, _ := trends(t)
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "nightly-2", journal.SummaryJSON), []byte("{"), 0o644))
	dirs, err := Find([]string{dir})
	must.Succeed(t, err)
	var faults error
	list := Read(dirs, func(err error) { faults = errors.Join(faults, err) })
	if len(list[0].Points) != 2 || faults == nil || !strings.Contains(faults.Error(), "nightly-2") {
		t.Errorf("%d campaigns, %v", len(list[0].Points), faults)
	}
	if _, err := Find([]string{t.TempDir()}); err == nil {
		t.Error("a directory without campaigns is taken")
	}
	if _, err := Find([]string{filepath.Join(dir, "nosuch")}); err == nil {
		t.Error("a missing directory is taken")
	}
}
