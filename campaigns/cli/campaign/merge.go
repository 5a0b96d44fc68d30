package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/engine/merge"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
)

func newMerge(e *command.Env) *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge -o DIR SOURCE…",
		Short: "Make one campaign of its shards",
		Long: `Merge shards of a campaign, or other parts of it, into one campaign in DIR: the same
runs, findings and kept examples that it would have left on one machine. A SOURCE
is a directory of campaign run --shard, or one of campaign submit, which stands for
all shards that have begun. DIR is new, or was merged before: then what is missing
there is added.

Merging again changes nothing, and a merge that was killed is simply done again.
It refuses sources of different campaigns, seeds or versions, and runs
whose results differ between two sources: on the embedded simulator another program,
outcome or log, on a processor or gem5 any second run with the same number. A merge
that refuses leaves the campaign in DIR as it was.

Prints the table of the merged campaign, and what is missing.`,
		Example: `  ordeal campaign run --shard 1/2 --dir a campaigns/quick.yaml # on one machine
  ordeal campaign run --shard 2/2 --dir b campaigns/quick.yaml # on another one
  ordeal campaign merge -o night a b # both copied to one machine`,
		Args: command.Arguments(1, -1, "at least one SOURCE"),
	}
	fs := cmd.Flags()
	fs.StringVarP(&dir, "output", "o", "", "directory of the merged campaign")
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if dir == "" {
			return command.Usage(errors.New("where to? want -o DIR"))
		}
		sources, err := expandClusters(args)
		if err != nil {
			return err
		}
		dir = run.Resolve(dir)
		m := merge.Merge{Dir: dir, Sources: sources, Argv0: messages.Quoted(e.Args[0]), Rerun: e.AgainIn(dir)}
		line := e.Progress("open the sources")
		m.OnProgress = func(step, source string, runs int) {
			line.Show("%s %s: %s", step, source, messages.Plural(runs, "run"))
		}
		r, err := m.Run(ctx)
		line.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "merged %s: %d runs added, %d in all\n", dir, r.Added, r.Summary.Total().Runs)
		if err := e.Print(asJSON, mergedJSON{r.Summary, r.Missing}, func(io.Writer) error { writeMerged(e, r); return nil }); err != nil {
			return err
		}
		return command.Exit(r.Summary.ExitStatus())
	})
	return cmd
}

// expandClusters replaces directories of campaigns on clusters by those of
// their shards.
func expandClusters(sources []string) ([]string, error) {
	var all []string
	for _, source := range sources {
		resolved := run.Resolve(source)
		if !cluster.IsDir(resolved) {
			all = append(all, source)
			continue
		}
		begun, err := cluster.Dir(resolved).Started()
		if err != nil {
			return nil, err
		}
		all = append(all, begun...)
	}
	return all, nil
}

// mergedJSON is what --json prints of a merge.
type mergedJSON struct {
	*summary.Summary
	Missing []merge.Part `json:"missing,omitempty"`
}

// writeMerged prints what a merge came to.
func writeMerged(e *command.Env, r *merge.Result) {
	w := e.Stdout
	fmt.Fprint(w, r.Summary.Fit(e.Columns()))
	for i, part := range r.Missing {
		if i == 0 {
			fmt.Fprintln(w, "\nNot all shards are here, or whole:")
		}
		fmt.Fprintf(w, "  shard %s  %d of %d runs\n", part.Shard, part.Has, part.Runs)
	}
}
