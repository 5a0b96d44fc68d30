package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

var update = flag.Bool("update", false, "rewrite the expected text in testdata")

// eventful returns two campaigns with every kind of difference.
func eventful() (old, new scenario) {
	configs := []string{
		plain, host, canary("gone-blind", 50), canary("back", 50), canary("short", 50), canary("fading", 50),
		"{name: protocol, runs: 60, protocol: mi}", "{name: same, runs: 3}",
	}
	old = scenario{seed: 1, config: append(configs, "{name: went, runs: 2}"), tools: map[string]string{"ordeal": "v1", "go": "go1"}}
	new = scenario{seed: 1, config: append(configs, "{name: came, runs: 2}"), tools: map[string]string{"ordeal": "v2", "go": "go1"}}
	new.config = append([]string{}, new.config...)
	new.config[7] = "{name: same, runs: 4, threads: 3}"
	new.config[4] = canary("short", 5)
	both := func(e *journal.Entry, i int, late bool) {
		switch e.ConfigName {
		case "host":
			if i%9 == 0 || late && i%4 == 0 {
				fail(e, "history forbidden by tso")
			}
			if !late && i == 50 {
				e.Outcome, e.Title = sim.Deadlock, "no progress"
			}
		case "gone-blind":
			if !late && i > 4 {
				fail(e, "history forbidden by tso")
			}
		case "back":
			if late && i == 3 {
				fail(e, "history forbidden by tso")
			}
		case "short":
			if !late && i > 20 {
				fail(e, "history forbidden by tso")
			}
		case "fading":
			if !late || i%10 == 1 {
				fail(e, "history forbidden by tso")
			}
		case "protocol":
			e.Covered = &run.Covered{Taken: 3}
			if i == 0 {
				for _, event := range []string{"Load", "Store", "Inv", "Fwd_GETS"} {
					e.New = append(e.New, sim.Transition{Row: sim.Row{Machine: "L1Cache", State: "I", Event: event}})
				}
			}
			e.Counts = []uint64{1, 1}
			if i == 7 && !late {
				e.Counts = []uint64{1, 1, 1}
			}
			if late {
				e.Counts = []uint64{1, 0, 0, 1}
			}
			e.Elapsed, e.Answers[0].Search = 50*time.Millisecond, 60*time.Millisecond
			if late {
				e.Elapsed, e.Answers[0].Search = 90*time.Millisecond, 30*time.Millisecond
			}
		case "plain":
			if late && i%30 == 0 {
				fail(e, "history forbidden by tso")
				e.LogHash = sum("other")
			}
		}
	}
	old.run = func(e *journal.Entry, i int) bool { both(e, i, false); return true }
	new.run = func(e *journal.Entry, i int) bool { both(e, i, true); return e.Number < 400 }
	return old, new
}

// TestText compares the text with what was read and checked once.
func TestText(t *testing.T) {
	d := compare(t, scenario{config: []string{plain}}, scenario{config: []string{plain}})
	var b strings.Builder
	if err := d.WriteText(&b, "ordeal"); err != nil || b.Len() > 0 {
		t.Errorf("of nothing: %q, %v", b.String(), err)
	}
	d = compare(t, first(eventful()), second(eventful()))
	b.Reset()
	must.Succeed(t, d.WriteText(&b, "ordeal"))
	got := regexp.MustCompile(`/\S*/(old|new)\b`).ReplaceAllString(b.String(), "runs/$1")
	const file = "testdata/eventful.txt"
	if *update {
		must.Succeed(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must.Succeed(t, err)
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRecurringText names what both campaigns found where they differ in something.
func TestRecurringText(t *testing.T) {
	every := func(seed int, version string, titles int) scenario {
		return scenario{seed: seed, config: []string{plain}, tools: map[string]string{"ordeal": version}, run: func(e *journal.Entry, i int) bool {
			if i%10 < titles {
				fail(e, fmt.Sprintf("title %d", i%10))
			}
			return true
		}}
	}
	for titles, want := range map[int]string{
		1: "\nfindings that recur\n  violation: title 0: 10 of 100 runs (10 %), before 10 of 100 runs (10 %)\n\n",
		6: "title 3: 10 of 100 runs (10 %), before 10 of 100 runs (10 %)\n  and 2 more: --json lists them\n\n",
	} {
		var b strings.Builder
		must.Succeed(t, compare(t, every(1, "v1", titles), every(2, "v2", titles)).WriteText(&b, "ordeal"))
		if !strings.Contains(b.String(), want) {
			t.Errorf("%d findings:\n%s", titles, &b)
		}
	}
}

// TestVisible requires titles to do nothing to a terminal, and to take one line.
func TestVisible(t *testing.T) {
	d := compare(t, scenario{config: []string{plain}}, failing(plain, "plain", 5, "\x1b]0;owned\x07\nnew findings\r"))
	var b strings.Builder
	must.Succeed(t, d.WriteText(&b, "ordeal"))
	if !strings.Contains(b.String(), "  violation: \\u001b]0;owned\\u0007\\nnew findings\\u000d\n") {
		t.Errorf("%q", b.String())
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 7: "7ns", 332_883: "333µs", 12_345_678: "12.3ms", 9_876 * time.Millisecond: "9.88s", 3*time.Hour + 7*time.Second: "3h0m0s",
	} {
		if got := brief(d); got != want {
			t.Errorf("%d ns is %s, want %s", d, got, want)
		}
	}
}

func first(old, _ scenario) scenario  { return old }
func second(_, new scenario) scenario { return new }

// TestJSON requires lists to be lists, if empty ones, and names to stay.
func TestJSON(t *testing.T) {
	for _, scenarios := range [][2]scenario{{{config: []string{plain}}, {config: []string{plain}}}, {first(eventful()), second(eventful())}} {
		text, err := json.Marshal(compare(t, scenarios[0], scenarios[1]))
		must.Succeed(t, err)
		var d map[string]any
		must.Succeed(t, json.Unmarshal(text, &d))
		for _, key := range []string{"findings", "canaries", "changed", "coverage", "speed", "configs", "tools"} {
			if _, ok := d[key].([]any); !ok {
				t.Errorf("%s is %v", key, d[key])
			}
		}
	}
}
