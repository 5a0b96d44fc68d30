package html

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/sim"
)

// TestVerdict checks the sentence at the top, its tone and what explains it.
func TestVerdict(t *testing.T) {
	const faults = `{name: x, sim: builtin, configs: [{name: a, runs: 2}, {name: bird, runs: 1, bug: {about: x}}, {name: still, runs: 1, bug: {about: y, equivalent: z}}]}`
	crash := fails(sim.Crash, "boom")
	for name, c := range map[string]struct {
		a, b, bird, still    func(*journal.Entry)
		end                  journal.End
		sentence, class, say string
		status               string
	}{
		"good":      {bird: crash, sentence: "Nothing found and the canary caught.", class: "good", end: journal.EndComplete, status: "0, nothing found"},
		"finding":   {a: crash, b: crash, bird: crash, sentence: "1 finding and the canary caught.", class: "bad", end: journal.EndComplete, status: "1, a finding"},
		"missed":    {sentence: "Nothing found and 1 canary missed.", class: "bad", say: "No run showed the bugs of bird.", end: journal.EndComplete, status: "1, a finding"},
		"loud":      {bird: crash, still: crash, sentence: "1 finding and the canary caught.", class: "bad", say: "Runs failed in still, whose bugs cannot show.", end: journal.EndComplete, status: "1, a finding"},
		"infra":     {bird: crash, a: fails(sim.Infra, "disk full"), sentence: "Nothing found, the canary caught and 1 run ended with an infrastructure error.", class: "open", end: journal.EndComplete, status: "4, infrastructure"},
		"undecided": {bird: crash, a: answers(check.Unknown), sentence: "Nothing found, the canary caught and 1 verdict undecided.", class: "open", end: journal.EndComplete, status: "3, undecided"},
		"running":   {bird: skip, sentence: "Nothing found and 0 of 1 canary caught so far.", class: "open", say: "3 of 4 planned runs ended.", status: "none yet"},
		"budget":    {bird: skip, sentence: "Nothing found and 0 of 1 canary caught.", class: "open", say: "3 of 4 planned runs ended.", end: journal.EndBudget, status: "3, undecided"},
		"weak":      {bird: crash, a: weak, b: weak, sentence: "Nothing found and the canary caught.", class: "good", say: "2 of 2 runs without injected bugs are TSO but not SC.", end: journal.EndInterrupted, status: "3, undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			camp, err := config.Parse("x", []byte(faults), nil)
			must.Succeed(t, err)
			edits := map[string][]func(*journal.Entry){"a": {c.a, c.b}, "bird": {c.bird}, "still": {c.still}}
			a := fake(t, faults, journal.Header{End: c.end, Spent: time.Minute}, func(yield func(*journal.Entry)) {
				for n, i := range camp.Schedule() {
					config := camp.Configs[i].Name
					e := entry(config, n, edits[config][0])
					if edits[config] = edits[config][1:]; e.Outcome != none {
						yield(e)
					}
				}
			})
			n, err := collect(context.Background(), a)
			must.Succeed(t, err)
			h := n.header()
			if h.Sentence != c.sentence || h.Class != c.class {
				t.Errorf("%s: %q, want %s: %q", h.Class, h.Sentence, c.class, c.sentence)
			}
			if !strings.Contains(strings.Join(h.Details, " "), c.say) {
				t.Errorf("details %q, want %q", h.Details, c.say)
			}
			if !slices.Contains(h.Facts, fact{Name: "exit status", Value: c.status}) {
				t.Errorf("facts: %q, want the exit status %q", h.Facts, c.status)
			}
		})
	}
}

// none is the outcome of a run that the test leaves out.
const none = sim.Outcome(99)

func skip(e *journal.Entry) { e.Outcome = none }

func weak(e *journal.Entry) {
	e.Answers = append(e.Answers, run.Answer{Model: "sc", Answer: check.Forbidden.String()})
}

func answers(a check.Answer) func(*journal.Entry) {
	return func(e *journal.Entry) { e.Answers[0].Answer = a.String() }
}

// TestEnds has words for every end of a campaign.
func TestEnds(t *testing.T) {
	seen := map[string]bool{}
	for _, end := range []journal.End{"", journal.EndComplete, journal.EndStopped, journal.EndBudget, journal.EndInterrupted, journal.EndInfra} {
		n := &campaignData{archive: &journal.Archive{Header: journal.Header{End: end}}, sum: &summary.Summary{Stopped: "run 7"}}
		text := n.end()
		if seen[text] || len(text) < 5 {
			t.Errorf("%q ends as %q, which is short or the text of another end", end, text)
		}
		if end == journal.EndStopped && text != "stopped at run 7" {
			t.Errorf("%q ends as %q, want that it stopped at run 7", end, text)
		}
		seen[text] = true
	}
}

// TestTable checks a line of the table of configurations.
func TestTable(t *testing.T) {
	r := &summary.Row{
		Config: "a", Expect: "tso", Runs: 4000, Operations: 8000, Outcomes: map[sim.Outcome]int{sim.Passed: 3000, sim.Crash: 1000},
		Answers:   map[string]map[string]int{"tso": {"allowed": 3990, "forbidden": 9, "unknown": 1}},
		Simulated: time.Second, Checked: time.Second, Whole: true,
		Coverage: sim.Coverage{{Row: sim.Row{State: "A"}, Count: 3}, {Row: sim.Row{State: "B"}}, {Row: sim.Row{State: "C"}, Count: 1}},
	}
	v := line(r, []string{"tso", "sc"})
	want := rowView{Runs: "4,000", Rate: "4,000", Coverage: "66.7 %", Covered: 666, Outcomes: []outcomeView{{"crash", 1000, 250}, {"passed", 3000, 750}}}
	if diff := cmp.Diff(want, rowView{Runs: v.Runs, Rate: v.Rate, Coverage: v.Coverage, Covered: v.Covered, Outcomes: v.Outcomes}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if want := []answerView{{3990, 9, 1, true, true}, {}}; !slices.Equal(v.Answers, want) {
		t.Errorf("answers %v, want %v", v.Answers, want)
	}
	r.Whole = false
	if v := line(r, nil); v.Coverage != "2 taken" || v.Covered != -1 {
		t.Errorf("of an open table: %+v", v)
	}
}
