package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// mixed has a configuration without bugs, one with an injected bug that is not a
// canary, canaries of three statuses and two negative controls.
const mixed = `
name: mixed
sim: builtin
seed: 3
configs:
  - &fine {name: fine, runs: 4, threads: 2, ops: 30, locations: 3, rounds: 2, protocol: mi, core: tso}
  - {<<: *fine, name: bad, threads: 4, rounds: 5, core-bugs: [buffer-out-of-order]}
  - {<<: *fine, name: bird, threads: 4, rounds: 5, core-bugs: [buffer-out-of-order], bug: {about: stores <out> of "order"}}
  - {<<: *fine, name: deaf, mutant: 'MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit', bug: {about: count before the store}}
  - {<<: *fine, name: early, mutant: 'MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit', bug: {about: rare, budget: 1000000}}
  - {<<: *fine, name: control, mutant: 'MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit', bug: {about: counts, equivalent: it counts}}
  - {<<: *fine, name: loud, threads: 4, rounds: 5, core-bugs: [buffer-out-of-order], bug: {about: heard, equivalent: so we thought}}
`

// archived runs a campaign and opens its directory.
func archived(t *testing.T, text string) (*journal.Archive, *summary.Summary) {
	t.Helper()
	c, err := config.Parse("mixed.yaml", []byte(text), nil)
	must.Succeed(t, err)
	l := engine.Engine{Dir: filepath.Join(t.TempDir(), "a campaign"), Command: []string{"ordeal"}}
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	a, err := journal.Open(l.Dir)
	must.Succeed(t, err)
	s, err := summary.Read(a)
	must.Succeed(t, err)
	return a, s
}

// element is any XML element.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e *element) attr(name string) (string, bool) {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// shape is what an element may have: attributes that it must, and may have,
// and its children, in order, with "?" or "*" for how many.
type shape struct {
	must, may []string
	children  []string
}

// shapes are the common ground of the schemas of Ant's and of Jenkins' JUnit
// reports, written down from those.
var shapes = map[string]shape{
	"testsuites": {may: []string{"name", "tests", "failures", "errors", "skipped", "time"}, children: []string{"testsuite*"}},
	"testsuite": {
		must: []string{"name", "timestamp", "hostname", "tests", "failures", "errors", "time"}, may: []string{"id", "package", "skipped"},
		children: []string{"properties", "testcase*", "system-out", "system-err"},
	},
	"properties": {children: []string{"property*"}},
	"property":   {must: []string{"name", "value"}},
	"testcase":   {must: []string{"name", "classname", "time"}, children: []string{"skipped?", "error?", "failure?"}},
	"skipped":    {may: []string{"message"}},
	"error":      {must: []string{"type"}, may: []string{"message"}},
	"failure":    {must: []string{"type"}, may: []string{"message"}},
	"system-out": {}, "system-err": {},
}

// wellShaped checks an element against shapes.
func wellShaped(t *testing.T, e *element) {
	t.Helper()
	s, ok := shapes[e.XMLName.Local]
	if !ok {
		t.Errorf("no element %s", e.XMLName.Local)
	}
	for _, name := range s.must {
		if v, ok := e.attr(name); !ok || v == "" {
			t.Errorf("%s without %s", e.XMLName.Local, name)
		}
	}
	for _, a := range e.Attrs {
		if !slices.Contains(slices.Concat(s.must, s.may), a.Name.Local) {
			t.Errorf("%s with %s", e.XMLName.Local, a.Name.Local)
		}
	}
	rest := e.Children
	for _, want := range s.children {
		name, many := strings.TrimRight(want, "?*"), strings.HasSuffix(want, "*")
		n := 0
		for len(rest) > 0 && rest[0].XMLName.Local == name && (many || n == 0) {
			rest, n = rest[1:], n+1
		}
		if n == 0 && name == want {
			t.Errorf("%s without %s", e.XMLName.Local, name)
		}
	}
	if len(rest) > 0 {
		t.Errorf("%s in %s", rest[0].XMLName.Local, e.XMLName.Local)
	}
	if e.XMLName.Local == "testcase" && len(e.Children) > 1 {
		t.Errorf("a case of %d results", len(e.Children))
	}
	for i := range e.Children {
		wellShaped(t, &e.Children[i])
	}
}

// counted checks that the counts of an element are those of the cases in it.
func counted(t *testing.T, e *element) (tests, failures, errors, skipped int) {
	if e.XMLName.Local == "testcase" {
		for _, c := range e.Children {
			switch c.XMLName.Local {
			case "failure":
				failures++
			case "error":
				errors++
			case "skipped":
				skipped++
			}
		}
		return 1, failures, errors, skipped
	}
	for i := range e.Children {
		a, b, c, d := counted(t, &e.Children[i])
		tests, failures, errors, skipped = tests+a, failures+b, errors+c, skipped+d
	}
	for name, want := range map[string]int{"tests": tests, "failures": failures, "errors": errors, "skipped": skipped} {
		if got, ok := e.attr(name); ok && got != strconv.Itoa(want) {
			t.Errorf("%s=%s of an element with %d", name, got, want)
		}
	}
	return tests, failures, errors, skipped
}

// parsed writes a report and reads it.
func parsed(t *testing.T, a *journal.Archive) *element {
	t.Helper()
	var text bytes.Buffer
	must.Succeed(t, WriteJUnit(&text, a, nil))
	root := new(element)
	dec := xml.NewDecoder(&text)
	must.Succeed(t, dec.Decode(root))
	if _, err := dec.Token(); err != nil && err != io.EOF {
		if _, ok := err.(*xml.SyntaxError); ok {
			t.Fatal(err)
		}
	}
	wellShaped(t, root)
	counted(t, root)
	return root
}

// TestJUnit requires the cases of each kind of run, and in failures what a reader
// needs.
func TestJUnit(t *testing.T) {
	a, s := archived(t, mixed)
	root := parsed(t, a)
	results := make(map[string]string)
	texts := make(map[string]string)
	for _, suite := range root.Children {
		name, _ := suite.attr("name")
		for _, c := range suite.Children {
			if c.XMLName.Local != "testcase" {
				continue
			}
			one, _ := c.attr("name")
			if class, _ := c.attr("classname"); class != "mixed."+name {
				t.Errorf("%s is in class %s", one, class)
			}
			result, key := "passed", name+"/"+one
			if len(c.Children) > 0 {
				message, _ := c.Children[0].attr("message")
				kind, _ := c.Children[0].attr("type")
				result, texts[key] = c.Children[0].XMLName.Local+" "+kind, message+"\n"+c.Children[0].Text
			}
			if results[key] != "" {
				t.Errorf("%s twice", key)
			}
			results[key] = result
		}
	}
	const finding = "bad/violation: store performed before an earlier store"
	want := map[string]string{
		"fine/runs": "passed", "bad/runs": "passed", "bird/runs": "passed", "deaf/runs": "passed", "early/runs": "passed", "control/runs": "passed", "loud/runs": "passed",
		finding: "failure violation", `bird/canary: stores <out> of "order"`: "passed", "deaf/canary: count before the store": "failure missed",
		"early/canary: rare": "skipped ", "control/negative control: counts": "passed", "loud/negative control: heard": "failure violation",
	}
	for name, result := range results {
		if want[name] != result {
			t.Errorf("%s: %s, want %q", name, result, want[name])
		}
	}
	if len(results) != len(want) {
		t.Errorf("cases %v", results)
	}
	i := slices.IndexFunc(s.Findings, func(f summary.Finding) bool { return f.Configs[0].Config == "bad" })
	if i < 0 {
		t.Fatal("nothing was found in bad")
	}
	f := &s.Findings[i]
	for _, part := range []string{
		fmt.Sprintf("%d runs, the first is run %d of seed 3\n", f.Runs, f.First),
		fmt.Sprintf("\nordeal repro '%s'\n", f.Best.Dir),
		fmt.Sprintf("\nordeal repro --campaign '%s/campaign.yaml' --run %d\n", a.Dir, f.First),
		"\nCycle:\n", "program order",
	} {
		if !strings.Contains(texts[finding], part) {
			t.Errorf("no %q in\n%s", part, texts[finding])
		}
	}
}

// TestNothingRan requires the report of a campaign that was killed before its
// first run: every case is skipped.
func TestNothingRan(t *testing.T) {
	a, _ := archived(t, strings.ReplaceAll(mixed, "seed: 3", "seed: 3\nbudget: 1ns"))
	root := parsed(t, a)
	tests, _ := root.attr("tests")
	skips, _ := root.attr("skipped")
	if tests != "12" || skips != "10" { // but the two negative controls
		t.Errorf("%s tests, %s skipped", tests, skips)
	}
}

// TestClean requires texts that any XML reader takes.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                          "plain",
		"a\x1b[31mb\x00c\x07\r\n\td\x7f": `a\u001b[31mb\u0000c\u0007\u000d` + "\n\td" + `\u007f`,
		"bad \xff utf8 \ufffe \uffff":    `bad \xff utf8  `,
		"</failure> & ]]> \"ü✗\" \u0085": "</failure> & ]]> \"ü✗\" " + `\u0085`,
		"a\u202eb\u2066c":                `a\u202eb\u2066c`,
	} {
		if got := clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		out, err := xml.Marshal(&testCase{Name: clean(text), Failure: &failure{Text: clean(text), Message: clean(text)}})
		must.Succeed(t, err)
		var back testCase
		must.Succeed(t, xml.Unmarshal(out, &back))
		if diff := cmp.Diff(&failure{Text: want, Message: want}, back.Failure); diff != "" {
			t.Errorf("read back from %s (-want +got):\n%s", out, diff)
		}
	}
	long := strings.Repeat("line\n", textMost)
	if got := shortened(long); len(got) > textMost+4 || !strings.HasSuffix(got, "line\n…") {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-10:])
	}
}
