package html

import (
	"context"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

// marks are the elements of a class in the wide version of a plot.
func marks(t *testing.T, plot template.HTML, class string) []*element {
	t.Helper()
	all := parsePage(t, "<div>"+string(plot)+"</div>")
	svgs := named(all, "svg")
	if len(svgs) != 2 {
		t.Fatalf("a plot in %d widths, want 2: %.200s", len(svgs), plot)
	}
	counts := make([][]*element, len(svgs))
	for i, svg := range svgs {
		if class, want := svg.attrs["class"], []string{"wide", "narrow"}[i]; !strings.Contains(class, want) {
			t.Fatalf("plot %d has class %q, want %q", i, class, want)
		}
		for _, name := range []string{"circle", "path", "rect", "text"} {
			for _, e := range svg.within(name) {
				if e.attrs["class"] == class {
					counts[i] = append(counts[i], e)
				}
			}
		}
	}
	if len(counts[0]) != len(counts[1]) {
		t.Errorf("%d marks %s in the wide, %d in the narrow plot", len(counts[0]), class, len(counts[1]))
	}
	return counts[0]
}

// place is a coordinate of a mark.
func place(t *testing.T, e *element, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attrs[name], 64)
	must.Succeed(t, err)
	return v
}

// withCanaries makes a campaign of canaries, every second one of which is caught
// by its last run, and of one configuration with as many findings.
func withCanaries(t *testing.T, n int) *campaignData {
	file := "name: x\nsim: builtin\nconfigs:\n"
	for i := range n {
		file += fmt.Sprintf("  - {name: bird%d, runs: %d, threads: 2, ops: 10, rounds: 5, bug: {about: x}}\n", i, i+1)
	}
	file += fmt.Sprintf("  - {name: a, runs: %d}\n", n)
	camp, err := config.Parse("x", []byte(file), nil)
	must.Succeed(t, err)
	made := make([]int, n+1)
	a := fake(t, file, journal.Header{}, func(yield func(*journal.Entry)) {
		for number, i := range camp.Schedule() {
			made[i]++
			var edit func(*journal.Entry)
			if i == n || i%2 == 0 && made[i] == i+1 {
				edit = fails(sim.Crash, fmt.Sprintf("title %d", number))
			}
			yield(entry(camp.Configs[i].Name, number, edit))
		}
	})
	data, err := collect(context.Background(), a)
	must.Succeed(t, err)
	return data
}

// TestCatches has a line for each canary, those caught first by operations,
// and a curve where they are many.
func TestCatches(t *testing.T) {
	n := withCanaries(t, 6)
	drawn, note := n.catches()
	caught := marks(t, drawn, "caught")
	if len(caught) != 3 || len(marks(t, drawn, "cross")) != 3 {
		t.Fatalf("%d caught of 6, 3 should be", len(caught))
	}
	for i, want := range []string{"bird0: caught after 100 operations", "bird2: caught after 300 operations", "bird4: caught after 500 operations"} {
		if title := caught[i].content(); !strings.HasPrefix(title, want) {
			t.Errorf("%q, want %q", title, want)
		}
		if i > 0 && (place(t, caught[i], "cx") <= place(t, caught[i-1], "cx") || place(t, caught[i], "cy") <= place(t, caught[i-1], "cy")) {
			t.Errorf("canary %d is not to the right and below of the one before", i)
		}
	}
	many, other := withCanaries(t, catchesShown+2).catches()
	if len(marks(t, many, "curve s0")) != 1 || len(marks(t, many, "mark s0")) != catchesShown/2+1 {
		t.Error("many canaries are no curve with a mark for each that was missed")
	}
	if note == other {
		t.Errorf("both notes are %q", note)
	}
}

// TestOccurrences has a line for each finding, and a curve where they are many.
func TestOccurrences(t *testing.T) {
	n := withCanaries(t, 5)
	drawn, note := n.occurrences()
	found := marks(t, drawn, "found")
	if len(found) != 5 || len(marks(t, drawn, "end")) != 5 {
		t.Fatalf("%d findings, 5 should be", len(found))
	}
	for i := 1; i < len(found); i++ {
		if place(t, found[i], "cx") < place(t, found[i-1], "cx") {
			t.Error("findings are not in order of their first runs")
		}
	}
	if marks := marks(t, n.throughput(), "found"); len(marks) != 5 {
		t.Errorf("%d findings on the plot of throughput", len(marks))
	}
	many, other := withCanaries(t, occurrencesShown+1).occurrences()
	if len(marks(t, many, "curve s0")) != 1 || note == other {
		t.Errorf("many findings are no curve; notes %q and %q", note, other)
	}
}

// TestSplit has a bar for each configuration and kind of time, in proportion.
func TestSplit(t *testing.T) {
	n := withCanaries(t, 3)                                       // 1 ms of simulator and of search a run
	if bars := marks(t, n.split(), "part p0"); len(bars) != 4+1 { // and the key
		t.Errorf("%d bars of the simulator, 4 should be", len(bars)-1)
	} else if first, last := place(t, bars[1], "width"), place(t, bars[4], "width"); first/last < 2.9 || first/last > 3.1 {
		t.Errorf("3 runs are %g wide, 1 is %g", first, last)
	}
	many := withCanaries(t, splitShown+5)
	if len(marks(t, many.split(), "part p0")) != splitShown+1 || !strings.Contains(string(many.split()), "and 6 others: ") {
		t.Error("many configurations are not bounded")
	}
}

// TestShorten bounds texts in every direction.
func TestShorten(t *testing.T) {
	if got := shorten("\na\nb\n\n"); got != "a\nb" {
		t.Errorf("%q", got)
	}
	if got := shorten(strings.Repeat("x\n", linesShown+5)); strings.Count(got, "\n") != linesShown || !strings.HasSuffix(got, "\n…") {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
	if got := shorten(strings.Repeat("x", 1_000_000)); len(got) > lineShown+10 {
		t.Errorf("%d characters in a line", len(got))
	}
	if got := shorten(strings.Repeat(strings.Repeat("x", 200)+"\n", 59)); len(got) > textShown+10 {
		t.Errorf("%d characters", len(got))
	}
}
