package papers

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
)

// some is a mean of all of n histories.
func some(mean float64, n int) Seconds { return Seconds{Mean: mean, Histories: n, Of: n} }

// Sentences about measured figures, from invented figures.
func TestFigures(t *testing.T) {
	f := &sweep{axis: byThreads, methods: []method{{Label: "A"}, {Label: "B"}, {Label: "C"}}}
	r := &swept{f: f, x: []int{4, 8, 16}, times: [][]Seconds{
		{some(1, 3), some(2, 3), some(0.001, 3)},
		{some(3, 4), some(0.5, 4), {Mean: 40, Histories: 2, Of: 4, GaveUp: 1}},
		{some(5, 4), some(0.25, 4), {Of: 4}},
	}}
	for _, c := range []struct {
		say  func(*swept) string
		want string
	}{
		{counts, "3 to 4"},
		{total, "11"},
		{speedOrder, "at 8 threads: C (≥ 40.0 s (2)), A (3.00 s), B (500 ms)"},
		{slower, "≥ 80.0 times at 8"},
		{longest, "mean at most 2.00 s"},
	} {
		if got := c.say(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := counts(&swept{times: r.times[1:]}); got != "4" {
		t.Errorf("%q", got)
	}
}

// Sentences about the grid: times invented, orders found where
// locations are many.
func TestGridFigures(t *testing.T) {
	var cells []cell
	for _, n := range []int{1024, 2048} {
		for _, p := range []int{2, 4} {
			for _, a := range []int{4, 8, 64} {
				c := cell{tuple: tuple{n, p, a}, measured: n, histories: 2, too: some(float64(n*p*p)/float64(a), 2)}
				if a == 64 {
					c.found = 2
				} else if p == 2 {
					c.found = 1
				}
				cells = append(cells, c)
			}
		}
	}
	// a ≤ 2p: (p=2, a=4), (p=4, a=4 and 8).
	if got := contention(cells); got != "all n: 17 % where a ≤ 2p, 100 % where a ≥ 8p" {
		t.Error(got)
	}
	tables := gridTables(cells)
	if diff := cmp.Diff([]any{"1K", 1024, 2, 50.0, 50.0, 100.0}, tables[0].Rows[0]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Sums of invented kernels: found by both, by wSC alone, by neither.
func TestKernelSums(t *testing.T) {
	var k kernelSums
	for _, r := range []check.KernelReport{
		{Pairs: 20, Kernel: 10, CCM: 10, WSC: 10}, {Pairs: 10, Kernel: 8, CCM: 4, WSC: 8},
		{Pairs: 10, Kernel: 10, CCM: 4, WSC: 9}, {Pairs: 10, Kernel: 10, CCM: 4, WSC: 8},
	} {
		k.add(&pairs{KernelReport: r, Initial: 10})
	}
	want := kernelSums{
		histories: 4, wsc: 2, ccm: 1, rest: 2, restShare: 90 + 80,
		kernel: 50 + 80 + 100 + 100, wscPairs: 50 + 80 + 90 + 80, ccmPairs: 50 + 40 + 40 + 40,
		wscInitial: 2000.0/30 + 90 + 95 + 90, ccmInitial: 2000.0/30 + 70 + 70 + 70,
	}
	if k != want || k.mean(k.kernel) != 82.5 {
		t.Errorf("%+v, want %+v", k, want)
	}
}

// Half of the histories of Fig. 8 are violations, all of those of Fig. 9.
func TestShareOfViolations(t *testing.T) {
	_, b, c := tiny(t, "wsc-fig8")
	s := newSource(c)
	for rewired, want := range map[int]int{0: 0, 1: 6, 2: 3} {
		f := &sweep{axis: byThreads, model: model.SC, rewired: rewired, valid: check.Allowed, least: 6}
		runs, err := f.histories(context.Background(), b, s, points(c, f.axis)[0], 0)
		must.Succeed(t, err)
		forbidden := 0
		for i := range runs {
			v, err := answer(context.Background(), &runs[i], model.SC)
			must.Succeed(t, err)
			if v.Answer == check.Forbidden {
				forbidden++
			}
		}
		if len(runs) != 6 || forbidden != want {
			t.Errorf("rewired %d: %d of %d are violations, want %d", rewired, forbidden, len(runs), want)
		}
	}
}

// Runs of an injected bug that violate nothing are left out.
func TestOnlyViolations(t *testing.T) {
	_, b, c := tiny(t, "gcc-fig5")
	s := newSource(c)
	f := &sweep{axis: byThreads, model: model.SC, valid: check.Forbidden, least: 16}
	p := points(c, f.axis)[0]
	all, err := b.deal(context.Background(), s, p.configs, f.least, 0)
	must.Succeed(t, err)
	runs, err := f.histories(context.Background(), b, s, p, 0)
	must.Succeed(t, err)
	for i := range runs {
		if v, err := answer(context.Background(), &runs[i], model.SC); err != nil || v.Answer != check.Forbidden {
			t.Errorf("%s: %v %v", configName(&runs[i]), v.Answer, err)
		}
	}
	if len(runs) == 0 || len(runs) >= len(all) {
		t.Errorf("%d of %d runs are violations: too few or too many", len(runs), len(all))
	}
}

// A method that gives up on all histories of a point is not tried again.
func TestNotTried(t *testing.T) {
	_, b, c := tiny(t, "wsc-fig6")
	for i := range c.Configs {
		c.Configs[i].Ops += 40
	}
	b.most = 1
	f := &sweep{axis: byOps, model: model.SC, valid: check.Allowed, least: 1, methods: []method{{"X-SAT", "x-sat"}, {"Ordeal", "auto"}}}
	got, err := f.run(context.Background(), b, c)
	must.Succeed(t, err)
	rows := got.tables[0].Rows
	if first, ok := rows[0][2].(Seconds); !ok || first.GaveUp != 1 {
		t.Errorf("first point %+v, want one history given up", rows[0][2])
	}
	if rows[1][2] != "not tried" {
		t.Errorf("second point %v, want not tried", rows[1][2])
	}
	if last, ok := rows[1][3].(Seconds); !ok || last.Histories != 1 {
		t.Errorf("%v", rows)
	}
}

// A slow method is measured on fewer histories, on all of them at full size.
func TestEnough(t *testing.T) {
	small, full := &bench{Options: Options{Scale: 0.01}}, &bench{Options: Options{Scale: 1}}
	if small.limit() != 2100*time.Millisecond || full.limit() != time.Minute {
		t.Errorf("limits %v and %v", small.limit(), full.limit())
	}
	for rounds, want := range map[int]int{1: 1, 8: 1, 64: 6, 256: 26} {
		cfg := &config.Config{Programs: config.Programs{Rounds: rounds}}
		if got, all := small.rounds(cfg), full.rounds(cfg); got != want || all != rounds {
			t.Errorf("%d rounds: %d at a small scale, want %d; %d at full size", rounds, got, want, all)
		}
	}
	for _, c := range []struct {
		t           Seconds
		small, full bool
	}{
		{Seconds{Of: 4}, false, false},
		{Seconds{Mean: 0.1, Histories: 1, Of: 4}, false, false},
		{Seconds{Mean: 0.6, Histories: 1, Of: 4}, true, false},
		{Seconds{Mean: 60, Histories: 3, Of: 4}, true, false},
	} {
		if got, all := small.enough(&c.t), full.enough(&c.t); got != c.small || all != c.full {
			t.Errorf("%+v: %v at a small scale, %v at full size", c.t, got, all)
		}
	}
}
