package mutation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"github.com/aclements/go-moremath/stats"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/gen/guided"
	"ordeal/parse"
	"ordeal/sim"
)

// Strategy is a way to choose programs.
type Strategy string

// The strategies. All draw from the same space of programs and machines.
const (
	Uniform Strategy = "random" // without planted shapes
	Shapes  Strategy = "shapes" // critical cycles and little else
	Guided  Strategy = "guided" // evolution, see package guided
)

// Strategies lists the strategies; the first is what others are held against.
func Strategies() []Strategy { return []Strategy{Uniform, Shapes, Guided} }

// What a candidate chooses of the machine: latency and jitter of messages, the
// window of out-of-order cores, and the sizes of private and shared caches.
var (
	latencies = [][2]int64{{5, 10}, {1, 10}, {1, 60}, {1, 120}}
	windows   = []int{8, 32, 64}
	caches    = [][2]string{{"", ""}, {"2x1", "2x1"}, {"2x2", "2x2"}, {"4x1", "2x1"}}
)

// machine numbers the choices of a machine: one index for each list.
type machine [3]int

// sizes are the indexes to choose from.
func sizes() [][]int {
	var all [][]int
	for _, n := range (machine{len(latencies), len(windows), len(caches)}) {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		all = append(all, list)
	}
	return all
}

// Space is what all strategies draw from: few locations and many, every
// layout, so that lines are shared and sets conflict, and slow messages.
func Space(s Strategy) *guided.Space {
	space := &guided.Space{
		Threads: []int{2, 4, 6}, Ops: []int{20, 60, 150}, Locations: []int{2, 4, 8, 16, 32}, Layouts: gen.Layouts(),
		Mixes: []gen.Mix{
			{Load: 50, Store: 43, Exchange: 3, Add: 2, Fence: 2}, {Load: 75, Store: 25}, {Load: 35, Store: 60, Exchange: 5},
		},
		Localities: []float64{0, 0.5, 0.8}, ShapeShares: []float64{0}, Rounds: []int{1, 3},
		Sizes: sizes(),
	}
	switch s {
	case Shapes:
		space.ShapeShares = []float64{0.8}
	case Guided:
		space.ShapeShares = []float64{0, 0, 0.5}
	}
	return space
}

// Race is what came of one bug under all strategies.
type Race struct {
	Name string `json:"name"`
	// Ops are the operations to catch of each seed, by strategy; a seed whose
	// budget did not suffice has the budget, and is counted in Missed.
	Ops    map[Strategy][]int `json:"operations"`
	Missed map[Strategy]int   `json:"missed"`
}

// Compete measures how many operations each strategy needs to catch a bug,
// under the same budget and as many seeds.
func (h Hunt) Compete(ctx context.Context, cfg *config.Config) (*Race, error) {
	r := &Race{Name: cfg.Name, Ops: map[Strategy][]int{}, Missed: map[Strategy]int{}}
	c, err := newContest(cfg)
	if err != nil {
		return nil, err
	}
	for _, s := range Strategies() {
		for seed := range h.Seeds {
			ops, caught, err := c.chase(ctx, s, h.Seed+uint64(seed), h.Budget)
			if err != nil {
				return nil, fmt.Errorf("bug %s: %w", cfg.Name, err)
			}
			if !caught {
				ops = h.Budget
				r.Missed[s]++
			}
			r.Ops[s] = append(r.Ops[s], ops)
		}
	}
	return r, nil
}

// contest runs candidates on the machines that they choose.
type contest struct {
	cfg     *config.Config
	judging execute.CheckOptions
	runners map[machine]sim.Runner
	rows    map[sim.Transition]int // numbers of transitions
}

func newContest(cfg *config.Config) (*contest, error) {
	models, err := config.ParseModels(cfg.Expect)
	if err != nil {
		return nil, err
	}
	return &contest{
		cfg: cfg, runners: map[machine]sim.Runner{}, rows: map[sim.Transition]int{},
		judging: execute.CheckOptions{Models: models, Options: check.Options{Timeout: runTimeout}},
	}, nil
}

// chase runs the candidates of a strategy until one fails.
func (c *contest) chase(ctx context.Context, s Strategy, seed uint64, budget int) (ops int, caught bool, err error) {
	rng := rand.New(rand.NewPCG(seed, 0x63686173))
	space := Space(s)
	search, err := guided.NewSearch(space, rng)
	if err != nil {
		return 0, false, err
	}
	for n := uint64(0); ops < budget; n++ {
		var candidate *guided.Candidate
		if s == Guided {
			candidate, err = search.Next()
		} else {
			candidate, err = space.Random(rng)
		}
		if err != nil {
			return ops, false, err
		}
		ops += candidate.Ops()
		came, coverage, err := c.run(ctx, candidate, seed<<20+n)
		if err != nil {
			return ops, false, err
		}
		if came.Outcome != sim.Passed {
			return ops, true, nil
		}
		if s == Guided {
			search.Observe(candidate, c.feedback(came.History, coverage))
		}
	}
	return ops, false, nil
}

// run runs and judges a candidate.
func (c *contest) run(ctx context.Context, candidate *guided.Candidate, seed uint64) (*rundir.Result, sim.Coverage, error) {
	key := machine(candidate.Sizes)
	on := c.runners[key]
	if on == nil {
		cfg := *c.cfg
		cfg.Latency, cfg.Jitter = latencies[key[0]][0], latencies[key[0]][1]
		cfg.Window = windows[key[1]]
		cfg.PrivateCache, cfg.SharedCache = caches[key[2]][0], caches[key[2]][1]
		var err error
		if on, err = execute.NewRunner(config.SimBuiltin, &cfg); err != nil {
			return nil, nil, err
		}
		c.runners[key] = on
	}
	res, err := on.Run(ctx, sim.Job{Program: candidate.Program, Rounds: candidate.Rounds, Seed: seed, Timeout: runTimeout})
	if err != nil {
		return nil, nil, err
	}
	came, err := execute.Evaluate(ctx, candidate.Program, candidate.Rounds, &res, c.judging)
	return came, res.Coverage, err
}

// feedback is what a run showed: the transitions that it took, and how many
// different stores the reads of each location saw.
func (c *contest) feedback(h *parse.History, coverage sim.Coverage) guided.Feedback {
	var f guided.Feedback
	for _, t := range coverage {
		if t.Count == 0 {
			continue
		}
		row := sim.Transition{Machine: t.Machine, State: t.State, Event: t.Event}
		if _, ok := c.rows[row]; !ok {
			c.rows[row] = len(c.rows)
		}
		f.Taken = append(f.Taken, c.rows[row])
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
func (r *Race) Median(s Strategy) (ops int, ok bool) {
	list := slices.Sorted(slices.Values(r.Ops[s]))
	return list[(len(list)-1)/2], 2*r.Missed[s] < len(list)
}

// P is the probability, by the rank test of Mann and Whitney, that a strategy
// that is as good as the first one would look better by as much; NaN where the
// test says nothing.
func (r *Race) P(s Strategy) float64 {
	sample := func(s Strategy) []float64 {
		var list []float64
		for _, n := range r.Ops[s] {
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

// WriteRaces writes a table of races: the median of each strategy, and the
// rank test against the first.
func WriteRaces(w io.Writer, races []*Race) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "bug")
	for _, s := range Strategies() {
		fmt.Fprintf(tw, "\t%s\tmissed", s)
		if s != Strategies()[0] {
			fmt.Fprint(tw, "\tp")
		}
	}
	fmt.Fprintln(tw)
	sorted := slices.Clone(races)
	slices.SortStableFunc(sorted, func(a, b *Race) int {
		x, _ := a.Median(Uniform)
		y, _ := b.Median(Uniform)
		return cmp.Compare(y, x)
	})
	for _, r := range sorted {
		fmt.Fprint(tw, r.Name)
		for _, s := range Strategies() {
			ops, ok := r.Median(s)
			text := fmt.Sprint(ops)
			if !ok {
				text = "> budget"
			}
			fmt.Fprintf(tw, "\t%s\t%d of %d", text, r.Missed[s], len(r.Ops[s]))
			if s != Strategies()[0] {
				fmt.Fprintf(tw, "\t%.3f", r.P(s))
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}
