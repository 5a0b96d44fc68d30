package papers

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns"
	"ordeal/check/model"
)

// tiny makes an experiment on few and small histories of its own campaign:
// the first two points of each parameter, short threads.
func tiny(t *testing.T, name string) (Experiment, *bench, *campaigns.Campaign) {
	t.Helper()
	at := slices.IndexFunc(All(), func(e Experiment) bool { return e.Name == name })
	if at < 0 {
		t.Fatalf("no experiment %s", name)
	}
	e := All()[at]
	b := &bench{Options: Options{Scale: 1e-4}, most: 200 * time.Millisecond}
	if e.File == "" {
		return e, b, nil
	}
	c, err := Campaign(e.File)
	if err != nil {
		t.Fatal(err)
	}
	lowest := func(of func(*campaigns.Config) int) int {
		var values []int
		for i := range c.Configs {
			values = append(values, of(&c.Configs[i]))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		return values[min(1, len(values)-1)]
	}
	threads := lowest(func(c *campaigns.Config) int { return c.Threads })
	locations := lowest(func(c *campaigns.Config) int { return c.Locations })
	ops := lowest(historyOps)
	c.Configs = slices.DeleteFunc(c.Configs, func(c campaigns.Config) bool {
		return c.Threads > threads || c.Locations > locations || historyOps(&c) > ops
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

func made(t *testing.T, name string) finding {
	t.Helper()
	e, b, c := tiny(t, name)
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
	f := made(t, "gcc-unordered")
	for _, row := range f.tables[0].Rows {
		if number(t, row, 2) < 8 {
			t.Errorf("few histories: %v", row)
		}
		descend(t, "cf, CCv, wCCM ≥ CCM ≥ wSC ≥ kernel", row, 4, 5, 7, 8, 9)
		descend(t, "wCCM ≥ CCM", row, 6, 7)
		descend(t, "with initial pairs fewer, CCv", row, 5, 10, 11)
	}
	if again := made(t, "gcc-unordered"); !reflect.DeepEqual(f, again) {
		t.Errorf("a second measurement differs:\n%+v\n%+v", f, again)
	}
}

func TestKernels(t *testing.T) {
	f := made(t, "wsc-kernel")
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
	for name, first := range map[string]int{"gcc-caught": 3, "wsc-caught": 1} {
		rows := made(t, name).tables[0].Rows
		for _, row := range rows {
			if number(t, row, first) == 0 {
				continue
			}
			descend(t, "wSC ≥ CCM ≥ CCv ≥ CC", row, first+5, first+4, first+2, first+1)
			descend(t, "CCM ≥ CM ≥ CC", row, first+4, first+3, first+1)
		}
		if n := number(t, rows[len(rows)-1], first); n < 5 {
			t.Errorf("%s: %v violations: the test says little", name, n)
		}
	}
}

// Every figure has all its methods measured at all points, and none gives up
// on histories so small.
func TestSweeps(t *testing.T) {
	for _, name := range []string{"gcc-fig4a", "gcc-fig4b", "gcc-fig5", "gcc-fig6a", "gcc-fig6b", "gcc-buffers", "wsc-fig6", "wsc-fig7", "wsc-fig8", "wsc-fig9"} {
		f := made(t, name)
		for _, s := range f.charts[0].Series {
			if len(s.Points) != len(f.tables[0].Rows) {
				t.Errorf("%s: %s has %d points of %d", name, s.Name, len(s.Points), len(f.tables[0].Rows))
			}
			for _, p := range s.Points {
				// DBCOP is exponential in the number of threads.
				if p.Bound && s.Name != "DBCOP" || p.Y > 1 {
					t.Errorf("%s: %s: %+v", name, s.Name, p)
				}
			}
		}
	}
}

func TestTSOtool(t *testing.T) {
	f := made(t, "tsotool-grid")
	if len(f.tables) != 3 || len(f.charts) != 5 {
		t.Fatalf("%d tables, %d charts", len(f.tables), len(f.charts))
	}
	for _, c := range f.charts {
		for _, s := range c.Series {
			if len(c.Series) != 2 || len(s.Points) != 2 {
				t.Errorf("%s: %d lines, %s has %d points; want two", c.Title, len(c.Series), s.Name, len(s.Points))
			}
		}
	}
	for _, row := range f.tables[0].Rows {
		for i := 3; i < len(row); i++ {
			if v := number(t, row, i); v < 0 || v > 100 {
				t.Errorf("%v %%: %v", v, row)
			}
		}
	}
	for _, row := range made(t, "tsotool-variants").tables[0].Rows {
		for i := 3; i <= 5; i++ {
			if s := row[i].(Seconds); s.Histories == 0 || s.GaveUp > 0 {
				t.Errorf("%+v: %v", s, row)
			}
		}
	}
}

// The histories have two writes for each variable and twelve more, and all
// complete procedures agree that SC forbids them.
func TestGrowth(t *testing.T) {
	f := made(t, "framework-growth")
	for i, row := range f.tables[0].Rows {
		if want := 2*(i+1) + 12; number(t, row, 0) != float64(want) {
			t.Errorf("row %d has %v writes, want %d", i, row[0], want)
		}
	}
	if !strings.Contains(f.ours[0], "2^(") {
		t.Errorf("no growth: %q", f.ours[0])
	}
	if got := slope([]float64{1, 2, 4}, []float64{5, 7, 11}); got != 2 {
		t.Errorf("slope %v, want 2", got)
	}
}

// The campaign files are those of the experiments, and have the papers'
// numbers of histories and values of parameters.
func TestFiles(t *testing.T) {
	used := map[string]bool{}
	for _, e := range All() {
		if e.File != "" {
			used[e.File] = true
		}
	}
	all, err := filepath.Glob("*.yaml")
	if err != nil || len(all) == 0 || !slices.Equal(all, Files()) {
		t.Fatalf("%v; embedded %v", all, Files())
	}
	want := map[string]struct {
		axis axis
		x    []int
		runs int // of each point
	}{
		"gcc-operations.yaml":   {byOps, []int{100, 200, 300, 400, 500}, 200},
		"gcc-threads.yaml":      {byThreads, []int{2, 3, 4, 5, 6}, 200},
		"gcc-violations.yaml":   {byThreads, []int{2, 3, 4, 5, 6, 7, 8}, 240},
		"gcc-unordered.yaml":    {axis{of: func(c *campaigns.Config) int { return c.Locations }}, []int{4, 8, 16, 32}, 400},
		"gcc-buffers.yaml":      {byThreads, []int{2, 3, 4, 5, 6}, 200},
		"wsc-operations.yaml":   {byOps, []int{198, 300, 396, 498, 600, 696, 798}, 200},
		"wsc-threads.yaml":      {byThreads, []int{4, 8, 12, 16}, 200},
		"wsc-kernel.yaml":       {byThreads, []int{4, 6, 8, 12, 16}, 0},
		"tsotool-grid.yaml":     {byOps, []int{64 << 10, 128 << 10, 192 << 10, 256 << 10}, 16 * 32},
		"tsotool-variants.yaml": {byOps, []int{8 << 10, 16 << 10, 32 << 10, 64 << 10}, 32},
	}
	for _, file := range all {
		c, err := Campaign(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !used[file] {
			t.Errorf("no experiment uses %s", file)
		}
		if want[file].x == nil {
			t.Errorf("%s: this test does not know it", file)
		}
		if c.Name+".yaml" != file {
			t.Errorf("%s is named %s", file, c.Name)
		}
		var xs []int
		for _, p := range points(c, want[file].axis) {
			xs = append(xs, p.x)
			runs := 0
			for _, i := range p.configs {
				runs += c.Configs[i].Runs
			}
			if n := want[file].runs; n > 0 && runs != n {
				t.Errorf("%s: %d histories for %d, want %d", file, runs, p.x, n)
			}
		}
		if !slices.Equal(xs, want[file].x) {
			t.Errorf("%s: values %v, want %v", file, xs, want[file].x)
		}
		for i := range c.Configs {
			if cfg := &c.Configs[i]; cfg.Expect != cfg.Promise() {
				t.Errorf("%s: %s expects %s of %s cores", file, cfg.Name, cfg.Expect, cfg.Core)
			}
		}
	}
	if c, _ := Campaign("wsc-kernel.yaml"); c.Runs() < 1742 {
		t.Errorf("wsc-kernel.yaml has %d runs, the paper 1742", c.Runs())
	}
	if _, err := Campaign("none.yaml"); err == nil {
		t.Error("none.yaml is found")
	}
}

// The files run as campaigns, the first configurations at least.
func TestCampaignsRun(t *testing.T) {
	for _, file := range Files() {
		c, err := Campaign(file)
		if err != nil {
			t.Fatal(err)
		}
		c.Configs = c.Configs[:4]
		for i := range c.Configs {
			c.Configs[i].Runs, c.Configs[i].Rounds = 1, 1
		}
		loop := campaigns.Loop{Dir: filepath.Join(t.TempDir(), "run")}
		sum, err := loop.Run(context.Background(), c)
		if err != nil || sum.Total().Runs != 4 || len(sum.Findings) > 0 && c.Configs[0].Bug == nil {
			t.Errorf("%s: %v, %+v", file, err, sum)
		}
	}
}

// A run of the experiments is the campaign's run of the same number.
func TestSameRuns(t *testing.T) {
	c, err := Campaign("gcc-threads.yaml")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := newSource(c).make(context.Background(), 3, 1, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg, p, _, err := c.Number(runs[0].number)
	if err != nil || cfg != &c.Configs[3] {
		t.Fatalf("run %d is of %v, %v", runs[0].number, cfg, err)
	}
	if h := runs[0].history; len(h.Ops) != p.Ops() || h.Threads() != len(p.Threads) {
		t.Errorf("%d operations of %d threads, want %d of %d", len(h.Ops), h.Threads(), p.Ops(), len(p.Threads))
	}
}

// A planted bug is one of the catalogue, mutant and all.
func TestViolationsAreOfTheCatalogue(t *testing.T) {
	data, err := os.ReadFile("../bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaigns.Parse("bugs.yaml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Campaign("gcc-violations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		if !slices.ContainsFunc(catalogue.Configs, func(k campaigns.Config) bool {
			return k.Name == cfg.Bug.Known && k.Mutant == cfg.Mutant && k.Bug.About == cfg.Bug.About
		}) {
			t.Errorf("%s: %q is not in the catalogue", cfg.Name, cfg.Bug.Known)
		}
	}
}

// Histories are dealt by turns, and all of them at full scale; they tell
// neither store order nor final values.
func TestDeal(t *testing.T) {
	_, b, c := tiny(t, "gcc-fig4b")
	s := newSource(c)
	p := point{configs: []int{0, 1, 2}}
	for _, deal := range []struct {
		scale        float64
		least, begin int
		want         []int
	}{{1e-4, 4, 0, []int{2, 1, 1}}, {1e-4, 4, 2, []int{1, 1, 2}}, {0.25, 1, 1, []int{2, 2, 2}}} {
		b.Scale = deal.scale
		runs, err := b.deal(context.Background(), s, p, deal.least, deal.begin)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, 3)
		for _, r := range runs {
			for i := range got {
				if r.config == &c.Configs[i] {
					got[i]++
				}
			}
			if r.history.StoreOrder != nil || r.history.Final != nil {
				t.Errorf("%s tells the order of stores or final values", configName(&r))
			}
		}
		if !slices.Equal(got, deal.want) {
			t.Errorf("%+v: dealt %v", deal, got)
		}
	}
	total := 0
	for i, runs := range s.runs {
		total += len(runs)
		if len(runs) != c.Configs[i].Runs {
			t.Errorf("%s has %d runs, want %d", c.Configs[i].Name, len(runs), c.Configs[i].Runs)
		}
	}
	if total != c.Runs() {
		t.Errorf("%d runs, want %d", total, c.Runs())
	}
}

// On a gem5 the same programs run for its protocol, without the bugs.
func TestPlatform(t *testing.T) {
	p := platform{name: "gem5", gem5: &campaigns.Gem5{Binary: "b", Tree: "t"}, protocols: []string{"MOESI_hammer"}}
	c, err := Campaign("gcc-buffers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out := p.campaign(c)
	if len(out.Configs)*4 != len(c.Configs) {
		t.Fatalf("%d configurations of %d", len(out.Configs), len(c.Configs))
	}
	for _, cfg := range out.Configs {
		if cfg.Sim != campaigns.SimGem5 || cfg.Machine.Protocol != "MOESI_hammer" || cfg.CPU != "o3" || cfg.Binary != "b" || cfg.Core != "" {
			t.Errorf("%+v", cfg)
		}
		at := slices.IndexFunc(c.Configs, func(k campaigns.Config) bool { return k.Name == cfg.Name })
		if !reflect.DeepEqual(cfg.Programs, c.Configs[at].Programs) {
			t.Errorf("%s: other programs", cfg.Name)
		}
	}
	if c, err = Campaign("gcc-violations.yaml"); err != nil || p.campaign(c) != nil {
		t.Errorf("canaries run on gem5; %v", err)
	}
	if c, err = Campaign("gcc-threads.yaml"); err != nil || p.campaign(c).Configs[0].CPU != "timing" {
		t.Errorf("in-order cores are no timing CPUs; %v", err)
	}
}

// A run that fails without a planted bug is an error that names it.
func TestSourceFails(t *testing.T) {
	_, _, c := tiny(t, "gcc-fig4a")
	c.Configs[0].StepBudget = 10
	if _, err := newSource(c).make(context.Background(), 0, 0, 1, 1); err == nil || !strings.Contains(err.Error(), c.Configs[0].Name+": run ") {
		t.Errorf("%v", err)
	}
	c.Configs[0].Bug = &campaigns.Bug{About: "none"}
	if runs, err := newSource(c).make(context.Background(), 0, 0, 1, 1); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}

// A check ends at the limit of CPU time, and with the caller's context.
func TestLimit(t *testing.T) {
	ctx, cancel := withCPU(context.Background(), 0)
	defer cancel()
	for ctx.Err() == nil { // uses CPU time
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Errorf("%v, because of %v", ctx.Err(), context.Cause(ctx))
	}
	parent, stop := context.WithCancel(context.Background())
	ctx, cancel = withCPU(parent, 1<<40)
	defer cancel()
	if ctx.Err() != nil {
		t.Error(ctx.Err())
	}
	stop()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("%v, want %v", ctx.Err(), context.Canceled)
	}

	// A procedure that needs longer gives up and is marked.
	_, b, c := tiny(t, "wsc-fig6")
	c.Configs[0].Threads, c.Configs[0].Ops = 6, 50
	c.Configs[1].Threads, c.Configs[1].Ops = 6, 400
	runs, err := newSource(c).make(context.Background(), 0, 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	long, err := newSource(c).make(context.Background(), 1, 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	b.most = 1
	s, err := b.mean(context.Background(), runs, model.SC, "x-sat")
	if err != nil || s.GaveUp != 1 || s.Histories != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if _, _, err := b.check(parent, runs[0].history, model.SC, "x-sat"); err == nil {
		t.Error("a check goes on when the context has ended")
	}
	if _, out, err := b.original(context.Background(), &long[0]); !out || err != nil {
		t.Errorf("the baseline did not give up: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{}, {Scale: -1}, {Scale: 1.1}, {Scale: 1, Only: []string{"fig4"}}} {
		if _, err := Run(context.Background(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// A report is written in all its forms.
func TestReport(t *testing.T) {
	var told []string
	r, err := Run(context.Background(), Options{Scale: 1e-4, Only: []string{"gcc-unordered"}, Progress: func(what string) { told = append(told, what) }})
	if err != nil {
		t.Fatal(err)
	}
	e, b, _ := tiny(t, "framework-growth")
	growth, err := b.experiment(context.Background(), e, platform{name: "embedded simulator"})
	if err != nil {
		t.Fatal(err)
	}
	r.Results = append(r.Results, *growth)
	if len(r.Results) != 2 || r.Results[0].Simulator != "embedded simulator" || len(told) < 4 {
		t.Fatalf("%+v; %q", r, told)
	}
	var text, page bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gcc-unordered: Zennou et al.", "57.75 %", "→ ours: ", "SC-kernel (%)", "campaigns/papers/gcc-unordered.yaml"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the text", want)
		}
	}
	dec := xml.NewDecoder(bytes.NewReader(page.Bytes()))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the page: %v", err)
		}
	}
	for _, refused := range []string{"src=", "href=\"http", "<script", "NaN", "Inf"} {
		if strings.Contains(page.String(), refused) {
			t.Errorf("%q in the page", refused)
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Results []struct {
			Name   string
			Tables []struct {
				Columns []Column
				Rows    [][]any
			}
		}
	}
	if err := json.Unmarshal(data, &back); err != nil || back.Results[0].Tables[0].Rows[0][0] != 4.0 {
		t.Errorf("%v: %s", err, data)
	}
}
