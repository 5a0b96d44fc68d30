package serve

import (
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/html"
	"ordeal/sim"
	"ordeal/sim/protocols"
)

// row is the coverage of a configuration.
func (c *campaign) row(name string) (*summary.Row, *config.Config, error) {
	if err := c.refresh(); err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(c.sum.Rows, func(r summary.Row) bool { return r.Config == name })
	k := slices.IndexFunc(c.archive.Campaign.Configs, func(x config.Config) bool { return x.Name == name })
	if i < 0 || k < 0 {
		return nil, nil, errGone
	}
	return &c.sum.Rows[i], &c.archive.Campaign.Configs[k], nil
}

// coverage is the page of the coverage tables of a configuration: their cells lead to
// the transitions.
func (h *Handler) coverage(c *campaign, r *http.Request) (*answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	row, _, err := c.row(r.PathValue("config"))
	if err != nil {
		return nil, err
	}
	return render("coverage.tmpl", struct {
		Name, Campaign, Config string
		Runs                   int
		Machines               []html.Machine
	}{c.name, c.sum.Campaign, row.Config, row.Runs, html.Machines(row.Coverage, row.Reachable(), row.Whole)})
}

// transitionView is what the page of a transition shows.
type transitionView struct {
	Name, Campaign, Config string
	sim.Transition
	Runs        int
	Unreachable bool // on the machines that the campaign explored
	// Place is FILE:LINE, Source has the lines from there; Missing says why there are
	// none.
	Place, Missing string
	Source         []sourceLine
}

type sourceLine struct {
	Number int
	Text   string
}

// transition is the page of a transition: how often it was taken, and its source.
func (h *Handler) transition(c *campaign, r *http.Request) (*answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	row, cfg, err := c.row(r.PathValue("config"))
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	same := func(t sim.Transition) bool {
		return t.Machine == q.Get("machine") && t.State == q.Get("state") && t.Event == q.Get("event")
	}
	i := slices.IndexFunc(row.Coverage, same)
	if i < 0 {
		return nil, errGone
	}
	v := transitionView{
		Name: c.name, Campaign: c.sum.Campaign, Config: row.Config, Runs: row.Runs, Transition: row.Coverage[i],
		Unreachable: slices.ContainsFunc(row.Unreachable, same),
	}
	if err := v.source(c.archive.Campaign.SimOf(cfg), cfg); err != nil {
		v.Missing = err.Error()
	}
	return render("transition.tmpl", v)
}

// maxSource bounds a file of a protocol, maxLines the lines of a transition.
const (
	maxSource = 4 << 20
	maxLines  = 60
)

// source reads the lines of the transition: those of the protocol's files as they are
// now.
func (v *transitionView) source(simulator string, cfg *config.Config) error {
	p, source, err := config.LoadProtocol(simulator, cfg)
	if err != nil {
		return err
	}
	if p == nil {
		return fmt.Errorf("the files of the protocol are not known")
	}
	at, ok := diagnose.Transition(p, sim.Row{Machine: v.Machine, State: v.State, Event: v.Event})
	if !ok {
		return fmt.Errorf("the protocol has no machine %s", v.Machine)
	}
	var text []byte
	path := source.Where(at.File)
	if source.Root == "" {
		text, err = fs.ReadFile(protocols.Files(), at.File)
	} else {
		text, err = report.FilesOf(filepath.Dir(path)).Read(filepath.Base(path), maxSource)
	}
	if err != nil {
		return err
	}
	v.Place = fmt.Sprintf("%s:%d", at.File, at.Line)
	depth, opened := 0, false
	for i, line := range strings.Split(string(text), "\n") {
		if i+1 < at.Line {
			continue
		}
		v.Source = append(v.Source, sourceLine{i + 1, line})
		code, _, _ := strings.Cut(line, "//")
		depth += strings.Count(code, "{") - strings.Count(code, "}")
		opened = opened || strings.Contains(code, "{")
		if opened && depth <= 0 || strings.HasSuffix(strings.TrimSpace(code), ";") && depth <= 0 || len(v.Source) == maxLines {
			break
		}
	}
	return nil
}
