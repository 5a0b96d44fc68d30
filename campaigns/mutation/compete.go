package mutation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/rundir"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/guided"
	"ordeal/parse"
	"ordeal/sim"
)

// Comparison is the result of searching for one bug with all strategies.
type Comparison struct {
	Name string `json:"name"`
	// Ops are the operations to catch of each seed, by strategy. A seed whose
	// budget did not suffice has the budget, and is counted in Missed.
	Ops    map[Strategy][]int `json:"operations"`
	Missed map[Strategy]int   `json:"missed"`
}

// Compare measures how many operations each strategy needs to catch a bug,
// with the same budget and seeds.
func (s Search) Compare(ctx context.Context, cfg *config.Config) (*Comparison, error) {
	models, err := config.ParseModels(cfg.Expect)
	if err != nil {
		return nil, err
	}
	seeds, err := rarePrograms(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
	}
	c := &Comparison{Name: cfg.Name, Ops: map[Strategy][]int{}, Missed: map[Strategy]int{}}
	x := &competition{cfg: cfg, models: models, seeds: seeds, runners: map[machine]sim.Runner{}, rows: Rows{}}
	for _, strategy := range Strategies() {
		for seed := range s.Seeds {
			ops, caught, err := x.search(ctx, strategy, s.Seed+uint64(seed), s.Budget)
			if err != nil {
				return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
			}
			if !caught {
				ops = s.Budget
				c.Missed[strategy]++
			}
			c.Ops[strategy] = append(c.Ops[strategy], ops)
		}
	}
	return c, nil
}

// competition runs candidates on the machines that they choose.
type competition struct {
	cfg     *config.Config
	models  []model.Model
	seeds   []*gen.Program // of Explored
	runners map[machine]sim.Runner
	rows    Rows
}

// search runs the candidates of a strategy until one fails.
func (x *competition) search(ctx context.Context, s Strategy, seed uint64, budget int) (ops int, caught bool, err error) {
	rng := rand.New(rand.NewPCG(seed, 0x63686173))
	space := Space(s)
	search, err := guided.NewSearch(space, rng)
	if err != nil {
		return 0, false, err
	}
	if s == Explored {
		search.Seed(x.seeds)
	}
	evolves := s == Guided || s == Explored
	for n := uint64(0); ops < budget; n++ {
		var candidate *guided.Candidate
		if evolves {
			candidate, err = search.Next()
		} else {
			candidate, err = space.Random(rng)
		}
		if err != nil {
			return ops, false, err
		}
		ops += candidate.Ops()
		res, err := x.run(ctx, candidate, seed<<20+n)
		if err != nil {
			return ops, false, err
		}
		if res.Outcome != sim.Passed {
			return ops, true, nil
		}
		if evolves {
			search.Observe(candidate, x.rows.Feedback(res.History, res.Coverage))
		}
	}
	return ops, false, nil
}

// run executes and checks a candidate.
func (x *competition) run(ctx context.Context, c *guided.Candidate, seed uint64) (*rundir.Result, error) {
	key := machine(c.Sizes)
	if x.runners[key] == nil {
		on, err := execute.NewRunner(config.SimBuiltin, key.config(x.cfg))
		if err != nil {
			return nil, err
		}
		x.runners[key] = on
	}
	return runJob(ctx, x.runners[key], sim.Job{Program: c.Program, Rounds: c.Rounds, Seed: seed}, x.models)
}

// Rows numbers transitions in the order in which they are first taken.
type Rows map[sim.Row]int

// Feedback is the transitions that a run took, and how many stores of other
// threads the reads of each location saw; h is nil for a run without a history.
func (r Rows) Feedback(h *parse.History, coverage sim.Coverage) guided.Feedback {
	var f guided.Feedback
	for _, t := range coverage {
		if t.Count == 0 {
			continue
		}
		row := t.Row
		if _, ok := r[row]; !ok {
			r[row] = len(r)
		}
		f.Taken = append(f.Taken, r[row])
	}
	if h == nil {
		return f
	}
	f.Writers = make([]int, len(h.Locations))
	type edge struct {
		from parse.OpID
		to   int // thread
	}
	seen := map[edge]bool{}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if e := (edge{op.RF, t}); op.Reads() && op.RF >= 0 && h.Thread(op.RF) != t && !seen[e] {
				seen[e] = true
				f.Writers[op.Loc]++
			}
		}
	}
	return f
}

// Median is the median of a strategy's operations; ok is false where more than
// half of the seeds missed.
func (c *Comparison) Median(s Strategy) (ops int, ok bool) {
	list := slices.Sorted(slices.Values(c.Ops[s]))
	return list[(len(list)-1)/2], 2*c.Missed[s] < len(list)
}

// P is the probability, by the rank test of Mann and Whitney, that a strategy
// that is no better than the first one looks better by as much; NaN where the
// test has no answer.
func (c *Comparison) P(s Strategy) float64 {
	sample := func(s Strategy) []float64 {
		var list []float64
		for _, n := range c.Ops[s] {
			list = append(list, float64(n))
		}
		return list
	}
	res, err := stats.MannWhitneyUTest(sample(s), sample(Strategies()[0]), stats.LocationLess)
	if err != nil {
		return math.NaN()
	}
	return res.P
}

// ComparisonTable has the median of each strategy, the seeds that missed the
// bug, and the rank test against the first strategy.
func ComparisonTable(list []*Comparison) *messages.Table {
	t := &messages.Table{Header: []any{"bug"}}
	for i, s := range Strategies() {
		t.Header = append(t.Header, s, "missed")
		if i > 0 {
			t.Header = append(t.Header, "p")
		}
	}
	sorted := slices.SortedStableFunc(slices.Values(list), func(a, b *Comparison) int {
		x, _ := a.Median(Uniform)
		y, _ := b.Median(Uniform)
		return cmp.Compare(y, x)
	})
	for _, c := range sorted {
		row := []any{c.Name}
		for i, s := range Strategies() {
			ops, ok := c.Median(s)
			text := fmt.Sprint(ops)
			if !ok {
				text = "> budget"
			}
			row = append(row, text, fmt.Sprintf("%d of %d", c.Missed[s], len(c.Ops[s])))
			if i > 0 {
				row = append(row, fmt.Sprintf("%.3f", c.P(s)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
