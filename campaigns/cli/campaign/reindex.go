package campaign

import (
	"context"
	"errors"
	"fmt"
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
		Short: "Make an index of campaigns to query with SQL",
		Long: `Bring an index of campaigns up to date, or make it: a SQLite database to query with
ordeal campaign query, sqlite3, or anything else that reads such files. It gets the
campaigns in each DIR, which is the directory of a campaign or holds such
directories, by default ` + command.RunsDir + `; campaigns that it has already are brought up to date
with the rest. --schema prints the definitions of its tables and views, with
comments.

The directories are the truth: what is gone from them is gone from the index, and
the file may be deleted at any time. Of a campaign that is still running, the runs
that have ended are in the index; of one that has grown, only what is new is read.

The index is written in one step: whoever reads it, or kills this command, finds the
old one or the new one. Two reindexes at once take turns. A file that is not an
index, or is damaged, is refused.`,
		Example: `  ordeal campaign reindex
  ordeal campaign query 'SELECT * FROM finding'
  sqlite3 runs/index.db 'SELECT config, status, detection_operations FROM canary'`,
		Args: command.Arguments(0, -1, "directories"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.db, "db", indexFile, "the index")
	fs.BoolVar(&c.o.Rebuild, "rebuild", false, "read everything again")
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
		if len(dirs) > 0 || c.o.Rebuild {
			return command.Usage(errors.New("--schema contradicts DIR and --rebuild: it only prints"))
		}
		fmt.Fprint(c.Stdout, index.Schema())
		return nil
	}
	if len(dirs) == 0 {
		dirs = []string{command.RunsDir}
	}
	var campaigned, runs, added int
	bad := []string{}
	line := c.Progress("index")
	c.o.OnRead = func(dir string, runs int) { line.Show("index %s: %s", dir, messages.Plural(runs, "run")) }
	c.o.OnCampaign = func(n *index.Campaign) {
		switch {
		case n.Err != nil:
			bad = append(bad, n.Err.Error())
			fmt.Fprintf(line, "left out: %v\n", n.Err)
		case n.Removed:
			fmt.Fprintf(line, "%s is no more, and no more in the index\n", n.Dir)
		default:
			campaigned, runs, added = campaigned+1, runs+n.Runs, added+n.Added
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
	if c.json {
		if err := c.PrintJSON(map[string]any{"index": c.db, "campaigns": campaigned, "runs": runs, "added": added, "bytes": info.Size(), "left_out": bad}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.Stdout, "%s: %s, %s, %s of them new; %.1f MB\n", c.db, messages.Plural(campaigned, "campaign"), messages.Plural(runs, "run"), messages.Comma(added), float64(info.Size())/1e6)
	}
	if len(bad) > 0 {
		return command.Exit(summary.ExitInfra)
	}
	return nil
}
