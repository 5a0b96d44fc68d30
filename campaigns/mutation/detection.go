package mutation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/lazyregexp"
)

// Search says how long to search for a bug.
type Search struct {
	Seed  uint64 // the first
	Seeds int
	// Budget is how many operations each seed gets, more where the bug has a
	// larger one.
	Budget int
}

// Detection is the result of searching for a bug of the catalogue.
type Detection struct {
	Name string     `json:"name"`
	Bug  config.Bug `json:"bug"`
	// Machine is the one with the bug.
	Machine config.Machine `json:"machine"`
	Seeds   []Trial        `json:"seeds"`
	// First is the first run that failed; nil if none did.
	First *Failure `json:"first,omitempty"`
}

// Failure is a run that failed.
type Failure struct {
	Seed    uint64          `json:"seed"` // of its simulator
	Rounds  int             `json:"rounds"`
	Program *gen.Program    `json:"-"`
	Result  *run.Evaluation `json:"-"`
}

// Hits counts the seeds that caught the bug.
func (d *Detection) Hits() int {
	n := 0
	for _, t := range d.Seeds {
		if t.Killed {
			n++
		}
	}
	return n
}

// Expected reports whether the bug was caught as its entry says: by an outcome
// of its list in nine of ten seeds, or never if it is a negative control.
func (d *Detection) Expected() bool {
	if d.Bug.Equivalent != "" {
		return d.Hits() == 0
	}
	for _, t := range d.Seeds {
		if t.Killed && len(d.Bug.By) > 0 && !slices.Contains(d.Bug.By, t.By) {
			return false
		}
	}
	return 10*d.Hits() >= 9*len(d.Seeds)
}

// Catalogue lists the configurations of a campaign that have a bug: those with
// the given names, or all.
func Catalogue(c *config.Campaign, names []string) ([]*config.Config, error) {
	var list []*config.Config
	var known []string
	for i := range c.Configs {
		if cfg := &c.Configs[i]; cfg.Bug != nil {
			known = append(known, cfg.Name)
			if len(names) == 0 || slices.Contains(names, cfg.Name) {
				list = append(list, cfg)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown bug %q%s", name, messages.Hint(name, known))
		}
	}
	return list, nil
}

// number is the form of a name that is only a number of the catalogue.
var number = lazyregexp.New(`^[IEHA][0-9]+$`)

// Named reports whether a paper or a tracker has a name for a bug.
func Named(b *config.Bug) bool { return b.Known != "" && !number().MatchString(b.Known) }

// Detect runs the programs of a configuration until a run fails, once for each
// seed.
func (s Search) Detect(ctx context.Context, cfg *config.Config) (*Detection, error) {
	on, err := run.NewRunner(config.SimBuiltin, cfg)
	if err != nil {
		return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
	}
	models, err := config.ParseModels(cfg.Expect)
	if err != nil {
		return nil, err
	}
	d := &Detection{Name: cfg.Name, Bug: *cfg.Bug, Machine: cfg.Machine}
	budget := max(s.Budget, cfg.Bug.Budget)
	for i := range s.Seeds {
		seed := s.Seed + uint64(i)
		start := time.Now()
		var t Trial
		for n := 0; t.Ops < budget && !t.Killed; n++ {
			p, err := cfg.Programs.Program(seed, n)
			if err != nil {
				return nil, err
			}
			job := sim.Job{Program: p, Rounds: cfg.Rounds, Seed: seed + uint64(n)}
			res, err := runJob(ctx, on, job, models)
			if err != nil {
				return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
			}
			t.Ops += p.Ops() * cfg.Rounds
			if res.Outcome == sim.Passed {
				continue
			}
			t.Killed, t.By, t.Title = true, res.Outcome.String(), res.Title
			if d.First == nil {
				d.First = &Failure{job.Seed, job.Rounds, p, res}
			}
		}
		t.Elapsed = time.Since(start)
		d.Seeds = append(d.Seeds, t)
	}
	return d, nil
}
