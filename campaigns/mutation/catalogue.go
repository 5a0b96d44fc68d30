package mutation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
)

// Hunt is how often and how long to look for a bug.
type Hunt struct {
	Seed  uint64
	Seeds int
	// Budget is how many operations each seed gets, more where the bug says so.
	Budget int
}

// Catch is what came of a bug of the catalogue.
type Catch struct {
	Name string     `json:"name"`
	Bug  config.Bug `json:"bug"`
	// Machine is what it was planted in.
	Machine config.Machine `json:"machine"`
	Seeds   []Trial        `json:"seeds"`
	// First is the first run that failed; nil if none did.
	First *Failure `json:"first,omitempty"`
}

// Failure is a run that failed.
type Failure struct {
	Seed    uint64       `json:"seed"` // of its simulator
	Rounds  int          `json:"rounds"`
	Program *gen.Program `json:"-"`
	// Case is what came of it.
	Case *rundir.Result `json:"-"`
}

// Hits counts the seeds that caught the bug.
func (c *Catch) Hits() int {
	n := 0
	for _, t := range c.Seeds {
		if t.Killed {
			n++
		}
	}
	return n
}

// Expected tells whether the bug was caught as it should be: by an outcome of
// its list in nine of ten seeds, or never if it is a negative control.
func (c *Catch) Expected() bool {
	if c.Bug.Equivalent != "" {
		return c.Hits() == 0
	}
	for _, t := range c.Seeds {
		if t.Killed && len(c.Bug.By) > 0 && !slices.Contains(c.Bug.By, t.By) {
			return false
		}
	}
	return 10*c.Hits() >= 9*len(c.Seeds)
}

// Catalogue lists the configurations of a campaign in which a bug is planted:
// those with the given names, or all.
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
			return nil, fmt.Errorf("no bug %q among %d; like it are %s", name, len(known), strings.Join(like(name, known), ", "))
		}
	}
	return list, nil
}

// number is the form of a name that is only a number of the catalogue.
var number = regexp.MustCompile(`^[IEHA][0-9]+$`)

// Named tells whether a paper or a tracker has a name for a bug.
func Named(b *config.Bug) bool { return b.Known != "" && !number.MatchString(b.Known) }

// maxLike bounds the names that an error suggests.
const maxLike = 8

// like are the names that share most words with a name.
func like(name string, known []string) []string {
	words := strings.Split(name, "-")
	shared := func(other string) int {
		n := 0
		for _, w := range strings.Split(other, "-") {
			if slices.Contains(words, w) {
				n++
			}
		}
		return n
	}
	list := slices.Clone(known)
	slices.SortStableFunc(list, func(a, b string) int { return shared(b) - shared(a) })
	return list[:min(len(list), maxLike)]
}

// Catch runs the programs of a configuration until its bug shows, once for
// each seed.
func (h Hunt) Catch(ctx context.Context, cfg *config.Config) (*Catch, error) {
	on, err := execute.NewRunner(config.SimBuiltin, cfg)
	if err != nil {
		return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
	}
	models, err := config.ParseModels(cfg.Expect)
	if err != nil {
		return nil, err
	}
	c := &Catch{Name: cfg.Name, Bug: *cfg.Bug, Machine: cfg.Machine}
	budget := max(h.Budget, cfg.Bug.Budget)
	for s := range h.Seeds {
		start := time.Now()
		var t Trial
		for n := 0; t.Ops < budget && !t.Killed; n++ {
			f := &Failure{Seed: h.Seed + uint64(s) + uint64(n), Rounds: cfg.Rounds}
			if f.Program, err = cfg.Programs.Program(h.Seed+uint64(s), n); err != nil {
				return nil, err
			}
			job := sim.Job{Program: f.Program, Rounds: f.Rounds, Seed: f.Seed, Timeout: runTimeout}
			res, err := on.Run(ctx, job)
			if err != nil {
				return nil, err
			}
			judging := execute.CheckOptions{Models: models, Options: check.Options{Timeout: runTimeout}}
			if f.Case, err = execute.Evaluate(ctx, f.Program, f.Rounds, &res, judging); err != nil {
				return nil, err
			}
			t.Ops += f.Program.Ops() * f.Rounds
			if f.Case.Outcome == sim.Infra {
				return nil, fmt.Errorf("bug %s: %s: %s", cfg.Name, f.Case.Title, f.Case.Detail)
			}
			if f.Case.Outcome != sim.Passed {
				t.Killed, t.By, t.Title = true, f.Case.Outcome.String(), f.Case.Title
				if c.First == nil {
					c.First = f
				}
			}
		}
		t.Elapsed = time.Since(start)
		c.Seeds = append(c.Seeds, t)
	}
	return c, nil
}
