package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/gen/option"
)

func newSubmit(e *command.Env) *cobra.Command {
	c := submitCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "submit [FILE]",
		Short: "Run a campaign on a cluster",
		Long: `Run a campaign on a Slurm cluster: as an array of jobs, one for each shard, and a
job that merges what they leave when all of them have ended. Slurm decides when and
where; --partition, --time, --mem, --cpus-per-task and --sbatch-arg are handed to
its sbatch. DIR, FILE's working directory and this program must be there on all nodes
under the same path. Budget and stop conditions of the campaign hold for each shard.

Jobs may be requeued and preempted, nodes may fail: a shard's job goes on where the
one before it was killed. A minute before its time is up a job gives up the runs in
flight and ends. After that, or after a kill, submit again with the same DIR and
without FILE: shards that are complete or queued are not submitted again.
What is not asked anew is asked as before. DIR may come from others: further
arguments for sbatch that it records are used only if it was submitted from here, or
you name them again (--sbatch-arg) or trust them (--trust).

The jobs' scripts are DIR/shard.sh and DIR/merge.sh, what they print DIR/shards/*.Log
and DIR/merge.Log; the merged campaign is in DIR/merged. See also campaign status
and campaign cancel.`,
		Example: `  ordeal campaign submit --shards 16 --time 2:00:00 --dir night campaigns/nightly.yaml
  ordeal campaign status night
  ordeal campaign submit --dir night # the shards whose time was too short, once more`,
		Args: command.Arguments(0, 1, "at most one FILE"),
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&c.sets, "set", nil, "override KEY=VALUE in the file, as for campaign run")
	recordFlag(fs, &c.values)
	fs.StringVar(&c.dir, "dir", "", "directory of the campaign; default runs/NAME-TIME")
	fs.IntVar(&c.shards, "shards", 0, "number of shards")
	command.Declare(cmd, &c.request)
	fs.StringArrayVar(&c.request.Args, "sbatch-arg", nil, "further argument for sbatch, an option with its value; may be repeated")
	fs.BoolVar(&c.trust, "trust", false, "trust the arguments for sbatch that DIR records, now and later")
	command.JSONFlag(cmd, &c.json)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		c.changed = fs.Changed
		return c.run(ctx, args)
	})
	return cmd
}

// submitCommand is the campaign submit command.
type submitCommand struct {
	*command.Env
	dir     string
	sets    []string
	shards  int
	values  bool // the record has those of variables of the environment
	trust   bool
	json    bool
	request cluster.Request
	changed func(flag string) bool // it was given
}

// ask changes a request as the flags say that were given.
func (c *submitCommand) ask(r *cluster.Request) {
	from, to := reflect.ValueOf(c.request), reflect.ValueOf(r).Elem()
	for _, o := range option.Of(from.Type()) {
		if c.changed(o.Name) {
			to.FieldByIndex(o.Field.Index).Set(from.FieldByIndex(o.Field.Index))
		}
	}
	if c.changed("sbatch-arg") {
		r.Args = c.request.Args
	}
}

func (c *submitCommand) run(ctx context.Context, args []string) error {
	s, err := c.submit(ctx, args)
	if err != nil {
		return err
	}
	if err := c.allow(string(s.Dir)); err != nil {
		return err
	}
	if s.Campaign != nil {
		c.Own(string(s.Dir), run.CommandsOf(s.Campaign))
	}
	done, err := s.Run(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.PrintJSON(submittedJSON{string(s.Dir), done.State.Shards, done.Job, done.Shards, done.Waiting, done.Merge, s.Dir.Merged()})
	}
	if done.Job != "" {
		fmt.Fprintf(c.Stdout, "job %s: %s of %d in %s\n", done.Job, shardList(done.Shards), done.State.Shards, s.Dir)
	}
	if len(done.Waiting) > 0 {
		fmt.Fprintf(c.Stdout, "%s: queued already\n", shardList(done.Waiting))
	}
	if done.Merge != "" {
		fmt.Fprintf(c.Stdout, "job %s: the merge into %s\n", done.Merge, s.Dir.Merged())
	}
	if done.Job == "" && done.Merge == "" && len(done.Waiting) == 0 {
		fmt.Fprintf(c.Stdout, "nothing to submit: all %d shards are complete, and merged in %s\n", done.State.Shards, s.Dir.Merged())
		return nil
	}
	fmt.Fprintf(c.Stderr, "to see how it goes:  %s campaign status %s\n", messages.Quoted(c.Args[0]), messages.QuotedPath(string(s.Dir)))
	return nil
}

// submittedJSON is what --json prints of what was submitted; jobs are empty where there
// was nothing to do.
type submittedJSON struct {
	Dir       string `json:"dir"`
	Shards    int    `json:"shards"`
	Job       string `json:"job,omitempty"`
	Submitted []int  `json:"submitted"`
	Waiting   []int  `json:"waiting,omitempty"`
	MergeJob  string `json:"merge_job,omitempty"`
	Merged    string `json:"merged"`
}

// allow returns an error, a run.Refusal perhaps, if sbatch would get arguments
// that are recorded in a directory and neither named nor trusted. Those of the
// command line are noted as the user's.
func (c *submitCommand) allow(dir string) error {
	list := run.Sbatch(c.request.Args)
	if cluster.IsDir(dir) && !c.changed("sbatch-arg") {
		state, err := cluster.Dir(dir).State()
		if err != nil {
			return err
		}
		if list = run.Sbatch(state.Request.Args); !c.trust {
			return c.Gate(dir).Allow(list)
		}
		for _, command := range list {
			fmt.Fprintf(c.Stderr, "trusted, for %s: %s\n", dir, command)
		}
	}
	c.Own(dir, list)
	return nil
}

// submit is what the command line says.
func (c *submitCommand) submit(ctx context.Context, args []string) (*cluster.Submit, error) {
	s := &cluster.Submit{Shards: c.shards, Change: c.ask}
	switch {
	case len(args) == 1:
		camp, _, err := c.Campaign(args[0], c.sets)
		if err != nil {
			return nil, err
		}
		if c.values {
			camp.RecordValues()
		}
		s.Campaign = camp
	case c.dir == "":
		return nil, command.Usage(errors.New("want a FILE, or the --dir of a campaign that was submitted before"))
	case len(c.sets) > 0:
		return nil, command.Usage(errors.New("--set without FILE"))
	}
	if c.dir != "" {
		c.dir = run.Resolve(c.dir)
	}
	s.Dir = cluster.Dir(c.dir)
	if err := s.Validate(); err != nil {
		return nil, command.Usage(err)
	}
	var err error
	if c.dir == "" {
		if c.dir, err = command.NewDir(s.Campaign.Name); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, err
	}
	s.Dir = cluster.Dir(dir)
	if s.WorkDir, err = os.Getwd(); err != nil {
		return nil, err
	}
	s.Program, err = program()
	return s, err
}

// program is the path of this program, without links.
func program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// shardList names shards, as "shards 1 to 3, 7".
func shardList(shards []int) string {
	if len(shards) == 1 {
		return fmt.Sprintf("shard %d", shards[0])
	}
	return "shards " + strings.NewReplacer("-", " to ", ",", ", ").Replace(cluster.Ranges(shards))
}
