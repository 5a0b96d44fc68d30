package serve

import (
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

// progressView is what the page of a campaign shows, beside its summary.
type progressView struct {
	*summary.Summary
	Name, Path   string        // of the campaign's directory
	State, Class string        // running, or how it ended
	Spent, Left  time.Duration // Left is 0 where it is not known
	Total        summary.Row
	Rate         string         // runs a second; empty where none was recorded lately
	Failed       map[string]int // runs of findings, by configuration
	Live         bool

	campaign *campaign
}

// view reads a campaign and describes it. Brief says that its summary will do where it
// has ended and nothing was read yet. The caller holds the lock.
func (h *Handler) view(c *campaign, brief bool) (*progressView, error) {
	if !brief || c.follow != nil || !c.ended() {
		if err := c.refresh(); err != nil {
			return nil, err
		}
	}
	v := &progressView{Summary: c.sum, Name: c.name, Path: c.dir, Spent: c.sum.Elapsed, Total: c.sum.Total(), Failed: make(map[string]int), campaign: c}
	h.state(c, v)
	for i := range c.sum.Findings {
		for _, x := range c.sum.Findings[i].Configs {
			v.Failed[x.Config] += x.Runs
		}
	}
	return v, nil
}

// Run is the path of a run below the campaign; empty if it is not there.
func (v *progressView) Run(dir string) string { return v.campaign.within(dir) }

// Reached is how many transitions runs of a configuration took, and of how many.
func (v *progressView) Reached(r summary.Row) string {
	taken, of := r.Reached()
	if !r.Whole {
		return fmt.Sprint(taken)
	}
	return fmt.Sprintf("%d of %d", taken, of)
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
	v.Left = time.Duration(float64(v.Planned-v.Total.Runs) / rate * float64(time.Second))
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
	c.mu.Lock()
	defer c.mu.Unlock()
	v, err := h.view(c, false)
	if err != nil {
		return nil, err
	}
	return render("campaign.tmpl", v)
}
