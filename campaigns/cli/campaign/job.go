package campaign

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/engine/merge"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
)

// newCampaignJob is what the batch scripts of campaign submit become.
func newJob(e *command.Env) *cobra.Command {
	shard := &cobra.Command{
		Use:   "shard DIR I",
		Short: "Begin shard I, or go on with it",
		Long: `Begin shard I of the campaign in DIR, or go on with it where an earlier job left it.
Near the job's time limit (SIGUSR1) it gives up the runs in flight and requeues the
job, unless none was recorded.`,
		Example: `  ordeal campaign job shard night 3`,
		Args:    command.Arguments(2, 2, "a DIR and the number of a shard"),
	}
	shard.RunE = command.Body(func(ctx context.Context, args []string) error { return shardJob(ctx, e, args[0], args[1]) })
	merged := &cobra.Command{
		Use:     "merge DIR",
		Short:   "Merge what the shards have left",
		Long:    `Merge what the shards of the campaign in DIR have left so far.`,
		Example: `  ordeal campaign job merge night`,
		Args:    command.Arguments(1, 1, "a DIR"),
	}
	merged.RunE = command.Body(func(ctx context.Context, args []string) error {
		dir := cluster.Dir(run.Resolve(args[0]))
		logf := func(format string, args ...any) { fmt.Fprintf(e.Stderr, format+"\n", args...) }
		r, err := dir.Merge(ctx, merge.Merge{Argv0: messages.Quoted(e.Args[0]), Rerun: e.AgainIn(dir.Merged())}, logf)
		if err != nil {
			return err
		}
		writeMerged(e, r)
		return nil
	})
	return command.Group(&cobra.Command{Use: "job", Short: "Do the work of a job of campaign submit", Hidden: true}, shard, merged)
}

func shardJob(ctx context.Context, e *command.Env, dir, number string) error {
	i, err := strconv.Atoi(number)
	if err != nil {
		return command.Usage(fmt.Errorf("%q is no number of a shard", number))
	}
	job := cluster.ShardJob{Dir: cluster.Dir(run.Resolve(dir)), Shard: i}
	c, err := job.Dir.Campaign()
	if err != nil {
		return err
	}
	at := job.Dir.Shard(i)
	bar := progress.New(e.Stderr, e.Terminal, progress.ModePlain, c, at)
	job.Engine = loop(e, at, bar)
	r, err := job.Run(ctx)
	bar.Close()
	if r.Summary != nil && r.Total().Runs > 0 {
		fmt.Fprint(e.Stdout, r.Text())
	}
	if r.Requeued {
		fmt.Fprintf(e.Stderr, "near its time limit, the job of shard %d is requeued\n", i)
	}
	switch {
	case err != nil:
		return err
	case r.Interrupted:
		return command.Exit(summary.ExitUndecided)
	}
	return nil
}
