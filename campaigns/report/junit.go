package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
	"ordeal/check"
	"ordeal/sim"
)

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Time   string  `xml:"time,attr"`
	Suites []suite `xml:"testsuite"`
}

// counts count cases by result.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

// suite is a configuration. Attributes and elements are those that Ant's schema
// demands, in its order; that of Jenkins accepts them.
type suite struct {
	Name      string `xml:"name,attr"`
	ID        int    `xml:"id,attr"`
	Package   string `xml:"package,attr"`
	Timestamp string `xml:"timestamp,attr"`
	Hostname  string `xml:"hostname,attr"`
	counts
	Time       string     `xml:"time,attr"`
	Properties []property `xml:"properties>property"`
	Cases      []testCase `xml:"testcase"`
	Out        string     `xml:"system-out"`
	Err        string     `xml:"system-err"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// testCase has at most one of its elements.
type testCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Skipped *skipped `xml:"skipped"`
	Error   *failure `xml:"error"`
	Failure *failure `xml:"failure"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a campaign, ended or not, in the XML of JUnit, which
// continuous integration systems read.
//
// Each configuration is a test suite. The number of a run means nothing in the
// next campaign, so the cases of a suite are what keeps its name:
//
//	runs                      all runs; skipped where none ended
//	OUTCOME: TITLE            a finding, which is a failure
//	canary: ABOUT             an injected bug: passes if it was caught, fails
//	                          if it was missed, skipped while pending
//	negative control: ABOUT   a bug that cannot show: fails if it does
//	infrastructure            runs without a result: an error
//	undecided by MODEL        skipped
//
// What acts on a terminal is escaped.
//
// A failure has the outcome as its type, one line with numbers and seed as its
// message, and as its text the evidence and the commands to reproduce it. Against
// an earlier campaign the message begins with what the finding is: new, recurring
// or flaky.
func WriteJUnit(w io.Writer, a *journal.Archive, b *compare.Diff) error {
	s, err := summary.Read(a)
	if err != nil {
		return err
	}
	root := suites{Name: clean(s.Campaign), Time: seconds(s.Elapsed)}
	for i := range s.Rows {
		one := newSuite(a, s, &s.Rows[i], b)
		one.ID = i
		root.Tests += one.Tests
		root.Failures += one.Failures
		root.Errors += one.Errors
		root.Skipped += one.Skipped
		root.Suites = append(root.Suites, one)
	}
	text, err := xml.MarshalIndent(&root, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	_, err = io.WriteString(w, messages.Escape(xml.Header+string(text)+"\n")) // no markup acts on a terminal
	return err
}

func newSuite(a *journal.Archive, s *summary.Summary, r *summary.Row, b *compare.Diff) suite {
	one := suite{
		Name: clean(r.Config), Package: clean(s.Campaign), Timestamp: s.Started.UTC().Format("2006-01-02T15:04:05"), Hostname: "localhost",
		Time: seconds(r.Simulated + r.Checked),
		Properties: []property{
			{"seed", fmt.Sprint(s.Seed)}, {"expect", r.Expect}, {"planned", fmt.Sprint(r.Planned)},
			{"runs", fmt.Sprint(r.Runs)}, {"operations", fmt.Sprint(r.Operations)},
		},
	}
	var ended []string
	for o := sim.OutcomeUnknown; o <= sim.Infra; o++ {
		if n := r.Outcomes[o]; n > 0 {
			one.Properties = append(one.Properties, property{o.String(), fmt.Sprint(n)})
			ended = append(ended, fmt.Sprintf("%d %s", n, o))
		}
	}
	one.Out = fmt.Sprintf("%d of %d runs, %d operations: %s\n", r.Runs, r.Planned, r.Operations, strings.Join(ended, ", "))
	class := clean(s.Campaign + "." + r.Config)
	for _, c := range cases(a, s, r, b) {
		c.Class = class
		if c.Time == "" {
			c.Time = "0.000"
		}
		one.Tests++
		switch {
		case c.Failure != nil:
			one.Failures++
		case c.Error != nil:
			one.Errors++
		case c.Skipped != nil:
			one.Skipped++
		}
		one.Cases = append(one.Cases, c)
	}
	return one
}

func cases(a *journal.Archive, s *summary.Summary, r *summary.Row, b *compare.Diff) []testCase {
	all := testCase{Name: "runs", Time: seconds(r.Simulated + r.Checked)}
	if r.Runs == 0 {
		all.Skipped = &skipped{fmt.Sprintf("none of %d runs ended", r.Planned)}
	}
	list := []testCase{all}
	if r.Canary != nil {
		list = append(list, canaryCase(a, s, r, b))
	} else {
		for i := range s.Findings {
			f := &s.Findings[i]
			if n := runsOf(f, r.Config); n > 0 {
				c := testCase{Name: clean(f.Outcome.Titled(f.Title))}
				if f.Known != nil {
					c.Skipped = &skipped{clean("known issue: " + f.Known.String())}
				} else {
					c.Failure = newFailure(a, s, f, n, b)
				}
				list = append(list, c)
			}
		}
	}
	if n := r.Outcomes[sim.Infra]; n > 0 {
		list = append(list, testCase{Name: "infrastructure", Error: infraError(s, r, n)})
	}
	for _, m := range config.ModelNames() {
		if n := r.Answers[m][check.Unknown.String()]; n > 0 {
			list = append(list, testCase{Name: "undecided by " + m, Skipped: &skipped{fmt.Sprintf("no verdict on %d of %d runs", n, r.Runs)}})
		}
	}
	return list
}

func canaryCase(a *journal.Archive, s *summary.Summary, r *summary.Row, b *compare.Diff) testCase {
	k := r.Canary
	c := testCase{Name: clean("canary: " + k.About)}
	if k.Control != "" {
		c.Name = clean("negative control: " + k.About)
	}
	switch k.Status {
	case summary.StatusPending:
		c.Skipped = &skipped{fmt.Sprintf("not caught in %d of %d runs, which is within its budget", r.Runs, r.Planned)}
	case summary.StatusMissed, summary.StatusKilled:
		i := slices.IndexFunc(s.Findings, func(f summary.Finding) bool { return runsOf(&f, r.Config) > 0 })
		if i >= 0 {
			c.Failure = newFailure(a, s, &s.Findings[i], runsOf(&s.Findings[i], r.Config), b)
		} else {
			c.Failure = &failure{Message: string(k.Status), Type: string(k.Status)}
		}
	}
	return c
}

func runsOf(f *summary.Finding, config string) int {
	for _, c := range f.Configs {
		if c.Config == config {
			return c.Runs
		}
	}
	return 0
}

const infraShown = 5

// infraError lists the first of n runs without a result.
func infraError(s *summary.Summary, r *summary.Row, n int) *failure {
	var text []string
	for _, t := range s.InfraErrors {
		if t.Config == r.Config && len(text) < infraShown {
			text = append(text, fmt.Sprintf("run %d: %s, in %s", t.Number, t.Title, t.Dir))
		}
	}
	return &failure{
		Message: fmt.Sprintf("%d of %d runs ended with an infrastructure error", n, r.Runs), Type: sim.Infra.String(),
		Text: clean(strings.Join(text, "\n")),
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
