package html

import (
	"strings"
	"testing"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/compare"
	"ordeal/sim"
)

// crashes is a campaign of 100 runs of one configuration, of which so many end
// with each title.
func crashes(t *testing.T, titles map[string]int) *journal.Archive {
	const file = "name: night\nsim: builtin\nconfigs:\n  - {name: a, runs: 100}\n"
	return fake(t, file, journal.Header{End: journal.EndComplete}, func(yield func(*journal.Entry)) {
		number := 0
		for _, title := range sortedKeys(titles) {
			for range titles[title] {
				yield(entry("a", number, fails(sim.Crash, title)))
				number++
			}
		}
		for ; number < 100; number++ {
			yield(entry("a", number, nil))
		}
	})
}

// TestSince marks findings by what they were in an earlier campaign.
func TestSince(t *testing.T) {
	old := crashes(t, map[string]int{"stays": 10, "was rare": 2, "was frequent": 40, "comes and goes": 40})
	a := crashes(t, map[string]int{"stays": 12, "comes and goes": 5, "appears": 1})
	b, err := compare.Compare(old, a)
	must.Succeed(t, err)
	page := reported(t, a, Options{Baseline: b})
	all := parsePage(t, page)
	checkSafe(t, page, all)
	checkAccess(t, all)
	got := map[string]string{}
	links := 0
	for _, row := range byID(t, all, "since").within("tr")[1:] {
		title := strings.TrimPrefix(strings.TrimSpace(row.children[0].content()), "crash: ")
		got[strings.TrimSpace(strings.TrimSuffix(title, "builtin"))] = row.children[1].content()
		links += len(row.within("a"))
	}
	// Fisher's exact test of 2 of 100 against none has p = 0.5, of 40 of 100
	// against none and against 5 of 100 p < 0.001.
	want := map[string]string{"appears": "new", "stays": "recurring", "comes and goes": "flaky", "was frequent": "fixed", "was rare": "not seen"}
	for title, mark := range want {
		if got[title] != mark {
			t.Errorf("%q is %q, want %q", title, got[title], mark)
		}
	}
	if len(got) != len(want) || links != 3 {
		t.Errorf("%d rows, %d of them with a link; want %d and 3: %v", len(got), links, len(want), got)
	}
	findings := byID(t, all, "findings").content()
	for _, text := range []string{"newappears", "recurringstays", "flakycomes and goes"} {
		if !strings.Contains(strings.Join(strings.Fields(findings), " "), text) {
			t.Errorf("the findings lack %q:\n%s", text, findings)
		}
	}
	if strings.Contains(reported(t, a, Options{}), `id="since"`) {
		t.Error("without an earlier campaign there is a section about it")
	}
}

// TestTitles says an outcome once.
func TestTitles(t *testing.T) {
	const file = "name: x\nsim: builtin\nconfigs:\n  - {name: a, runs: 1, protocol: mi, core: ooo, mutant: 'MI_example/L1Cache/(IM,Data)/drop:k_wakeUp'}\n"
	a := fake(t, file, journal.Header{}, func(yield func(*journal.Entry)) {
		yield(entry("a", 0, fails(sim.Deadlock, "deadlock: L1Cache is busy in M")))
	})
	all := parsePage(t, reported(t, a, Options{}))
	if h := byID(t, all, "finding-1").within("h3")[0].content(); !strings.HasPrefix(h, "L1Cache is busy") {
		t.Errorf("beside the outcome the title is %q", h)
	}
	row := byID(t, all, "configurations").within("tbody")[0].within("tr")[0].content()
	for _, want := range []string{"mi", "ooo", "MI_example/L1Cache/(IM,Data)/drop:k_wakeUp"} {
		if !strings.Contains(row, want) {
			t.Errorf("the configuration lacks %q: %s", want, row)
		}
	}
}
