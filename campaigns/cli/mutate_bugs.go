package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
)

// bugsFile is the catalogue that comes with the command.
const bugsFile = "injected.yaml"

func newMutateBugs(e *env) *cobra.Command {
	b := bugs{env: e}
	cmd := &cobra.Command{
		Use:   "bugs [NAME...]",
		Short: "Catch the known bugs of the catalogue",
		Long: `Inject the bugs of a campaign file, one after the other, and run its programs until
each is caught, under several seeds. Without --file they are those of the catalogue
that comes with ordeal: bugs of the literature and of the tracker, by their names.
With --reduce the first failing run of each is reduced, and both stay in DIR/NAME.`,
		Example: "  ordeal mutate bugs mi-swap-store mi-swap-profile",
	}
	f := cmd.Flags()
	f.StringVar(&b.file, "file", "", "campaign file whose configurations have a bug (default the catalogue)")
	f.Uint64Var(&b.search.Seed, "seed", 1, "first seed")
	f.IntVar(&b.search.Seeds, "seeds", 10, "how many seeds")
	f.IntVar(&b.search.Budget, "budget", 100_000, "operations for each seed")
	f.BoolVar(&b.reduce, "reduce", false, "reduce the first failing run of each")
	f.StringVar(&b.dir, "dir", "", "directory of the reduced runs; default runs/bugs-TIME")
	f.BoolVar(&b.named, "named", false, "only bugs that a paper or a tracker has a name for")
	f.BoolVar(&b.markdown, "markdown", false, "print the table in Markdown, as it stands in the README")
	f.BoolVar(&b.json, "json", false, "print the results as JSON")
	cmd.ValidArgsFunction = bugNames
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return b.run(ctx, args) })
	return cmd
}

// bugs is the mutate bugs command.
type bugs struct {
	*env
	search    mutation.Search
	file, dir string

	named, reduce, json, markdown bool
}

func (b *bugs) run(ctx context.Context, names []string) error {
	if b.search.Seeds < 1 || b.search.Budget < 1 {
		return command.Usage(fmt.Errorf("--seeds %d, --budget %d: want at least 1", b.search.Seeds, b.search.Budget))
	}
	if b.json && b.markdown {
		return command.Usage(errors.New("--json and --markdown: want one of them"))
	}
	c, err := b.catalogue()
	if err != nil {
		return err
	}
	list, err := mutation.Catalogue(c, names)
	if err != nil {
		return command.Usage(err)
	}
	if b.named {
		list = slices.DeleteFunc(list, func(cfg *config.Config) bool { return !mutation.Named(cfg.Bug) })
	}
	command.CollectSeldom()
	var catches []*mutation.Detection
	var reduced []*reducedBug
	for _, cfg := range list {
		caught, err := b.search.Detect(ctx, cfg)
		if err != nil {
			return err
		}
		catches = append(catches, caught)
		fmt.Fprintf(b.Stderr, "%s: caught by %d of %d seeds\n", cfg.Name, caught.Hits(), len(caught.Seeds))
		if b.reduce && caught.First != nil {
			r, err := b.reduceOne(ctx, cfg, caught)
			if err != nil {
				return errors.Join(fmt.Errorf("reduce %s: %w", cfg.Name, err), b.print(catches, reduced))
			}
			reduced = append(reduced, r)
		}
	}
	if err := b.print(catches, reduced); err != nil {
		return err
	}
	if slices.ContainsFunc(catches, func(c *mutation.Detection) bool { return !c.Expected() }) {
		return command.Exit(summary.ExitFinding)
	}
	return nil
}

// catalogue is the campaign whose bugs to catch.
func (b *bugs) catalogue() (*config.Campaign, error) {
	if b.file == "" {
		return config.Ready(bugsFile)
	}
	c, _, err := b.Campaign(b.file, nil)
	return c, err
}

// reducedBug is what became of a failing run.
type reducedBug struct {
	Name       string        `json:"name"`
	Before     int           `json:"operations_before"`
	After      int           `json:"operations_after"`
	Threads    int           `json:"threads"`
	Rounds     int           `json:"rounds"`
	Candidates int           `json:"candidates"`
	Runs       int           `json:"runs"`
	Elapsed    time.Duration `json:"elapsed_ns"`
	Dir        string        `json:"dir"`
}

// reduceOne records a failing run and reduces it.
func (b *bugs) reduceOne(ctx context.Context, cfg *config.Config, caught *mutation.Detection) (*reducedBug, error) {
	if b.dir == "" {
		var err error
		if b.dir, err = command.NewDir("bugs"); err != nil {
			return nil, err
		}
	}
	dir := run.Dir(filepath.Join(b.dir, cfg.Name))
	record := &run.Spec{
		Seed: caught.First.Seed, Sim: config.SimBuiltin, Config: *cfg, Timeout: config.Duration(time.Minute),
		Command: b.Args, Started: time.Now(),
	}
	if err := dir.Create(caught.First.Program, record); err != nil {
		return nil, err
	}
	if err := dir.Finish(caught.First.Result); err != nil {
		return nil, err
	}
	res, err := reduction.Reduce(ctx, dir, reduction.Options{Time: time.Minute})
	if err != nil {
		return nil, err
	}
	out := run.Dir(filepath.Join(string(dir), "reduced"))
	if err := res.Write(ctx, out, b.Args); err != nil {
		return nil, err
	}
	return &reducedBug{
		Name: cfg.Name, Before: res.Before, After: res.After, Threads: len(res.Program.Threads), Rounds: res.Spec.Config.Rounds,
		Candidates: res.Candidates, Runs: res.Runs, Elapsed: res.Elapsed, Dir: string(out),
	}, nil
}

func (b *bugs) print(catches []*mutation.Detection, reduced []*reducedBug) error {
	if b.json {
		return b.PrintJSON(map[string]any{"bugs": catches, "reduced": reduced})
	}
	table := mutation.DetectionTable(catches)
	text := table.Fit(b.Columns())
	if b.markdown {
		text = table.Markdown()
	}
	if _, err := fmt.Fprint(b.Stdout, text); err != nil || len(reduced) == 0 {
		return err
	}
	fmt.Fprintln(b.Stdout)
	reductions := messages.Table{Header: []any{"in", "operations", "reduced to", "threads", "rounds", "programs", "runs", "seconds"}}
	for _, r := range reduced {
		reductions.Rows = append(reductions.Rows, []any{r.Dir, r.Before, r.After, r.Threads, r.Rounds, r.Candidates, r.Runs, fmt.Sprintf("%.1f", r.Elapsed.Seconds())})
	}
	slices.SortFunc(reduced, func(a, b *reducedBug) int { return cmp.Compare(a.After, b.After) })
	after := reduced[len(reduced)/2].After
	slices.SortFunc(reduced, func(a, b *reducedBug) int { return cmp.Compare(a.Threads, b.Threads) })
	threads := reduced[len(reduced)/2].Threads
	slices.SortFunc(reduced, func(a, b *reducedBug) int { return cmp.Compare(a.Elapsed, b.Elapsed) })
	reductions.Total = []any{"median", "", after, threads, "", "", "", fmt.Sprintf("%.1f", reduced[len(reduced)/2].Elapsed.Seconds())}
	_, err := fmt.Fprint(b.Stdout, reductions.Fit(b.Columns()))
	return err
}
