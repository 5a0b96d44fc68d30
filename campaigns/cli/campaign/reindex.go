package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/index"
)

// indexFile is the index, by default.
var indexFile = filepath.Join(command.RunsDir, "index.db")

func newReindex(e *command.Env) *cobra.Command {
	c := reindexCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "reindex [DIR...]",
		Short: "Build an index of campaigns to query with SQL",
		Long: `Build an index of campaigns: a SQLite database to query with ordeal campaign query,
sqlite3, or anything else that reads such files. It has the campaigns in each DIR,
which is the directory of a campaign or holds such directories, by default
` + command.RunsDir + `, and those that it had before and that still exist. --schema prints the
definitions of its tables and views, with comments.

The directories are the truth: the index is built whole from them each time, and may
be deleted. Of a campaign that is still running, the runs that have ended are in the
index.

The index is written in one transaction: whoever reads it, or kills this command,
finds the old one or the new one. Two reindexes at once take turns. A file that is
not an index, or is damaged, is refused.`,
		Example: `  ordeal campaign reindex
  ordeal campaign query 'SELECT * FROM finding'
  sqlite3 runs/index.db 'SELECT config, status, detection_operations FROM canary'`,
		Args: command.Arguments(0, -1, "directories"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.db, "db", indexFile, "the index")
	fs.BoolVar(&c.schema, "schema", false, "print the schema and do nothing else")
	command.JSONFlag(cmd, &c.json)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return c.run(ctx, args) })
	return cmd
}

// reindexCommand is the campaign reindex command.
type reindexCommand struct {
	*command.Env
	db     string
	o      index.Options
	schema bool
	json   bool
}

func (c *reindexCommand) run(ctx context.Context, dirs []string) error {
	if c.schema {
		if c.json {
			return command.Usage(errors.New("--schema contradicts --json: the schema is SQL"))
		}
		if len(dirs) > 0 {
			return command.Usage(errors.New("--schema contradicts DIR: it only prints"))
		}
		fmt.Fprint(c.Stdout, index.Schema())
		return nil
	}
	if len(dirs) == 0 {
		dirs = []string{command.RunsDir}
	}
	var campaigns, runs int
	bad := []string{}
	line := c.Progress("index")
	c.o.OnRead = func(dir string, runs int) { line.Show("index %s: %s", dir, messages.Plural(runs, "run")) }
	c.o.OnCampaign = func(n *index.Campaign) {
		switch {
		case n.Err != nil:
			bad = append(bad, n.Err.Error())
			fmt.Fprintf(line, "left out: %v\n", n.Err)
		case n.Removed:
			fmt.Fprintf(line, "%s no longer exists, and is no longer in the index\n", n.Dir)
		default:
			campaigns, runs = campaigns+1, runs+n.Runs
		}
	}
	err := index.Reindex(ctx, c.db, dirs, c.o)
	line.Close()
	if err != nil {
		return err
	}
	info, err := os.Stat(c.db)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made := map[string]any{"index": c.db, "campaigns": campaigns, "runs": runs, "bytes": info.Size(), "left_out": bad}
	err = c.Print(c.json, made, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s, %s; %.1f MB\n", c.db, messages.Plural(campaigns, "campaign"), messages.Plural(runs, "run"), float64(info.Size())/1e6)
		return err
	})
	if err == nil && len(bad) > 0 {
		return command.Exit(summary.ExitInfra)
	}
	return err
}
