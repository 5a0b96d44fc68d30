package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// failing is a scenario in which every n-th run of a configuration fails.
func failing(config, name string, n int, title string) scenario {
	return scenario{seed: 1, config: []string{config}, run: func(e *journal.Entry, i int) bool {
		if e.ConfigName == name && i%n == 0 {
			fail(e, title)
		}
		return true
	}}
}

// findingLine is a finding as a line.
func findingLine(f Finding) string {
	p := "no p"
	if f.P != nil {
		p = fmt.Sprint(*f.P < Significant)
	}
	return fmt.Sprintf("%s %s: %d/%d, was %d/%d, %s, %d of %d", f.Change, f.Title, f.New.Runs, f.New.Of, f.Old.Runs, f.Old.Of, p, f.Recurred, f.Repeated)
}

func TestFindings(t *testing.T) {
	clean := scenario{seed: 1, config: []string{plain}}
	other := func(s scenario) scenario { s.seed = 2; return s }
	some := func(n int) scenario { return failing(plain, "plain", n, "x") }
	hosts := func(n int) scenario { return failing(host, "host", n, "x") }
	longer := strings.Replace(plain, "runs: 100", "runs: 1000", 1)
	edited := strings.Replace(plain, "runs: 100", "runs: 100, window: 9", 1)
	for what, c := range map[string]struct {
		old, new scenario
		want     []string
		status   int
	}{
		"nothing":                    {clean, clean, nil, 0},
		"the same":                   {some(5), some(5), nil, 0},
		"new":                        {clean, some(5), []string{"new x: 20/100, was 0/100, true, 0 of 0"}, 1},
		"new and rare":               {clean, some(60), []string{"new x: 2/100, was 0/100, false, 0 of 0"}, 1},
		"gone":                       {some(5), clean, []string{"gone x: 0/100, was 20/100, true, 0 of 0"}, 0},
		"gone by chance":             {some(60), clean, []string{"gone x: 0/100, was 2/100, false, 0 of 0"}, 0},
		"rarer":                      {some(2), other(some(5)), []string{"flaky x: 20/100, was 50/100, true, 0 of 0"}, 0},
		"rarer by chance":            {some(4), other(some(5)), nil, 0},
		"more runs at the same rate": {some(5), other(failing(longer, "plain", 5, "x")), nil, 0},
		"fewer runs":                 {failing(longer, "plain", 20, "x"), other(some(20)), nil, 0},
		"another title":              {some(5), failing(plain, "plain", 5, "y"), []string{"new y: 20/100, was 0/100, true, 0 of 0", "gone x: 0/100, was 20/100, true, 0 of 0"}, 1},
		"rarer, perhaps by chance":   {some(4), other(some(8)), nil, 0}, // p = 0.046
		"edited":                     {some(2), failing(edited, "plain", 10, "x"), nil, 0},
		"edited and new":             {clean, failing(edited, "plain", 10, "x"), []string{"new x: 10/100, was 0/100, no p, 0 of 0"}, 1},
		"comes and goes":             {hosts(4), hosts(6), []string{"flaky x: 17/100, was 25/100, false, 9 of 33"}, 0},
		"comes back":                 {hosts(4), hosts(4), nil, 0},
		"other programs":             {hosts(4), other(hosts(6)), nil, 0},
		"of a canary": {scenario{config: []string{canary("c", 9)}},
			scenario{config: []string{canary("c", 9)}, run: func(e *journal.Entry, _ int) bool { fail(e, "x"); return true }}, nil, 0},
	} {
		t.Run(what, func(t *testing.T) {
			d := compare(t, c.old, c.new)
			var got []string
			for _, f := range d.Findings {
				got = append(got, findingLine(f))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if d.ExitStatus() != c.status {
				t.Errorf("exit status %d, want %d", d.ExitStatus(), c.status)
			}
		})
	}
}

// TestFindingSystems requires one title on two systems to be two findings, and
// the runs of all configurations of one system to be one.
func TestFindingSystems(t *testing.T) {
	configs := []string{"{name: a, runs: 10, protocol: mi}", "{name: b, runs: 10, protocol: mi}", "{name: c, runs: 10, protocol: mesi-two-level}"}
	old := scenario{config: configs}
	d := compare(t, old, scenario{config: configs, run: func(e *journal.Entry, i int) bool {
		if i == 3 {
			fail(e, "x")
			e.Alone = &run.Alone{Recurs: e.ConfigName == "a"}
		}
		return true
	}})
	if len(d.Findings) != 2 {
		t.Fatalf("%d findings, want 2", len(d.Findings))
	}
	f := d.Findings[0]
	if !strings.HasSuffix(f.New.First, fmt.Sprintf("/%06d", f.New.Number)) {
		t.Errorf("first in %q, run %d", f.New.First, f.New.Number)
	}
	f.New.First, f.New.Number = "", 0
	want := Finding{Change: New, Outcome: sim.Violation, Title: "x", System: "builtin mi", Configs: []string{"a", "b"}, P: f.P,
		Old: Occurrences{Of: 20}, New: Occurrences{Runs: 2, Of: 20, Alone: 2, Recurs: 1}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d.Findings[1].System != "builtin mesi-two-level" {
		t.Errorf("%+v", d.Findings[1])
	}
}

// caughtBy is a scenario in which the given runs of a canary of n catch it.
func caughtBy(n int, runs ...int) scenario {
	return scenario{seed: 1, config: []string{canary("c", n)}, run: func(e *journal.Entry, i int) bool {
		for _, r := range runs {
			if i == r {
				fail(e, "caught")
			}
		}
		return true
	}}
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func TestCanaries(t *testing.T) {
	cut := func(s scenario, n int) scenario { // stopped after n runs
		whole := s.run
		s.run = func(e *journal.Entry, i int) bool { return whole(e, i) && i < n }
		return s
	}
	rare := caughtBy(50)
	rare.config = []string{strings.Replace(canary("c", 50), "fault", "fault, budget: 60000", 1)}
	by := caughtBy(50, 3)
	by.config = []string{strings.Replace(canary("c", 50), "fault", "fault, by: [crash]", 1)}
	silent := caughtBy(50, 3)
	silent.config = []string{strings.Replace(canary("c", 50), "fault", "fault, equivalent: really", 1)}
	quiet := caughtBy(50)
	quiet.config = silent.config
	none := scenario{seed: 1, config: []string{plain}}
	for what, c := range map[string]struct {
		old, new scenario
		want     Change
		status   int
	}{
		"caught":                         {caughtBy(50, 3), caughtBy(50, 3), "", 0},
		"missed":                         {caughtBy(50, 3), caughtBy(50), Missed, 1},
		"missed with as many operations": {caughtBy(50, 9), caughtBy(10), Missed, 1},
		"missed with fewer":              {caughtBy(50, 9), caughtBy(9), Open, 0},
		"missed before":                  {caughtBy(50), caughtBy(50), "", 0},
		"missed with more runs":          {caughtBy(50), caughtBy(500), "", 0},
		"caught again":                   {caughtBy(50), caughtBy(50, 3), Caught, 0},
		"later":                          {caughtBy(50, 3), caughtBy(50, 30), "", 0},
		"harder":                         {caughtBy(50, upTo(40)...), caughtBy(500, upTo(100)...), Harder, 0},
		"easier":                         {caughtBy(50, upTo(10)...), caughtBy(50, upTo(40)...), Easier, 0},
		"new and missed":                 {none, caughtBy(50), Missed, 1},
		"new and caught":                 {none, caughtBy(50, 3), "", 0},
		"new and stopped":                {none, cut(caughtBy(50), 20), "", 0},
		"stopped":                        {caughtBy(50, 30), cut(caughtBy(50), 20), Open, 0},
		"not run":                        {caughtBy(50, 30), cut(caughtBy(50), 0), Open, 0},
		"finished":                       {cut(caughtBy(50), 20), caughtBy(50), Missed, 1},
		"removed":                        {caughtBy(50, 3), none, "", 0},
		"rare":                           {none, rare, "", 0},
		"by something else":              {caughtBy(50, 3), by, Missed, 1},
		"nothing can show":               {quiet, quiet, "", 0},
	} {
		t.Run(what, func(t *testing.T) {
			d := compare(t, c.old, c.new)
			var got Change
			if len(d.Canaries) > 0 {
				got = d.Canaries[0].Change
			}
			if got != c.want || d.ExitStatus() != c.status {
				t.Errorf("%q, exit status %d, want %q, %d", got, d.ExitStatus(), c.want, c.status)
			}
		})
	}
	d := compare(t, quiet, silent)
	if len(d.Findings) != 1 || d.Findings[0].Title != "negative control c fails: caught" {
		t.Errorf("a negative control that fails: findings %+v", d.Findings)
	}
	if len(d.Canaries) != 0 || d.ExitStatus() != 1 {
		t.Errorf("a negative control that fails: canaries %+v, want none; exit status %d, want 1", d.Canaries, d.ExitStatus())
	}
	d = compare(t, caughtBy(50, 9), caughtBy(50))
	k := d.Canaries[0].Old
	want := &Detection{Runs: 50, Operations: 50_000, Caught: 1, First: 9, Dir: k.Dir, Until: 10_000, UntilTime: 15 * time.Millisecond}
	if diff := cmp.Diff(want, k); diff != "" {
		t.Errorf("detection: -want +got\n%s", diff)
	}
}

func TestChanged(t *testing.T) {
	scenario := func(f func(e *journal.Entry, i int)) scenario {
		return scenario{seed: 1, config: []string{plain}, run: func(e *journal.Entry, i int) bool {
			if f != nil {
				f(e, i)
			}
			return true
		}}
	}
	for what, c := range map[string]struct {
		do   func(*journal.Entry, int)
		want string
	}{
		"nothing": {nil, ""},
		"log":     {func(e *journal.Entry, i int) { e.LogHash = sum("x") }, "100: 0 0 100, 0; run 0"},
		"outcome": {func(e *journal.Entry, i int) {
			if e.LogHash = sum("x"); i == 7 {
				fail(e, "x")
			}
		}, "100: 1 0 99, 0; run 7"},
		"checking": {func(e *journal.Entry, i int) { e.Answers[0].Answer = "forbidden" }, "100: 100 100 0, 0; run 0"},
		"unknown":  {func(e *journal.Entry, i int) { e.Answers[0].Answer = "unknown" }, ""},
		"timeout":  {func(e *journal.Entry, i int) { e.Outcome, e.LogHash = sim.Timeout, "" }, "100: 100 0 0, 0; run 0"},
		"infra":    {func(e *journal.Entry, i int) { e.Outcome, e.LogHash = sim.Infra, "" }, ""},
		"programs": {func(e *journal.Entry, i int) { e.Program, e.LogHash = sum(fmt.Sprint("x", i)), sum("x") }, "0: 0 0 0, 100; run -1"},
	} {
		t.Run(what, func(t *testing.T) {
			got := ""
			if d := compare(t, scenario(nil), scenario(c.do)); len(d.Changed) > 0 {
				x, number := d.Changed[0], -1
				if x.Example != nil {
					number = x.Example.Number
				}
				got = fmt.Sprintf("%d: %d %d %d, %d; run %d", x.Both, x.Different, x.SameLog, x.OtherLog, x.Programs, number)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	other := scenario(func(e *journal.Entry, i int) { e.LogHash = sum("x") })
	other.seed = 2
	if d := compare(t, scenario(nil), other); len(d.Changed) > 0 {
		t.Errorf("another seed: %+v", d.Changed)
	}
	other.seed, other.config = 1, []string{host}
	was := scenario(nil)
	was.config = other.config
	if d := compare(t, was, other); !d.Empty() {
		t.Errorf("another simulator, which is not deterministic: %+v", d)
	}
}

func TestCoverage(t *testing.T) {
	took := func(n int, events ...string) scenario {
		return scenario{seed: 1, config: []string{fmt.Sprintf("{name: plain, runs: %d}", n)}, run: func(e *journal.Entry, i int) bool {
			e.Covered = &run.Covered{Taken: len(events)}
			for at, event := range events {
				name, rare := strings.CutSuffix(event, "?")
				if i == 0 {
					e.New = append(e.New, sim.Transition{Row: sim.Row{Machine: "L1", State: "I", Event: name}})
				}
				for len(e.Counts) < at {
					e.Counts = append(e.Counts, 0)
				}
				if !rare || i == 1 {
					e.Counts = append(e.Counts, 1)
				}
			}
			return true
		}}
	}
	line := func(list []Transition) string {
		var words []string
		for _, x := range list {
			words = append(words, fmt.Sprintf("%s %d/%d %v", x.Event, x.Runs, x.Of, x.P < Significant))
		}
		return strings.Join(words, ", ")
	}
	for what, c := range map[string]struct {
		old, new   scenario
		gone, here string
	}{
		"the same":      {took(50, "Load", "Store"), took(50, "Load", "Store"), "", ""},
		"another order": {took(50, "Load", "Store"), took(50, "Store", "Load"), "", ""},
		"lost":          {took(50, "Load", "Store"), took(50, "Load"), "Store 50/50 true", ""},
		"rare":          {took(50, "Load", "Inv?", "Store"), took(50, "Load"), "Store 50/50 true, Inv 1/50 false", ""},
		"won":           {took(50, "Load"), took(20, "Fwd", "Load"), "", "Fwd 20/20 true"},
		"few runs":      {took(50, "Load", "Store"), took(1, "Load"), "Store 50/50 false", ""},
		"no runs":       {took(50, "Load"), scenario{seed: 1, config: []string{"{name: plain, runs: 50}"}, run: func(*journal.Entry, int) bool { return false }}, "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			d := compare(t, c.old, c.new)
			gone, here := "", ""
			for _, x := range d.Coverage {
				gone, here = gone+line(x.OnlyOld), here+line(x.OnlyNew)
			}
			if gone != c.gone || here != c.here {
				t.Errorf("only old %q, only new %q, want %q, %q", gone, here, c.gone, c.here)
			}
		})
	}
}

func TestSpeed(t *testing.T) {
	paced := func(n int, simulator, checking func(i int) time.Duration) scenario {
		return scenario{seed: 1, config: []string{fmt.Sprintf("{name: plain, runs: %d}", n)}, run: func(e *journal.Entry, i int) bool {
			e.Elapsed = simulator(i)
			e.Answers[0].Search = checking(i)
			return true
		}}
	}
	const ms = time.Millisecond
	about := func(d time.Duration) func(int) time.Duration {
		return func(i int) time.Duration { return d + time.Duration(i%10)*d/100 }
	}
	stalled := func(i int) time.Duration { // one run in five takes a second more
		return about(100*ms)(i) + time.Duration(max(0, i%5-3))*time.Second
	}
	wild := func(i int) time.Duration { // nearly as many far faster as slower, but the median is slower
		if i%20 < 9 {
			return 20 * ms
		}
		return 300 * ms
	}
	broken := paced(60, about(100*ms), about(50*ms)) // two of three runs fail late
	plainly := broken.run
	broken.run = func(e *journal.Entry, i int) bool {
		plainly(e, i)
		if i%3 > 0 {
			e.Outcome, e.Elapsed = sim.Deadlock, time.Second
		}
		return true
	}
	for what, c := range map[string]struct {
		old, new scenario
		want     string
	}{
		"failed runs":    {paced(40, about(100*ms), about(50*ms)), broken, ""},
		"the same":       {paced(40, about(100*ms), about(50*ms)), paced(40, about(100*ms), about(50*ms)), ""},
		"a little":       {paced(40, about(100*ms), about(50*ms)), paced(40, about(120*ms), about(60*ms)), ""},
		"slower":         {paced(40, about(100*ms), about(50*ms)), paced(30, about(200*ms), about(50*ms)), "simulator 2.00"},
		"faster":         {paced(40, about(200*ms), about(50*ms)), paced(30, about(100*ms), about(50*ms)), "simulator 0.50"},
		"checking":       {paced(40, about(100*ms), about(50*ms)), paced(40, about(100*ms), about(150*ms)), "checking 3.00"},
		"stalls":         {paced(40, about(100*ms), about(50*ms)), paced(40, stalled, about(50*ms)), ""},
		"few runs":       {paced(40, about(100*ms), about(50*ms)), paced(19, about(900*ms), about(50*ms)), ""},
		"little time":    {paced(40, about(10*ms), about(5*ms)), paced(40, about(20*ms), about(10*ms)), ""},
		"chance, not it": {paced(22, about(200*ms), about(50*ms)), paced(20, wild, about(50*ms)), ""},
	} {
		t.Run(what, func(t *testing.T) {
			got := ""
			for _, s := range compare(t, c.old, c.new).Speed {
				got += fmt.Sprintf("%s %.2f", s.What, s.New/s.Old)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestConfigs(t *testing.T) {
	d := compare(t, scenario{config: []string{plain, "{name: went, runs: 2}", "{name: kept, runs: 3, threads: 3, core: tso, store-buffer: 4}"}},
		scenario{config: []string{plain, "{name: kept, runs: 5, classify: [], threads: 3, core: ooo, window: 8, core-bugs: [load-not-squashed], bug: {about: x}}", "{name: came, runs: 1}"}})
	var got []string
	for _, c := range d.Configs {
		got = append(got, fmt.Sprint(c.Config, " ", c.Change, " ", c.Edits))
	}
	want := "kept edited [{core tso ooo} {core-bugs  load-not-squashed} {store-buffer 4 } {window  8} {canary false true}]; came added []; went removed []"
	if strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
	d = compare(t, scenario{config: []string{plain}, keys: "timeout: 10s\n"}, scenario{config: []string{strings.Replace(plain, "runs", "sim: host, runs", 1)}, keys: "timeout: 20s\n"})
	if got := fmt.Sprint(d.Configs); got != "[{plain edited [{sim builtin host} {timeout 10s 20s}]}]" {
		t.Error(got)
	}
	d = compare(t, scenario{config: []string{plain}, tools: map[string]string{"go": "1", "ordeal": "v1", "gcc": "12"}},
		scenario{config: []string{plain}, tools: map[string]string{"go": "1", "ordeal": "v2", "gem5": "24"}})
	if got := fmt.Sprint(d.Tools); got != "[{gcc 12  [] } {gem5  24 [] } {ordeal v1 v2 [] }]" {
		t.Errorf("tools %s", got)
	}
	if len(d.Configs) > 0 || d.ExitStatus() != 0 {
		t.Errorf("other tools: configs %v, want none; exit status %d, want 0", d.Configs, d.ExitStatus())
	}
}

// TestUnfinished requires a campaign whose journal is cut, or has not begun, to be
// compared as far as it is.
func TestUnfinished(t *testing.T) {
	some := failing(plain, "plain", 5, "x")
	none := some
	none.run = func(*journal.Entry, int) bool { return false }
	d := compare(t, some, none)
	if len(d.Findings) != 1 {
		t.Fatalf("findings %+v, want 1", d.Findings)
	}
	got := map[string]any{"runs": d.New.Runs, "planned": d.New.Planned, "exit status": d.ExitStatus(), "change": d.Findings[0].Change, "p": *d.Findings[0].P}
	if diff := cmp.Diff(map[string]any{"runs": 0, "planned": 100, "exit status": 0, "change": Gone, "p": 1.0}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d := compare(t, none, none); !d.Empty() {
		t.Errorf("%+v", d)
	}
}
