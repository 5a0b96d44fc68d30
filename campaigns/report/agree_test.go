package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/report/index"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/report/trend"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// agreeing has a protocol of which some rows only stall, run by two configurations, a
// finding, a canary with that protocol's table, and a mutant of it.
const agreeing = `
name: agreeing
sim: builtin
seed: 3
configs:
  - &hammer {name: hammer, runs: 3, threads: 3, ops: 60, locations: 12, protocol: moesi-hammer}
  - {<<: *hammer, name: few, threads: 2, ops: 20, locations: 2}
  - {name: bad, runs: 4, threads: 4, ops: 30, locations: 3, rounds: 5, protocol: mi, core: tso, core-bugs: [buffer-out-of-order]}
  - {<<: *hammer, name: bird, runs: 4, threads: 4, ops: 30, locations: 3, rounds: 5, core-bugs: [buffer-out-of-order], bug: {about: stores}}
`

// numbers are what every form of a report says of a campaign, or -1 where the form does
// not say it.
type numbers struct{ Runs, Operations, Findings, HammerTaken, HammerOf, AllTaken, AllOf int }

// counted goes through the journal with nothing but its definition: a row is taken if a
// run executed it or stalled in it, and canaries count as no coverage.
func counted(t *testing.T, a *journal.Archive) (n numbers, stalled int) {
	findings := make(map[string]bool)
	rows, hammer, executed := make(map[string]bool), make(map[sim.Row]bool), make(map[sim.Row]bool)
	for e, err := range a.Entries() {
		must.Succeed(t, err)
		n.Runs++
		n.Operations += e.Operations
		if e.Finding() {
			findings[e.Outcome.Titled(e.FindingTitle())] = true
		}
		if e.ConfigName == "bird" {
			continue
		}
		for _, x := range e.Coverage {
			system := "mi"
			if e.ConfigName != "bad" {
				system = "hammer"
				hammer[x.Row] = hammer[x.Row] || x.Count > 0 || x.Stalls > 0
				executed[x.Row] = executed[x.Row] || x.Count > 0
			}
			key := fmt.Sprint(system, x.Row)
			rows[key] = rows[key] || x.Count > 0 || x.Stalls > 0
		}
	}
	for row, took := range hammer {
		n.HammerOf++
		if took {
			n.HammerTaken++
			if !executed[row] {
				stalled++
			}
		}
	}
	for _, took := range rows {
		n.AllOf++
		if took {
			n.AllTaken++
		}
	}
	n.Findings = len(findings)
	return n, stalled
}

// TestAgree requires the same numbers of every form in which a campaign is reported,
// while it runs and from its directory.
func TestAgree(t *testing.T) {
	c, err := config.Parse("agreeing.yaml", []byte(agreeing), nil)
	must.Succeed(t, err)
	dir := filepath.Join(t.TempDir(), "agreeing")
	l := engine.Engine{Dir: dir, Command: []string{"ordeal"}}
	live, err := l.Run(t.Context(), c)
	must.Succeed(t, err)
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	want, stalled := counted(t, a)
	if stalled == 0 || want.Findings == 0 {
		t.Fatalf("%d rows only stalled, %d findings: the test would hold for nothing", stalled, want.Findings)
	}
	check := func(what string, got numbers) {
		t.Helper()
		for _, x := range []struct{ got, want *int }{
			{&got.Runs, &want.Runs}, {&got.Operations, &want.Operations}, {&got.Findings, &want.Findings},
			{&got.HammerTaken, &want.HammerTaken}, {&got.HammerOf, &want.HammerOf}, {&got.AllTaken, &want.AllTaken}, {&got.AllOf, &want.AllOf},
		} {
			if *x.got == -1 {
				*x.got = *x.want
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-journal +got):\n%s", what, d)
		}
	}

	for what, s := range summaries(t, a, live) {
		total := s.Total()
		n := numbers{Runs: total.Runs, Operations: total.Operations, Findings: len(s.Findings)}
		for _, p := range s.Protocols(c) {
			if p.Name == "moesi-hammer" {
				n.HammerTaken, n.HammerOf = p.Reachable.Taken(), len(p.Reachable)
			}
			n.AllTaken, n.AllOf = n.AllTaken+p.Reachable.Taken(), n.AllOf+len(p.Reachable)
		}
		check(what, n)
		// The text has a line for each configuration: few adds nothing to hammer.
		check(what+", text", numbers{
			atoi(t, s.Text(), `([\d,]+) runs and`), atoi(t, s.Text(), `runs and ([\d,]+) operations`), -1,
			atoi(t, s.Text(), `hammer: (\d+) of \d+ transitions`), atoi(t, s.Text(), `hammer: \d+ of (\d+) transitions`), -1, -1,
		})
	}

	var page, junit, sarif, lines bytes.Buffer
	must.Succeed(t, html.Write(t.Context(), &page, a, html.Options{}))
	heading := `moesi-hammer <small>`
	check("HTML", numbers{
		atoi(t, page.String(), `>([\d,]+)</strong> <span>runs`), atoi(t, page.String(), `>([\d,]+)</strong> <span>operations checked`),
		atoi(t, page.String(), `>([\d,]+)</strong> <span>different findings`),
		atoi(t, page.String(), heading+`(\d+) of \d+ transitions`), atoi(t, page.String(), heading+`\d+ of (\d+) transitions`), -1, -1,
	})

	must.Succeed(t, report.WriteJUnit(&junit, a, nil))
	var suites struct {
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite"`
	}
	must.Succeed(t, xml.Unmarshal(junit.Bytes(), &suites))
	n := numbers{0, 0, suites.Failures, -1, -1, -1, -1}
	for _, s := range suites.Suites {
		for _, p := range s.Properties {
			value, _ := strconv.Atoi(p.Value)
			switch p.Name {
			case "runs":
				n.Runs += value
			case "operations":
				n.Operations += value
			}
		}
	}
	check("JUnit", n)

	must.Succeed(t, report.WriteSARIF(&sarif, a, nil, dir))
	var log struct {
		Runs []struct {
			Results    []any
			Properties struct{ Runs, Operations int }
		}
	}
	must.Succeed(t, json.Unmarshal(sarif.Bytes(), &log))
	check("SARIF", numbers{log.Runs[0].Properties.Runs, log.Runs[0].Properties.Operations, len(log.Runs[0].Results), -1, -1, -1, -1})

	must.Succeed(t, report.WriteJSONL(&lines, a, nil))
	all := strings.Split(strings.TrimSpace(lines.String()), "\n")
	var last report.SummaryLine
	must.Succeed(t, json.Unmarshal([]byte(all[len(all)-1]), &last))
	check("JSON lines", numbers{last.Runs, last.Operations, last.Findings, -1, -1, -1, -1})

	status, err := progress.Read(a, false, time.Now())
	must.Succeed(t, err)
	n = numbers{Runs: status.Runs, Operations: status.Operations, Findings: len(status.Findings)}
	for _, x := range status.Coverage {
		if x.Protocol == "moesi-hammer" {
			n.HammerTaken, n.HammerOf = x.Taken, x.Of
		}
		n.AllTaken, n.AllOf = n.AllTaken+x.Taken, n.AllOf+x.Of
	}
	check("status", n)

	p := trend.Read([]string{dir}, func(err error) { t.Error(err) })[0].Points[0]
	check("trend", numbers{p.Runs, p.Operations, p.Findings, -1, -1, p.Taken, p.Transitions})

	db := filepath.Join(t.TempDir(), "index.db")
	must.Succeed(t, index.Reindex(t.Context(), db, []string{dir}, index.Options{}))
	ask := func(query string) (n int) {
		must.Succeed(t, index.Query(t.Context(), db, query, func(r *index.Rows) error {
			values, err := r.Next()
			if err == nil {
				n = int(values[0].(int64))
			}
			return err
		}))
		return n
	}
	check("index", numbers{
		ask("SELECT runs FROM campaigns"), ask("SELECT operations FROM campaigns"), ask("SELECT findings FROM campaigns"),
		ask("SELECT taken FROM coverage_history WHERE config = 'hammer'"), ask("SELECT total FROM coverage_history WHERE config = 'hammer'"), -1, -1,
	})
}

// summaries are those of the process that ran the campaign, of the file that it wrote,
// and of the journal.
func summaries(t *testing.T, a *journal.Archive, live *summary.Summary) map[string]*summary.Summary {
	read, err := summary.Read(a)
	must.Succeed(t, err)
	written := new(summary.Summary)
	must.Succeed(t, run.ReadJSON(a.Path(journal.SummaryJSON), written))
	return map[string]*summary.Summary{"run": live, "read": read, "summary.json": written}
}

// atoi is the number that the group of a pattern matches in a text.
func atoi(t *testing.T, text, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Errorf("no %s in\n%.3000s", pattern, text)
		return -2
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	must.Succeed(t, err)
	return n
}
