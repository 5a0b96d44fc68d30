package progress

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// someState is a campaign in the middle of a night.
func someState(now time.Time) *Status {
	c := &config.Campaign{Name: "night", Budget: config.Duration(8 * time.Hour)}
	return &Status{
		campaign: c, Runs: 12_345, Planned: 400_000, Spent: 51 * time.Minute, noted: now,
		Outcomes: map[string]int{"passed": 12_300, "violation": 31, "crash": 14, "infra": 2},
		Canaries: 25, Caught: 12, Missed: []string{"mi-swap-store"},
		Coverage: []Covered{{"mi", 34, 34}, {"mesi-two-level", 156, 157}, {"moesi-hammer", 150, 205}, {"moesi-amd-base", 400, 497}, {"MI_example", 20, 0}},
		found:    2, last: "violation: history forbidden by tso; run 17 of mi-ooo", lastAt: now.Add(-3 * time.Minute),
		pace: samples{{now.Add(-time.Minute), 10_945, 1_000_000}, {now, 12_345, 7_000_000}},
	}
}

// TestProgressLines requires all of the display within 80 columns, and no line
// wider than a narrow terminal.
func TestProgressLines(t *testing.T) {
	now := time.Now()
	s := someState(now)
	text := strings.Join(s.lines(now.Add(10*time.Second), 79), "\n")
	for _, want := range []string{
		// 1,400 runs in a minute: 23.3 a second, 387,655 runs are left for
		// 16,614 s; 10 s of those are gone.
		"12,345 of 400,000 runs █", "░ 3.1 %, 4h37m left\n",
		"speed     23.3 runs/s, 100,000 operations/s, 51m10s spent\n",
		"outcomes  12,300 passed, 31 violation, 14 crash, 2 not made\n",
		"canaries  12 of 25 caught; missed: mi-swap-store\n",
		"coverage  mi 100.0 %, mesi-two-level 99.3 %, moesi-hammer 73.1 %,\n          moesi-amd-base 80.4 %, MI_example 20 rows\n",
		"found     2 findings, last 3m10s ago: violation: history forbidden by tso; run…",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for width := 1; width < 200; width++ {
		for _, line := range s.lines(now, width) {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d columns, not %d: %s", n, width, line)
			}
		}
	}
	want := "12,345 of 400,000 runs 3.1 %; 23.3 runs/s, 100,000 operations/s, 51m00s spent; 4h37m left; " +
		"12,300 passed, 31 violation, 14 crash, 2 not made; canaries: 12 of 25 caught; missed: mi-swap-store; 2 findings"
	if got := s.line(now); got != want {
		t.Errorf("plain:\n%s\nwant\n%s", got, want)
	}
	// The budget ends it before its runs do.
	s.Spent = 7*time.Hour + 59*time.Minute
	if got := s.lines(now, 80)[0]; !strings.HasSuffix(got, " 99.8 % of budget, 1m00s left") {
		t.Errorf("at the end: %s", got)
	}
	empty := newStatus(new(config.Campaign))
	if got := empty.lines(now, 80); len(got) != 4 || !strings.Contains(got[0], "0 of 0 runs") {
		t.Errorf("before the first run: %q", got)
	}
}

// TestCoverageOf wants protocols to be what all kinds of run took together, but
// canaries: their tables are others.
func TestCoverageOf(t *testing.T) {
	rows := func(counts ...uint64) sim.Coverage {
		var c sim.Coverage
		for i, n := range counts {
			c = append(c, sim.Transition{Row: sim.Row{Machine: "M", State: "I", Event: fmt.Sprint(i)}, Count: n})
		}
		return c
	}
	c := new(config.Campaign)
	s := new(summary.Summary)
	for _, r := range []struct {
		protocol string
		canary   *summary.Canary
		coverage sim.Coverage
		whole    bool
	}{
		{"mi", nil, rows(1, 0, 0, 0, 0), true},
		{"mi", new(summary.Canary), rows(1, 1, 1, 1, 0), true},
		{"", nil, nil, false}, // the processor
		{"mi", nil, rows(2, 7, 0, 0, 0), true},
		{"MI_example", nil, rows(1, 1), false},
	} {
		cfg := config.Config{Name: fmt.Sprint(len(c.Configs))}
		if cfg.Protocol = r.protocol; r.canary != nil {
			cfg.Bug = new(config.Bug)
		}
		c.Configs = append(c.Configs, cfg)
		s.Rows = append(s.Rows, summary.Row{Config: cfg.Name, Canary: r.canary, Coverage: r.coverage, Whole: r.whole})
	}
	if got, want := coverageOf(c, s), []Covered{{"mi", 2, 5}, {"MI_example", 2, 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// What one machine never reaches counts if another one may.
	s.Rows[0].Unreachable, s.Rows[3].Unreachable = s.Rows[0].Coverage[3:], s.Rows[3].Coverage[4:]
	if got, want := coverageOf(c, s), []Covered{{"mi", 2, 4}, {"MI_example", 2, 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSamples(t *testing.T) {
	var s samples
	start := time.Now()
	// Ten runs a second for two minutes, then one a second for two minutes.
	runs := 0
	for i := range 1200 {
		runs++
		s.add(sample{start.Add(time.Duration(i) * 100 * time.Millisecond), runs, 5 * runs}, 5)
	}
	perSecond, operations, ok := s.rates()
	if !ok || math.Abs(perSecond-10) > 0.2 {
		t.Errorf("%v runs/s (%v), want 10", perSecond, ok)
	}
	if operations != 5*perSecond {
		t.Errorf("%v operations/s at %v runs/s of 5", operations, perSecond)
	}
	for i := range 120 {
		runs++
		s.add(sample{start.Add(2*time.Minute + time.Duration(i)*time.Second), runs, 5 * runs}, 5)
	}
	if perSecond, _, _ := s.rates(); perSecond < 0.98 || perSecond > 1.1 {
		t.Errorf("%v runs/s after it slowed down", perSecond)
	}
	if len(s) > 70 {
		t.Errorf("%d samples are kept", len(s))
	}
}

// TestPace wants a line every five seconds at first, and some hundred in a
// night.
func TestPace(t *testing.T) {
	start := time.Now()
	p := Pace{Start: start}
	first, all := 0, 0
	for s := 1; s <= 8*3600; s++ {
		if p.Due(start.Add(time.Duration(s) * time.Second)) {
			if all++; s <= 50 {
				first++
			}
		}
	}
	if first != 10 {
		t.Errorf("%d lines in the first 50 seconds, want 10", first)
	}
	if all < 100 || all > 200 {
		t.Errorf("%d lines in eight hours, want 100 to 200", all)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 400 * time.Millisecond: "0s", 59*time.Second + 600*time.Millisecond: "1m00s", 61 * time.Second: "1m01s",
		time.Hour: "1h00m", 4*time.Hour + 12*time.Minute + 29*time.Second: "4h12m", 49 * time.Hour: "49h00m",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v is written %s, want %s", d, got, want)
		}
	}
}

// TestLine wants a plain line where one is due, what stays at once, and nothing
// without a mode.
func TestLine(t *testing.T) {
	var out strings.Builder
	l := NewLine(&out, &out, ModePlain, "begin")
	l.Show("%d of 3", 1) // not due
	fmt.Fprintln(l, "stays")
	l.due.Start = l.due.Start.Add(-2 * Every)
	l.Show("%d of 3\x1b", 2)
	l.Show("%d of 3", 3) // not due again
	l.Close()
	fmt.Fprintln(l, "after")
	if got, want := out.String(), "stays\n10s: 2 of 3\\u001b\nafter\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out.Reset()
	l = NewLine(&out, &out, ModeNone, "begin")
	l.due.Start = l.due.Start.Add(-2 * Every)
	l.Show("1")
	fmt.Fprintln(l, "stays")
	l.Close()
	if out.Len() > 0 {
		t.Errorf("%q without progress", out.String())
	}
}
