package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// campaign follows a campaign: what was read of its journal is not read again.
type campaign struct {
	dir, name string

	mu      sync.Mutex
	archive *journal.Archive
	journal os.FileInfo
	follow  *summary.Follower
	sum     *summary.Summary
	recent  []time.Duration // when the runs of the last rateOver were recorded
	pages   map[string]*answer
}

// rateOver is the time that rates are of.
const rateOver = 5 * time.Minute

// maxPages bounds the pages of runs that are kept.
const maxPages = 64

// quiet is how long a campaign that has not ended may record nothing before the page
// doubts that it runs.
const quiet = 2 * time.Minute

// refresh reads what was recorded since the last call. The caller holds the lock.
func (c *campaign) refresh() error {
	a, err := journal.Open(c.dir)
	if err != nil {
		return err
	}
	info, _ := run.Lstat(a.Path(journal.RunsFile)) // nil before the first run
	again := c.follow == nil || a.Header.Session != c.archive.Header.Session ||
		c.journal != nil && (info == nil || !os.SameFile(info, c.journal) || info.Size() < c.follow.Offset())
	if again {
		c.follow, c.recent = summary.Follow(a), nil
	} else {
		c.archive.Header = a.Header // the follower reads with the first archive
		a = c.archive
	}
	c.archive, c.journal = a, info
	before := c.follow.Offset()
	c.sum, err = c.follow.Read(func(e *journal.Entry) error {
		c.recent = append(c.recent, e.At)
		for c.recent[0] < e.At-rateOver {
			c.recent = c.recent[1:]
		}
		return nil
	})
	if again || c.follow.Offset() > before || len(c.pages) > maxPages {
		c.pages = make(map[string]*answer)
	}
	return err
}

// ended reads the summary of a campaign that has ended, and reports whether there is
// one.
func (c *campaign) ended() bool {
	a, err := journal.Open(c.dir)
	if err != nil || a.Header.End == "" {
		return false
	}
	s, err := summary.Recorded(a)
	if err != nil {
		return false
	}
	c.archive, c.sum = a, s
	return true
}

// progressView is what the page of a campaign shows.
type progressView struct {
	Name, Campaign string
	Dir            string
	Seed           uint64
	State, Class   string // running, or how it ended
	Started        time.Time
	Spent, Left    time.Duration // Left is 0 where it is not known
	Runs, Planned  int
	Share          string // of the runs, in per cent
	Operations     int
	Rate           string // runs a second; empty where none was recorded lately
	Findings       []findingRow
	Caught         int
	Canaries       []canaryRow
	Outcomes       []outcomeCount
	Rows           []configRow
	Infra          int
	Live           bool
}

type findingRow struct {
	Title, System, Known string
	Outcome              sim.Outcome
	Runs, First          int
	Run                  string // the directory of the best reproducer; empty for none
	Reduced              string
	At                   time.Duration
}

type canaryRow struct{ Config, About, Status, Run string }

type outcomeCount struct {
	Outcome sim.Outcome
	Runs    int
}

type configRow struct {
	Config, Share, Reached string
	Runs, Planned          int
	Findings               int
	Coverage               bool
}

// view reads a campaign and describes it. Brief says that its summary will do where it
// has ended and nothing was read yet.
func (h *Handler) view(c *campaign, brief bool) (*progressView, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !brief || c.follow != nil || !c.ended() {
		if err := c.refresh(); err != nil {
			return nil, err
		}
	}
	s, head := c.sum, &c.archive.Header
	total := s.Total()
	v := &progressView{
		Name: c.name, Campaign: s.Campaign, Dir: c.dir, Seed: s.Seed, Started: head.Started, Spent: s.Elapsed, Runs: total.Runs, Planned: s.Planned,
		Operations: total.Operations, Infra: total.Outcomes[sim.Infra], Share: share(total.Runs, s.Planned),
	}
	h.state(c, v)
	for o := sim.Passed; o <= sim.Missed; o++ {
		if n := total.Outcomes[o]; n > 0 {
			v.Outcomes = append(v.Outcomes, outcomeCount{o, n})
		}
	}
	found := make(map[string]int)
	for i := range s.Findings {
		f := &s.Findings[i]
		row := findingRow{Title: f.Title, System: f.System, Outcome: f.Outcome, Runs: f.Runs, First: f.First, At: f.FirstAt}
		if f.Known != nil {
			row.Known = f.Known.String()
		}
		if f.Best != nil {
			row.Run = c.within(f.Best.Dir)
		}
		if f.Reduction != nil {
			row.Reduced = f.Reduction.String()
		}
		for _, x := range f.Configs {
			found[x.Config] += x.Runs
		}
		v.Findings = append(v.Findings, row)
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		row := configRow{Config: r.Config, Runs: r.Runs, Planned: r.Planned, Share: share(r.Runs, r.Planned), Findings: found[r.Config], Coverage: len(r.Coverage) > 0}
		if taken, of := r.Reached(); row.Coverage {
			row.Reached = fmt.Sprintf("%d of %d", taken, of)
			if !r.Whole {
				row.Reached = fmt.Sprint(taken)
			}
		}
		v.Rows = append(v.Rows, row)
		if k := r.Canary; k != nil {
			canary := canaryRow{Config: r.Config, About: cmp.Or(k.Known, k.About), Status: string(k.Status)}
			if k.Caught > 0 && k.Dir != "" {
				canary.Run = c.within(k.Dir)
			}
			if k.Status == summary.StatusCaught {
				v.Caught++
			}
			v.Canaries = append(v.Canaries, canary)
		}
	}
	return v, nil
}

// state says whether a campaign runs, how fast, and how long yet.
func (h *Handler) state(c *campaign, v *progressView) {
	head := &c.archive.Header
	if head.End != "" {
		v.State, v.Class = string(head.End), map[bool]string{true: "good", false: "open"}[head.Ended()]
		return
	}
	v.Live = true
	now := h.now()
	v.Spent = head.Spent + max(0, now.Sub(head.Session))
	idle := now.Sub(head.Session)
	if c.journal != nil {
		idle = min(idle, now.Sub(c.journal.ModTime()))
	}
	if v.State = "running"; idle > quiet {
		v.State = fmt.Sprintf("running or killed: nothing was recorded for %v", idle.Round(time.Second))
		v.Class = "open"
	}
	for len(c.recent) > 0 && c.recent[0] < v.Spent-rateOver {
		c.recent = c.recent[1:]
	}
	over := min(v.Spent-head.Spent, rateOver)
	if len(c.recent) == 0 || over <= 0 {
		return
	}
	rate := float64(len(c.recent)) / over.Seconds()
	v.Rate = messages.Rate(rate)
	v.Left = time.Duration(float64(v.Planned-v.Runs) / rate * float64(time.Second))
	if budget := time.Duration(c.archive.Campaign.Budget); budget > 0 {
		v.Left = min(v.Left, max(0, budget-v.Spent))
	}
}

// within is the path of a run below the campaign; empty if it is not there.
func (c *campaign) within(dir string) string {
	rel, err := filepath.Rel(c.archive.Dir, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func share(part, whole int) string {
	if whole == 0 {
		return "0"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64)
}

// progress is the page of a campaign.
func (h *Handler) progress(c *campaign, _ *http.Request) (*answer, error) {
	v, err := h.view(c, false)
	if err != nil {
		return nil, err
	}
	return render("campaign.tmpl", v)
}
