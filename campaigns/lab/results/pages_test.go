// Package results generates the pages of measurements beside it from data: the lists of the
// repository, and what commands printed or recorded, which is in data. make results writes the
// pages; the test compares them.
package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/lab/papers"
	"ordeal/campaigns/mutation"
	"ordeal/parse/formats"
)

var update = flag.Bool("update", false, "write the pages")

// source says how data were measured: data/sources.yaml has one for each page.
type source struct {
	Title   string `yaml:"title"`
	Command string `yaml:"command"`
	Version string `yaml:"version"`
	Date    string `yaml:"date"`
	Machine string `yaml:"machine"`
	About   string `yaml:"about"` // what the figures mean and how sure they are
}

func (s *source) head() string {
	text := "# " + s.Title + "\n\n"
	if s.Command != "" {
		text += "Generated from the output of `" + s.Command + "`. "
	}
	return text + fmt.Sprintf("Version %s, %s, %s.\n\n%s\n", s.Version, s.Date, s.Machine, strings.TrimSpace(s.About)+"\n")
}

// pages has the text below the head of each page, by name.
var pages = map[string]func(*testing.T) string{
	"defects":  defects,
	"mutants":  matrix,
	"fidelity": fidelity,
	"recall":   recall,
	"papers":   figures,
}

// TestPages compares each page with its data.
func TestPages(t *testing.T) {
	var sources map[string]*source
	data, err := os.ReadFile("data/sources.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&sources); err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{"tests.md": true} // which scripts/mutation generates and compares
	for name, s := range sources {
		body := pages[name]
		if body == nil {
			body = output("data/" + name + ".txt")
		}
		delete(pages, name)
		file := name + ".md"
		written[file] = true
		want := s.head() + body(t)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Error(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what its data give (%v): make results", file, err)
		}
	}
	for name := range pages {
		t.Errorf("data/sources.yaml has no %s", name)
	}
	files, err := filepath.Glob("*.md")
	for _, file := range files {
		if !written[file] {
			t.Errorf("%s is generated from nothing (%v)", file, err)
		}
	}
}

// output returns what a command printed, as it is.
func output(file string) func(*testing.T) string {
	return func(t *testing.T) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "|") { // a table in Markdown
			return string(text)
		}
		return "```text\n" + strings.TrimRight(string(text), "\n") + "\n```\n"
	}
}

// cell makes a text fit for a cell of a table in Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "\n", " ").Replace(text)
}

// agentOf are who must act, besides loads and stores of cores, by what a defect needs.
var agentOf = map[string]string{
	"atomics": "atomic operations", "dma": "a device", "fetch": "fetches", "flush": "flushes", "functional": "functional accesses",
	"llsc": "linked loads", "locks": "locked pairs", "prefetch": "prefetches",
}

// defects has a table of known defects for each protocol, and the titles that are not defects.
func defects(t *testing.T) string {
	list, err := bugs.KnownDefects()
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]*messages.Table{}
	for i := range list.Bugs {
		b := &list.Bugs[i]
		table := tables[b.Protocol]
		if table == nil {
			table = &messages.Table{Header: []any{"ID", "finding", "cause", "agent", "needs", "verdict", "in gem5", "shown by a binary", "repair", "versions", "upstream"}, Left: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
			tables[b.Protocol] = table
		}
		repair := "proposed"
		if len(b.Repair) == 0 {
			repair = ""
		}
		var agents, needs []string
		for _, n := range b.Needs {
			if agent := agentOf[n]; agent != "" {
				agents = append(agents, agent)
			} else {
				needs = append(needs, n)
			}
		}
		table.Rows = append(table.Rows, []any{
			b.ID, cell(b.Title), cell(b.About), cmp.Or(strings.Join(agents, ", "), "cores"), strings.Join(needs, ", "), b.Verdict,
			cell(b.Gem5), cell(b.Shown), repair, span(b.Versions), b.Issue,
		})
	}
	var text strings.Builder
	for _, protocol := range slices.Sorted(maps.Keys(tables)) {
		fmt.Fprintf(&text, "## %s\n\n%s\n", protocol, tables[protocol].Markdown())
	}
	text.WriteString("## Titles that are not defects\n\n")
	accepted := &messages.Table{Header: []any{"protocol", "titles", "why"}, Left: []int{1, 2}}
	for i := range list.Accepted {
		a := &list.Accepted[i]
		accepted.Rows = append(accepted.Rows, []any{cell(a.Protocol), cell(strings.Join(a.Titles, "; ")), cell(a.About)})
	}
	return text.String() + accepted.Markdown()
}

// span is the first and the last of some versions, which are in order.
func span(versions []string) string {
	if len(versions) < 2 {
		return strings.Join(versions, "")
	}
	return versions[0] + " to " + versions[len(versions)-1]
}

// reasons explains why the embedded simulator ends otherwise, by the word in the data.
var reasons = map[string]string{
	"undefined": "gem5 reads or writes memory that was freed, so that its behaviour is undefined; here the access is reported",
	"moment":    "two failures follow from the mutant, and timing decides which one comes first",
}

// fidelity compares how mutants ended on gem5 with how they end on the embedded simulator: by
// protocol, and those that differ.
func fidelity(t *testing.T) string {
	text, err := os.ReadFile("../../mutation/testdata/fidelity.tsv")
	if err != nil {
		t.Fatal(err)
	}
	type ends struct {
		outcomes map[string]bool // on gem5, of both kinds of core
		why      []string
	}
	mutants, order := map[string]*ends{}, []string(nil)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) < 4 {
			continue
		}
		m := mutants[f[0]]
		if m == nil {
			m = &ends{outcomes: map[string]bool{}}
			mutants[f[0]], order = m, append(order, f[0])
		}
		m.outcomes[f[2]] = true
		if f[3] != "-" && reasons[f[3]] == "" {
			t.Errorf("%s: no reason %q", f[0], f[3])
		} else if f[3] != "-" && !slices.Contains(m.why, reasons[f[3]]) {
			m.why = append(m.why, reasons[f[3]])
		}
	}
	count := map[string]map[string]int{}
	differ := &messages.Table{Header: []any{"mutant", "on gem5", "why it differs"}, Left: []int{1, 2}}
	for _, name := range order {
		protocol, _, _ := strings.Cut(name, "/")
		if count[protocol] == nil {
			count[protocol] = map[string]int{}
		}
		m, c := mutants[name], count[protocol]
		for outcome := range m.outcomes {
			c[outcome]++
		}
		c["all"]++
		if len(m.why) > 0 {
			c["differ"]++
			differ.Rows = append(differ.Rows, []any{cell(name), strings.Join(slices.Sorted(maps.Keys(m.outcomes)), ", "), strings.Join(m.why, "; ")})
		}
	}
	table := &messages.Table{Header: []any{"protocol", "mutants", "crash", "deadlock", "violation", "passed", "end alike here"}}
	for _, protocol := range slices.Sorted(maps.Keys(count)) {
		c := count[protocol]
		table.Rows = append(table.Rows, []any{protocol, c["all"], c["crash"], c["deadlock"], c["violation"], c["passed"], c["all"] - c["differ"]})
	}
	return "How mutants end on gem5; a mutant counts in a column if a run with either kind of core ends so:\n\n" +
		table.Markdown() + "\n" + differ.Markdown()
}

// recall has the share of the bugs of gem5's history that were found, by protocol, time and engine,
// and what those that were missed need.
func recall(t *testing.T) string {
	data, err := os.ReadFile("data/recall.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Protocols []struct {
			Protocol        string
			Bugs, Five, All int
		}
		Times   map[float64]int
		Engines map[string]int
		Missed  map[string]string
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&r); err != nil {
		t.Fatal(err)
	}
	list, err := bugs.History()
	if err != nil {
		t.Fatal(err)
	}
	table := &messages.Table{Header: []any{"protocol", "bugs", "found in 5 s", "in 2 min", "recall", "95 % confidence"}}
	row := func(name string, found, five, of int) []any {
		low, high := summary.Wilson(found, of)
		return []any{name, of, five, found, fmt.Sprintf("%.0f %%", 100*float64(found)/float64(of)), fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)}
	}
	all, five, found := 0, 0, 0
	for _, p := range r.Protocols {
		all, five, found = all+p.Bugs, five+p.Five, found+p.All
		table.Rows = append(table.Rows, row(p.Protocol, p.All, p.Five, p.Bugs))
	}
	table.Rows = append(table.Rows, row("all", found, five, all))
	times := &messages.Table{Header: []any{"CPU time"}, Rows: [][]any{{"found"}}}
	for _, at := range slices.Sorted(maps.Keys(r.Times)) {
		times.Header, times.Rows[0] = append(times.Header, fmt.Sprintf("%g s", at)), append(times.Rows[0], r.Times[at])
	}
	engines, by := &messages.Table{Header: []any{"engine", "found"}}, 0
	for _, name := range slices.SortedFunc(maps.Keys(r.Engines), func(a, b string) int { return cmp.Or(r.Engines[b]-r.Engines[a], strings.Compare(a, b)) }) {
		engines.Rows = append(engines.Rows, []any{name, r.Engines[name]})
		by += r.Engines[name]
	}
	missed := &messages.Table{Header: []any{"bug", "protocol", "cause", "what it needs"}, Left: []int{1, 2, 3}}
	for _, id := range slices.Sorted(maps.Keys(r.Missed)) {
		b, err := list.Select([]string{id})
		if err != nil || b[0].Equivalent != "" {
			t.Fatalf("%s is missed: %v", id, err)
		}
		missed.Rows = append(missed.Rows, []any{id, b[0].Protocol, b[0].Cause, cell(r.Missed[id])})
	}
	if by != found || all-found != len(r.Missed) || r.Times[120] != found {
		t.Errorf("found %d of %d, by engines %d, in 120 s %d, missed %d", found, all, by, r.Times[120], len(r.Missed))
	}
	return table.Markdown() + "\nFound by a time, of one bug after the other:\n\n" + times.Markdown() + "\n" + engines.Markdown() +
		"\n## What was missed\n\n" + missed.Markdown()
}

// matrix has the tables that mutate run prints, of the results that it writes.
func matrix(t *testing.T) string {
	file, err := os.Open("data/matrix.json.gz")
	must.Succeed(t, err)
	defer file.Close()
	text, err := io.ReadAll(formats.Decode(file))
	must.Succeed(t, err)
	results, err := mutation.ParseResults("matrix.json", text)
	must.Succeed(t, err)
	return "```text\n" + strings.TrimRight(mutation.Table(results, 0), "\n") + "\n```\n"
}

// figures has published figures next to measured ones, of the report of bench papers.
func figures(t *testing.T) string {
	text, err := os.ReadFile("data/papers.json")
	must.Succeed(t, err)
	var report papers.Report
	must.Succeed(t, json.Unmarshal(text, &report))
	table := &messages.Table{Header: []any{"experiment", "from", "figure", "published", "measured"}, Left: []int{1, 2, 3, 4}}
	for _, x := range report.Results {
		if !slices.Contains(papers.Names(), x.Name) {
			t.Errorf("no experiment %s", x.Name)
		}
		for _, f := range x.Published {
			if f.Measured != "" {
				table.Rows = append(table.Rows, []any{x.Name, x.Paper.Short + ", " + x.Place, cell(f.What), cell(f.Value), cell(f.Measured)})
			}
		}
	}
	if len(report.Results) != len(papers.Names()) {
		t.Errorf("%d experiments, want %d", len(report.Results), len(papers.Names()))
	}
	return table.Markdown()
}
