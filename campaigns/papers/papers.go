// Package papers repeats the experiments of the papers that Ordeal's
// procedures come from, with histories of its own, and sets what is measured
// beside the published figures.
//
// The histories of an experiment are runs of a campaign file of this folder,
// which "ordeal campaign run" runs too: run n of the campaign is the history
// that is measured here, unless a smaller scale executes its program less
// often. Histories are stripped of the order of stores and the final values,
// which the embedded simulator tells and the papers do without. Everything but
// times is a function of the campaign files and the scale.
//
// Times are user CPU of this process during check.Check, one check at a time:
// the procedure, the collection of its garbage and the acceptance of the
// evidence, without the simulation. So are the limits of checks.
//
// Enea and Farzan (TACAS 2016), the source of package check/serial, report no
// measurements.
package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/report/plot"
)

// Paper is a publication.
type Paper struct {
	Short string `json:"short"`
	Cite  string `json:"cite"`
}

// The papers.
var (
	Gradual    = Paper{"CAV 2019", "Zennou et al., Gradual Consistency Checking, CAV 2019"}
	Saturation = Paper{"wSC", "Zennou et al., Boosting Sequential Consistency Checking Using Saturation"}
	TSOtool    = Paper{"SPAA 2005", "Manovit and Hangal, Efficient Algorithms for Verifying Memory Consistency, SPAA 2005"}
	Framework  = Paper{"FSTTCS 2020", "Chini and Saivasan, A Framework for Consistency Algorithms, FSTTCS 2020"}
)

// Experiment is one figure, table or claim of a paper.
type Experiment struct {
	Name  string // as in --only
	Paper Paper
	Place string // the figure or section
	Title string
	// File is the campaign whose runs are the histories; empty where the
	// histories are constructed.
	File string
	// Published is what the paper says, in the order of the paper.
	Published []Quote
	// Notes say what is known about why our figures differ, and what was
	// decided where the paper leaves it open.
	Notes []string
	run   func(ctx context.Context, b *bench, c *config.Campaign) (finding, error)
}

// Quote is a published figure.
type Quote struct {
	What  string `json:"what"`
	Value string `json:"value"`
	// Ours is what was measured, in the same words; empty where a table or a
	// chart shows it.
	Ours string `json:"ours,omitempty"`
}

// finding is what came of an experiment.
type finding struct {
	tables []Table
	charts []plot.Chart
	// ours are the measured values of Experiment.Published, by index.
	ours map[int]string
	// notes are about this very measurement.
	notes []string
}

// Result is an experiment and what came of it on one simulator.
type Result struct {
	Name      string       `json:"name"`
	Paper     Paper        `json:"paper"`
	Place     string       `json:"place"`
	Title     string       `json:"title"`
	Campaign  string       `json:"campaign,omitempty"`
	Simulator string       `json:"simulator,omitempty"`
	Published []Quote      `json:"published"`
	Tables    []Table      `json:"tables"`
	Charts    []plot.Chart `json:"charts"`
	Notes     []string     `json:"notes"`
}

// Report is what came of all experiments.
type Report struct {
	Machine string   `json:"machine"`
	Version string   `json:"version"`
	Scale   float64  `json:"scale"`
	Limit   string   `json:"limit"` // of one check, in user CPU time
	Results []Result `json:"results"`
}

// Options steer Run.
type Options struct {
	// Scale is the share of the papers' histories to measure, above 0, at
	// most 1.
	Scale float64
	// Only lists the experiments to make; none means all.
	Only []string
	// Gem5 are binaries to make the histories of their protocols on, besides
	// the embedded simulator.
	Gem5 []config.Gem5
	// Progress is told what is being done; nil means nobody is.
	Progress func(what string)
	_        struct{}
}

// DefaultScale takes about a minute.
const DefaultScale = 0.01

// All lists the experiments, paper by paper.
func All() []Experiment {
	return slices.Concat(gradual(), saturation(), tsotool(), framework())
}

// Names lists the names of the experiments.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}

// Validate reports what is wrong with the options.
func (o *Options) Validate() error {
	if !(o.Scale > 0 && o.Scale <= 1) {
		return fmt.Errorf("scale %v: want above 0, at most 1", o.Scale)
	}
	for _, name := range o.Only {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("no experiment is named %q: want %s", name, strings.Join(Names(), ", "))
		}
	}
	return nil
}

// Run makes the experiments. An error of a simulator or of ctx ends it, and
// the report then has what was done before.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := &bench{Options: o}
	r := &Report{Machine: machine(ctx), Version: execute.Version(), Scale: o.Scale, Limit: b.limit().String()}
	platforms, err := b.platforms(ctx)
	if err != nil {
		return r, err
	}
	for _, e := range All() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, e.Name) {
			continue
		}
		for _, p := range platforms {
			res, err := b.experiment(ctx, e, p)
			if err != nil {
				return r, fmt.Errorf("experiment %s: %w", e.Name, err)
			}
			if res != nil {
				r.Results = append(r.Results, *res)
			}
		}
	}
	return r, nil
}

// experiment makes an experiment on a platform. The result is nil where the
// platform has nothing to do with it.
func (b *bench) experiment(ctx context.Context, e Experiment, p platform) (*Result, error) {
	res := &Result{
		Name: e.Name, Paper: e.Paper, Place: e.Place, Title: e.Title, Campaign: e.File,
		Published: slices.Clone(e.Published), Notes: slices.Clone(e.Notes),
	}
	var c *config.Campaign
	if e.File != "" {
		var err error
		if c, err = Campaign(e.File); err != nil {
			return nil, err
		}
		if c = p.campaign(c); c == nil {
			return nil, nil
		}
		res.Simulator = p.name
	} else if !p.embedded() {
		return nil, nil
	}
	b.doing = e.Name
	if p.name != "" && !p.embedded() {
		b.doing += " on " + p.name
	}
	b.tell("")
	f, err := e.run(ctx, b, c)
	if err != nil {
		return nil, err
	}
	for i, ours := range f.ours {
		res.Published[i].Ours = ours
	}
	res.Tables, res.Charts = f.tables, f.charts
	res.Notes = append(res.Notes, f.notes...)
	return res, nil
}

// bench makes experiments.
type bench struct {
	Options
	doing string
	most  time.Duration // limit of a check; 0: by the scale
}

// tell tells what is being done.
func (b *bench) tell(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(strings.TrimSpace(b.doing + " " + fmt.Sprintf(format, args...)))
	}
}

// limit bounds the user CPU time of one check: 2.1 s at the default scale, a
// minute at full size.
func (b *bench) limit() time.Duration {
	if b.most > 0 {
		return b.most
	}
	return time.Duration((1.5 + 58.5*b.Scale) * float64(time.Second)).Round(100 * time.Millisecond)
}
