package index

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// years makes campaigns that have something of everything, in dir, and indexes
// them.
func years(t *testing.T, dir string) (db string, archives []*journal.Archive) {
	t.Helper()
	runCampaign(t, filepath.Join(dir, "a"), nightly)
	runCampaign(t, filepath.Join(dir, "b"), nightly)
	runCampaign(t, filepath.Join(dir, "c"), nightly, "seed=6", "configs.clean.window=9", "configs.silent.core-bugs=[]", "configs.canary.bug.by=[crash]")
	runCampaign(t, filepath.Join(dir, "d"), nightly, "configs.canary.core-bugs=[]", "configs.canary.bug.budget=1")
	// In b, one finding is missing and another is new, one run could not
	// be made, two of a batch were repeated, and a negative control failed.
	n := 0
	rewrite(t, filepath.Join(dir, "b"), func(e *journal.Entry) {
		switch {
		case e.ConfigName == "faulty" && e.Outcome == sim.Violation:
			switch n++; n {
			case 1:
				e.Outcome, e.Title, e.Signature = sim.Passed, "", ""
			case 2:
				e.Outcome, e.Title, e.Signature = sim.Crash, "assertion 'x' failed", ""
			case 3, 4:
				e.Alone = &run.Alone{Outcome: e.Outcome, Title: e.Title, Recurs: n == 3}
			}
		case e.ConfigName == "silent" && e.Number%2 == 0:
			e.Outcome, e.Title, e.Signature, e.Kept = sim.Deadlock, "", "", true
		case e.ConfigName == "clean" && e.Number%5 == 0:
			e.Outcome, e.Title, e.Signature, e.LogHash, e.Answers, e.Covered, e.Kept, e.Quarantine = sim.Infra, "no room", "", "", nil, nil, false, "000003"
		}
	})
	// In c, the simulator lists only what was taken.
	rewrite(t, filepath.Join(dir, "c"), func(e *journal.Entry) {
		if e.Covered != nil {
			e.Covered.Total = 0
		}
	})
	db = filepath.Join(dir, "index.db")
	must.Succeed(t, Reindex(t.Context(), db, []string{dir}, Options{OnCampaign: allIndexed(t)}))
	for _, name := range []string{"a", "b", "c", "d"} {
		archives = append(archives, archive(t, filepath.Join(dir, name)))
	}
	return db, archives
}

// allIndexed is an OnCampaign that fails where a campaign is left out.
func allIndexed(t *testing.T) func(*Campaign) {
	return func(c *Campaign) {
		if c.Err != nil || c.Removed {
			t.Errorf("%s: removed %v, %v", c.Dir, c.Removed, c.Err)
		}
	}
}

// reference is a run as a loop over journals sees it.
type reference struct {
	*journal.Entry
	a      *journal.Archive
	dir    string
	config *config.Config
}

// title is the title that Summary gives it.
func (r *reference) title() string {
	if r.config.Bug != nil {
		return "negative control " + r.ConfigName + " fails: " + r.FindingTitle()
	}
	return r.FindingTitle()
}

// ended is exact to the millisecond, as is the start.
func (r *reference) ended() string {
	return date(r.a.Header.Started.Truncate(time.Millisecond).Add(r.At.Round(time.Millisecond)))
}

func (r *reference) settings(t *testing.T) string {
	s, err := compare.SettingsOf(r.a.Campaign, r.config)
	must.Succeed(t, err)
	return s.String()
}

// references are all runs of all campaigns.
func references(t *testing.T, archives []*journal.Archive) []*reference {
	var list []*reference
	for _, a := range archives {
		for _, e := range entries(t, a) {
			list = append(list, &reference{e, a, filepath.Base(a.Dir), a.Config(e.Number)})
		}
	}
	return list
}

// seconds and ratio are numbers as row prints those of the index.
func seconds(d time.Duration) float64 { return float64(d) / 1e9 }

func row(values ...any) string {
	var cells []string
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			cells = append(cells, "-")
		case float64:
			cells = append(cells, strconv.FormatFloat(v, 'g', 9, 64))
		case []byte:
			cells = append(cells, hex.EncodeToString(v))
		case bool:
			cells = append(cells, map[bool]string{true: "1", false: "0"}[v])
		default:
			cells = append(cells, fmt.Sprint(v))
		}
	}
	return strings.Join(cells, "|")
}

// ask gives the rows of a query.
func ask(t testing.TB, db, query string) []string {
	t.Helper()
	var list []string
	err := Query(t.Context(), db, query, func(r *Rows) error {
		for {
			values, err := r.Next()
			if values == nil || err != nil {
				return err
			}
			list = append(list, row(values...))
		}
	})
	must.Succeed(t, err)
	return list
}

// TestViews compares every view with a loop over the journals, or with what
// Summary counts.
func TestViews(t *testing.T) {
	db, archives := years(t, t.TempDir())
	runs := references(t, archives)
	for _, view := range []struct {
		query string
		want  []string
	}{
		{"SELECT campaign_dir, number, seed, config, ended, at_s, outcome, failed, finding, caught, title, recurred, operations, simulated_s, check_s, taken, fresh, program, log, dir FROM runs", wantRuns(runs)},
		{"SELECT campaign_dir, number, config, model, answer, procedure, reason, search_s, evidence_s FROM answers", wantAnswers(runs)},
		{"SELECT campaign_dir, number, outcome, title, system, config, ended, recurred, dir FROM finding_run", wantFindingRuns(runs)},
		{"SELECT outcome, title, system, campaigns, runs, first_seen, last_seen FROM finding", wantFindings(runs)},
		{"SELECT campaign_dir, config, outcome, title, system, runs, of_runs, rate, first_number, last_number, alone, recurred FROM finding_history", wantHistory(t, archives)},
		{"SELECT outcome, title, system, tries, hits, rate FROM flaky_finding", wantFlaky(t, runs)},
		{"SELECT dir, name, seed, elapsed_s, ending, planned, runs, operations, failed, infra, findings, canaries, caught FROM campaigns", wantCampaigns(t, archives)},
		{"SELECT campaign_dir, config, runs, operations, simulated_s, check_s, operations_per_s, check_ns_per_operation FROM throughput", wantThroughput(t, archives)},
		{"SELECT campaign_dir, config, status, runs, operations, caught, otherwise, first_number, detection_runs, detection_operations, detection_s, at_s FROM canary", wantCanaries(t, archives, runs)},
		{"SELECT campaign_dir, config, taken, total, share, last_new FROM coverage_history", wantCoverage(t, archives)},
	} {
		got := ask(t, db, view.query)
		slices.Sort(got)
		slices.Sort(view.want)
		if len(got) == 0 {
			t.Errorf("%s: nothing: the test would hold for nothing", view.query)
		}
		if d := cmp.Diff(view.want, got); d != "" {
			t.Errorf("%s (-loop +view):\n%s", view.query, d)
		}
	}
	// The latest campaign is on top.
	slices.SortFunc(archives, func(a, b *journal.Archive) int { return b.Header.Started.Compare(a.Header.Started) })
	var want []string
	for _, a := range archives {
		want = append(want, filepath.Base(a.Dir))
	}
	for _, query := range []string{"SELECT dir FROM campaigns", "SELECT campaign_dir FROM throughput", "SELECT campaign_dir FROM canary", "SELECT campaign_dir FROM finding_history", "SELECT campaign_dir FROM coverage_history"} {
		if got := slices.Compact(ask(t, db, query)); !slices.Equal(got, want) {
			t.Errorf("%s is in order %v, want %v", query, got, want)
		}
	}
}

func wantRuns(runs []*reference) (list []string) {
	covered := make(map[string]sim.Coverage)
	for _, r := range runs {
		var title, recurred, taken, fresh, dir any
		if r.Title != "" {
			title = r.FindingTitle()
		}
		if r.Alone != nil {
			recurred = r.Alone.Recurs
		}
		c := covered[r.dir+r.ConfigName]
		if r.Covered != nil {
			n := c.Add(r.Coverage)
			covered[r.dir+r.ConfigName] = c
			taken, fresh = r.Covered.Taken, n
		}
		if r.Kept {
			dir = fmt.Sprintf("%s/%06d", r.dir, r.Number)
		} else if r.Quarantine != "" {
			dir = r.dir + "/quarantine/" + r.Quarantine
		}
		checked := time.Duration(0)
		for _, a := range r.Answers {
			checked += a.Search + a.Evidence
		}
		list = append(list, row(r.dir, r.Number, r.a.Campaign.Seed, r.ConfigName, r.ended(), seconds(r.At), r.Outcome, r.Failed(), r.Finding(), r.Caught(),
			title, recurred, r.Operations, seconds(r.Elapsed), seconds(checked), taken, fresh, r.Program, r.LogHash, dir))
	}
	return list
}

func wantAnswers(runs []*reference) (list []string) {
	for _, r := range runs {
		for _, a := range r.Answers {
			list = append(list, row(r.dir, r.Number, r.ConfigName, a.Model, a.Answer, a.Procedure, a.Reason, seconds(a.Search), seconds(a.Evidence)))
		}
	}
	return list
}

func wantFindingRuns(runs []*reference) (list []string) {
	for _, r := range runs {
		if r.Finding() {
			var recurred any
			if r.Alone != nil {
				recurred = r.Alone.Recurs
			}
			list = append(list, row(r.dir, r.Number, r.Outcome, r.title(), r.a.System(r.config), r.ConfigName, r.ended(), recurred, fmt.Sprintf("%s/%06d", r.dir, r.Number)))
		}
	}
	return list
}

func wantFindings(runs []*reference) (list []string) {
	found := make(map[string][]*reference)
	for _, r := range runs {
		if r.Finding() {
			key := row(r.Outcome, r.title(), r.a.System(r.config))
			found[key] = append(found[key], r)
		}
	}
	for key, of := range found {
		dirs := make(map[string]bool)
		var times []string
		for _, r := range of {
			dirs[r.dir] = true
			times = append(times, r.ended())
		}
		list = append(list, row(key, len(dirs), len(of), slices.Min(times), slices.Max(times)))
	}
	return list
}

// wantHistory splits the findings of summaries by configuration.
func wantHistory(t *testing.T, archives []*journal.Archive) (list []string) {
	for _, a := range archives {
		s := readSummary(t, a)
		for _, f := range s.Findings {
			if f.Outcome == sim.Missed {
				continue
			}
			for _, c := range f.Configs {
				of, first, last, alone, recurred := 0, -1, 0, 0, 0
				for _, e := range entries(t, a) {
					if e.ConfigName != c.Config {
						continue
					}
					of++
					if e.Outcome != f.Outcome || !strings.HasSuffix(f.Title, e.FindingTitle()) {
						continue
					}
					if first < 0 {
						first = e.Number
					}
					last = e.Number
					if e.Alone != nil {
						alone++
						if e.Alone.Recurs {
							recurred++
						}
					}
				}
				list = append(list, row(filepath.Base(a.Dir), c.Config, f.Outcome, f.Title, f.System, c.Runs, of, float64(c.Runs)/float64(of), first, last, alone, recurred))
			}
		}
	}
	return list
}

func wantFlaky(t *testing.T, runs []*reference) (list []string) {
	same := func(a, b *reference) bool {
		return a.a.Campaign.Seed == b.a.Campaign.Seed && a.Number == b.Number && a.Program == b.Program && a.ConfigName == b.ConfigName && a.settings(t) == b.settings(t)
	}
	tries, hits := make(map[string]int), make(map[string]int)
	for i, r := range runs {
		if !r.Finding() {
			continue
		}
		key := row(r.Outcome, r.title(), r.a.System(r.config))
		again := func(o *reference) bool {
			return o.Finding() && row(o.Outcome, o.title(), o.a.System(o.config)) == key
		}
		if slices.ContainsFunc(runs[:i], func(o *reference) bool { return same(r, o) && again(o) }) {
			continue // counted with that one
		}
		for _, o := range runs {
			if same(r, o) && o.Outcome != sim.Infra {
				tries[key]++
				if again(o) {
					hits[key]++
				}
			}
		}
	}
	for key, n := range tries {
		if hits[key] < n {
			list = append(list, row(key, n, hits[key], float64(hits[key])/float64(n)))
		}
	}
	return list
}

func readSummary(t *testing.T, a *journal.Archive) *summary.Summary {
	t.Helper()
	s, err := summary.Read(a)
	must.Succeed(t, err)
	return s
}

func wantCampaigns(t *testing.T, archives []*journal.Archive) (list []string) {
	for _, a := range archives {
		s := readSummary(t, a)
		failed, findings, canaries, caught := 0, 0, 0, 0
		for _, f := range s.Findings {
			if f.Outcome != sim.Missed {
				findings++
				failed += f.Runs
			}
		}
		for _, r := range s.Rows {
			if r.Canary != nil && r.Canary.Control == "" {
				canaries++
				if r.Canary.Status == summary.StatusCaught {
					caught++
				}
			}
		}
		list = append(list, row(filepath.Base(a.Dir), s.Campaign, s.Seed, seconds(s.Elapsed), a.Header.End, s.Planned,
			s.Total().Runs, s.Total().Operations, failed, s.Total().Outcomes[sim.Infra], findings, canaries, caught))
	}
	return list
}

func wantThroughput(t *testing.T, archives []*journal.Archive) (list []string) {
	for _, a := range archives {
		for _, r := range readSummary(t, a).Rows {
			list = append(list, row(filepath.Base(a.Dir), r.Config, r.Runs, r.Operations, seconds(r.Simulated), seconds(r.Checked),
				float64(r.Operations)/seconds(r.Simulated), float64(r.Checked)/float64(r.Operations)))
		}
	}
	return list
}

func wantCanaries(t *testing.T, archives []*journal.Archive, runs []*reference) (list []string) {
	for _, a := range archives {
		for _, r := range readSummary(t, a).Rows {
			k := r.Canary
			if k == nil {
				continue
			}
			caught := k.Caught
			if k.Control != "" {
				caught = 0
			}
			values := []any{filepath.Base(a.Dir), r.Config, k.Status, r.Runs, r.Operations, caught, k.Otherwise, nil, nil, nil, nil, nil}
			if caught > 0 {
				n, operations, spent, at := 0, 0, time.Duration(0), time.Duration(-1)
				for _, x := range runs {
					if x.a.Dir != a.Dir || x.ConfigName != r.Config {
						continue
					}
					if x.Caught() && (at < 0 || x.At < at) {
						at = x.At
					}
					if x.Number > k.First {
						continue
					}
					n++
					operations += x.Operations
					spent += x.Elapsed
					for _, answer := range x.Answers {
						spent += answer.Search + answer.Evidence
					}
				}
				copy(values[7:], []any{k.First, n, operations, seconds(spent), seconds(at)})
			}
			list = append(list, row(values...))
		}
	}
	return list
}

func wantCoverage(t *testing.T, archives []*journal.Archive) (list []string) {
	for _, a := range archives {
		whole := make(map[string]bool)
		for _, e := range entries(t, a) {
			whole[e.ConfigName] = whole[e.ConfigName] || e.Covered != nil && e.Covered.Total > 0
		}
		for _, r := range readSummary(t, a).Rows {
			if len(r.Coverage) == 0 {
				continue
			}
			var total, share any
			if whole[r.Config] {
				total, share = len(r.Coverage), r.Coverage.Share()
			}
			list = append(list, row(filepath.Base(a.Dir), r.Config, r.Coverage.Taken(), total, share, r.LastNew))
		}
	}
	return list
}
