package papers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check/model"
)

var soak = flag.Bool("soak", false, "all sweeps of the papers, not one of each kind")

// tiny makes an experiment on few and small histories of its own campaign:
// the first two points of each parameter, short threads.
func tiny(t *testing.T, name string) (Experiment, *bench, *config.Campaign) {
	t.Helper()
	at := slices.IndexFunc(All(), func(e Experiment) bool { return e.Name == name })
	if at < 0 {
		t.Fatalf("no experiment %s", name)
	}
	e := All()[at]
	b := &bench{Options: Options{Scale: DefaultScale}, most: 200 * time.Millisecond}
	c, err := Campaign(e.Campaign)
	must.Succeed(t, err)
	lowest := func(of func(*config.Config) int) int {
		var values []int
		for i := range c.Configs {
			values = append(values, of(&c.Configs[i]))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		return values[min(1, len(values)-1)]
	}
	threads := lowest(func(c *config.Config) int { return c.Threads })
	locations := lowest(func(c *config.Config) int { return c.Locations })
	ops := lowest((*config.Config).Operations)
	c.Configs = slices.DeleteFunc(c.Configs, func(c config.Config) bool {
		return c.Threads > threads || c.Locations > locations || c.Operations() > ops
	})
	for i := range c.Configs {
		cfg := &c.Configs[i]
		if cfg.Bug == nil && cfg.Rounds == 1 {
			cfg.Ops /= 3
		}
		cfg.Runs = min(cfg.Runs, 8)
	}
	return e, b, c
}

// made makes a tiny experiment, at the default scale if that is 0.
func made(t *testing.T, name string, scale float64) finding {
	t.Helper()
	e, b, c := tiny(t, name)
	b.Scale = cmp.Or(scale, b.Scale)
	f, err := e.run(context.Background(), b, c)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// number is a cell.
func number(t *testing.T, row []any, i int) float64 {
	t.Helper()
	switch v := row[i].(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	t.Fatalf("cell %d is %v, no number: %v", i, row[i], row)
	return 0
}

// descend demands that some cells of a row descend.
func descend(t *testing.T, name string, row []any, cells ...int) {
	t.Helper()
	for i := range cells[1:] {
		if number(t, row, cells[i]) < number(t, row, cells[i+1]) {
			t.Errorf("%s: cell %d is below cell %d: %v", name, cells[i], cells[i+1], row)
		}
	}
}

// What theory says of the shares holds in every row.
func TestUnordered(t *testing.T) {
	f := made(t, "gcc-unordered", 0)
	for _, row := range f.tables[0].Rows {
		if number(t, row, 2) < 8 {
			t.Errorf("few histories: %v", row)
		}
		descend(t, "pairs: kernel ≥ wSC ≥ CCM", row, 6, 7, 8)
		descend(t, "with initial pairs more", row, 9, 8)
	}
	if again := made(t, "gcc-unordered", 0); !reflect.DeepEqual(f, again) {
		t.Errorf("a second measurement differs:\n%+v\n%+v", f, again)
	}
}

func TestKernels(t *testing.T) {
	f := made(t, "wsc-kernel", 0)
	rows := f.tables[0].Rows
	for _, row := range rows {
		descend(t, "kernel by wSC ≥ by CCM", row, 3, 4)
		descend(t, "pairs: kernel ≥ wSC ≥ CCM", row, 6, 7, 8)
		if rest, ok := row[5].(float64); ok && (rest >= 100 || number(t, row, 3) == 100) {
			t.Errorf("found otherwise %v: %v", rest, row)
		}
	}
	sum := 0.0
	for _, row := range rows[:len(rows)-1] {
		sum += number(t, row, 2)
	}
	if all := number(t, rows[len(rows)-1], 2); sum != all || all == 0 {
		t.Errorf("%v histories in all rows, %v in the last", sum, all)
	}
}

func TestCaught(t *testing.T) {
	for name, first := range map[string]int{"gcc-caught": 2, "wsc-caught": 2} {
		f := made(t, name, 0)
		rows := f.tables[0].Rows
		for _, row := range rows {
			if number(t, row, first) == 0 {
				continue
			}
			descend(t, "wSC ≥ CCM ≥ CCv ≥ CC", row, first+5, first+4, first+2, first+1)
			descend(t, "CCM ≥ CM ≥ CC", row, first+4, first+3, first+1)
		}
		all := rows[len(rows)-1]
		n := number(t, all, first)
		if n < 5 {
			t.Errorf("%s: %v violations: too few or too many", name, n)
		}
		ccv, ccm, wsc := number(t, all, first+2), number(t, all, first+4), number(t, all, first+5)
		want := map[string]string{
			"ccm": fmt.Sprintf("%.2f %% of %.0f", ccm, n), "early": fmt.Sprintf("%.2f %%", ccv), // CC catches no more than CCv
			"wsc": fmt.Sprintf("%.2f %% of %.0f", wsc, n), "missed": fmt.Sprintf("%.2f %%", 100-ccm),
		}
		if !reflect.DeepEqual(f.measured, want) {
			t.Errorf("%s: %v, want %v", name, f.measured, want)
		}
	}
}

// Every figure has all its methods measured at all points, and those that do not
// search do not give up on histories so small.
func TestSweeps(t *testing.T) {
	for _, name := range []string{"gcc-fig4a", "gcc-fig5", "gcc-buffers", "wsc-fig6", "gcc-fig4b", "gcc-fig6a", "gcc-fig6b", "wsc-fig7", "wsc-fig8", "wsc-fig9"} {
		if name == "gcc-fig4b" && !*soak {
			return // one of each kind was made
		}
		f := made(t, name, 0.005)
		for i, c := range f.tables[0].Columns[2:] {
			for _, row := range f.tables[0].Rows {
				// Whether what searches ends below the limit, in CPU time, depends
				// on the load: DBCOP and the solver of X-SAT are exponential.
				if s, ok := row[i+2].(Seconds); c.Name != "DBCOP" && c.Name != "X-SAT" && (!ok || s.Histories == 0 || s.GaveUp > 0 || !(s.Mean >= 0)) {
					t.Errorf("%s: %s: %+v", name, c.Name, row)
				}
			}
		}
	}
}

func TestTSOtool(t *testing.T) {
	f := made(t, "tsotool-grid", 1e-4)
	if len(f.tables) != 3 || len(f.tables[0].Columns) != 5 || len(f.tables[0].Rows) != 4 { // of two n, p and a each
		t.Fatalf("%d tables, %+v", len(f.tables), f.tables[0])
	}
	for _, row := range f.tables[0].Rows {
		for i := 3; i < len(row); i++ {
			if v := number(t, row, i); v < 0 || v > 100 {
				t.Errorf("%v %%: %v", v, row)
			}
		}
	}
	for _, row := range made(t, "tsotool-variants", 1e-4).tables[0].Rows {
		for i := 3; i <= 4; i++ {
			if s := row[i].(Seconds); s.Histories == 0 || s.GaveUp > 0 {
				t.Errorf("%+v: %v", s, row)
			}
		}
	}
}

// A check ends at the limit of CPU time, and with the caller's context.
func TestLimit(t *testing.T) {
	ctx, cancel := withCPU(context.Background(), 0)
	defer cancel()
	for ctx.Err() == nil { // uses CPU time
	}
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is %v", err)
	}
	parent, stop := context.WithCancel(context.Background())
	ctx, cancel = withCPU(parent, 1<<40)
	defer cancel()
	if ctx.Err() != nil {
		t.Error(ctx.Err())
	}
	stop()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is %v, want %v", err, context.Canceled)
	}

	// A procedure that needs longer gives up and is marked.
	_, b, c := tiny(t, "wsc-fig6")
	c.Configs[0].Threads, c.Configs[0].Ops = 6, 50
	runs, err := newSource(c).make(context.Background(), 0, 0, 1, 1)
	must.Succeed(t, err)
	b.most = 1
	s, err := b.mean(context.Background(), runs, model.SC, "x-sat")
	must.Succeed(t, err)
	if s.GaveUp != 1 || s.Histories != 1 {
		t.Errorf("%d of %d histories given up, want 1 of 1", s.GaveUp, s.Histories)
	}
	if _, err := b.check(parent, runs[0].history, model.SC, "x-sat"); err == nil {
		t.Error("a check goes on when the context has ended")
	}
}

// A short call is measured several times, and the mean taken.
func TestMeasure(t *testing.T) {
	calls := 0
	// A machine that is busy may take long for a short call.
	for try := 0; calls < 3 && try < 100; try++ {
		calls = 0
		start := audit.ProcessTime()
		spent, err := measure(func() error {
			calls++
			for end := audit.ProcessTime() + 100*time.Microsecond; audit.ProcessTime() < end; { // uses CPU time
			}
			return nil
		})
		all := audit.ProcessTime() - start
		must.Succeed(t, err)
		if calls > repeats+1 {
			t.Errorf("%d calls, want at most %d", calls, repeats+1)
		}
		if calls > 1 && spent*2 > all {
			t.Errorf("%v each of %d calls, %v together", spent, calls, all)
		}
	}
	if calls < 3 {
		t.Errorf("%d calls", calls)
	}
	want := errors.New("broken")
	if _, err := measure(func() error { return want }); !errors.Is(err, want) {
		t.Errorf("%v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{}, {Scale: -1}, {Scale: 1.1}, {Scale: 1, Only: []string{"fig4"}}} {
		if _, err := Run(context.Background(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// An interrupted bench has the experiments that were finished.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Run(ctx, Options{Scale: 1e-4, Only: []string{"gcc-caught", "wsc-caught"}, Progress: func(what string) {
		if strings.HasPrefix(what, "wsc") {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if len(r.Results) != 1 || r.Results[0].Name != "gcc-caught" {
		t.Errorf("results %+v, want one of gcc-caught", r.Results)
	}
}

// A report is written in all its forms.
func TestReport(t *testing.T) {
	var steps []string
	r, err := Run(context.Background(), Options{Scale: 1e-4, Only: []string{"gcc-unordered"}, Progress: func(what string) { steps = append(steps, what) }})
	must.Succeed(t, err)
	if len(steps) < 4 {
		t.Fatalf("steps %q, want at least 4", steps)
	}
	var text bytes.Buffer
	must.Succeed(t, r.WriteText(&text))
	for _, want := range []string{"gcc-unordered: Zennou et al.", "57.75 %", "→ measured: ", "SC-kernel (%)", "campaigns/lab/papers/gcc-unordered.yaml"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the text", want)
		}
	}
	data, err := json.Marshal(r)
	must.Succeed(t, err)
	var back Report
	must.Succeed(t, json.Unmarshal(data, &back))
	var again bytes.Buffer
	must.Succeed(t, back.WriteText(&again))
	if again.String() != text.String() { // a stored result has the text of a fresh one
		t.Errorf("the report read back is\n%s\nwant\n%s", &again, &text)
	}
}
