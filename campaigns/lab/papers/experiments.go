package papers

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"sync"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/check"
	"ordeal/check/model"
)

// Paper is a publication.
type Paper struct {
	Short string `json:"short"`
	Cite  string `json:"cite"`
}

// Experiment is one figure, table or claim of a paper.
type Experiment struct {
	Name  string `json:"name"` // as in --only
	Paper Paper  `json:"paper" yaml:"-"`
	Place string `json:"place"` // the figure or section
	Title string `json:"title"`
	// Campaign is the file whose runs are the histories.
	Campaign  string  `json:"campaign"`
	Published []Quote `json:"published"` // in the order of the paper
	// Notes explain differences, and what was decided where the paper leaves
	// it open.
	Notes []string `json:"notes"`
	run   measurement
}

// Quote is a published figure.
type Quote struct {
	What  string `json:"what"`
	Value string `json:"value"`
	// Measured is our figure, in the same words; empty where a table or a chart
	// shows it.
	Measured string `json:"measured,omitempty"`
}

// measurement makes an experiment with the runs of a campaign.
type measurement func(ctx context.Context, b *bench, c *config.Campaign) (finding, error)

// functions are the measurements that are not sweeps.
var functions = map[string]measurement{
	"unordered": unordered, "caught": caught, "kernels": kernels, "caughtRewired": caughtRewired,
	"grid": grid, "variants": variants,
}

//go:embed experiments.yaml
var catalogue []byte

//go:embed gcc-*.yaml tsotool-*.yaml wsc-*.yaml
var files embed.FS

// Campaign is the campaign of a file of this folder.
func Campaign(file string) (*config.Campaign, error) {
	data, err := files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no campaign file %s comes with the experiments", file)
	}
	return config.Parse("campaigns/lab/papers/"+file, data, nil)
}

type sweepSpec struct {
	X          string   `yaml:"x"`
	Model      string   `yaml:"model"`
	Methods    []method `yaml:"methods"`
	Least      int      `yaml:"least"`
	Violations bool     `yaml:"violations"`
	Rewired    int      `yaml:"rewired"`
}

func (s *sweepSpec) sweep() (*sweep, error) {
	m, ok := model.ByName(s.Model)
	x, known := axes[s.X]
	if !ok || !known {
		return nil, fmt.Errorf("sweep of %q under model %q: unknown", s.X, s.Model)
	}
	f := &sweep{axis: x, model: m, methods: s.Methods, valid: check.Allowed, rewired: s.Rewired, least: s.Least}
	if s.Violations {
		f.valid = check.Forbidden
	}
	return f, nil
}

// All lists the experiments, paper by paper.
var All = sync.OnceValue(func() []Experiment {
	all, err := parseCatalogue(catalogue)
	if err != nil {
		panic(fmt.Sprintf("experiments.yaml: %v", err)) // it is part of this program
	}
	return all
})

func parseCatalogue(text []byte) ([]Experiment, error) {
	var file struct {
		Papers      map[string]string
		Notes       map[string]string
		Methods     map[string][]method
		Experiments []struct {
			Experiment `yaml:",inline"`
			Paper, Run string
			Sweep      *sweepSpec
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	var all []Experiment
	for _, x := range file.Experiments {
		e := x.Experiment
		e.Paper, e.run = Paper{x.Paper, file.Papers[x.Paper]}, functions[x.Run]
		for i, note := range e.Notes {
			if text, ok := file.Notes[note]; ok {
				e.Notes[i] = text
			}
		}
		if x.Sweep != nil {
			f, err := x.Sweep.sweep()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Name, err)
			}
			for _, q := range x.Published {
				f.says = append(f.says, q.Measured)
			}
			e.run = f.run
		}
		if e.run == nil || e.Paper.Cite == "" {
			return nil, fmt.Errorf("%s: measured by %q, of paper %q: unknown", x.Name, x.Run, x.Paper)
		}
		all = append(all, e)
	}
	return all, nil
}
