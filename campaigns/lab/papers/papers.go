// Package papers repeats the experiments of the papers that Ordeal's
// procedures come from, with histories of its own, and sets what is measured
// beside the published figures.
//
// The histories of an experiment are runs of a campaign file of this folder,
// which "ordeal campaign run" runs too: run n of the campaign is the history
// that is measured here, unless a smaller scale executes its program less
// often. Histories are stripped of the order of stores and the final values,
// which the embedded simulator reports and the papers do without. Everything but
// times is a function of the campaign files and the scale.
//
// Times are CPU time of this process during check.Check, one check at a time:
// the procedure, the collection of its garbage and the acceptance of the
// evidence, without the simulation. So are the limits of checks.
//
// Enea and Farzan (TACAS 2016), the source of package check/serial, report no
// measurements.
package papers

import (
	"context"
	"fmt"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/run"
	"ordeal/sim/host"
	"slices"
	"strings"
	"time"
)

type finding struct {
	tables []Table
	// measured are figures for Experiment.Published, by name.
	measured map[string]string
}

// Result is an experiment and what it measured.
type Result struct {
	Experiment
	Tables []Table `json:"tables"`
}

// Report is the results of all experiments.
type Report struct {
	Machine string   `json:"machine"`
	Version string   `json:"ordeal"`
	Scale   float64  `json:"scale"`
	Limit   string   `json:"limit"` // of one check, in CPU time
	Results []Result `json:"results"`
}

// Options steer Run.
type Options struct {
	// Scale is the share of the papers' histories to measure, above 0, at
	// most 1.
	Scale float64
	// Only lists the experiments to make; none means all.
	Only []string
	// Stored are the results of earlier calls; nil: nothing is stored.
	Stored *lab.Results[*Result]
	// Progress is called with the current step; nil means no callback.
	Progress func(what string)
	_        struct{}
}

// DefaultScale takes about a minute.
const DefaultScale = 0.01

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
			return fmt.Errorf("unknown experiment %q%s", name, messages.Hint(name, Names()))
		}
	}
	return nil
}

// Run makes the experiments. After an error of a simulator or of ctx the report
// has the experiments that were finished.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := &bench{Options: o}
	r := &Report{Machine: new(host.Runner).Version(ctx), Version: run.ToolVersion(), Scale: o.Scale, Limit: b.limit().String()}
	list := slices.DeleteFunc(slices.Clone(All()), func(e Experiment) bool { return len(o.Only) > 0 && !slices.Contains(o.Only, e.Name) })
	results, err := lab.Run(ctx, 1, list, func(ctx context.Context, e Experiment) (*Result, error) { // one at a time: times are of one check
		on := []any{r.Machine, r.Version, r.Scale, r.Limit}
		return o.Stored.Do(lab.Case{Name: e.Name, Depends: on}, func() (*Result, error) { return b.experiment(ctx, e) })
	}, nil)
	for _, res := range results {
		r.Results = append(r.Results, *res)
	}
	return r, err
}

// experiment makes an experiment.
func (b *bench) experiment(ctx context.Context, e Experiment) (*Result, error) {
	res := &Result{Experiment: e}
	res.Published = slices.Clone(e.Published)
	c, err := Campaign(e.Campaign)
	if err != nil {
		return nil, err
	}
	b.doing = e.Name
	b.progress("")
	f, err := e.run(ctx, b, c)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	for i := range res.Published {
		res.Published[i].Measured = f.measured[res.Published[i].Measured]
	}
	res.Tables = f.tables
	return res, nil
}

type bench struct {
	Options
	doing string
	most  time.Duration // limit of a check; 0: by the scale
}

func (b *bench) progress(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(strings.TrimSpace(b.doing + " " + fmt.Sprintf(format, args...)))
	}
}

// limit bounds the CPU time of one check: 2.1 s at the default scale, a
// minute at full size.
func (b *bench) limit() time.Duration {
	if b.most > 0 {
		return b.most
	}
	return time.Duration((1.5 + 58.5*b.Scale) * float64(time.Second)).Round(100 * time.Millisecond)
}
