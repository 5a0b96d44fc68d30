package campaign

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/run"
)

// reportFormat is a form that a campaign's report may have.
type reportFormat struct {
	name, file string // of the command line, and in the campaign's directory
	write      func(ctx context.Context, w io.Writer, a *journal.Archive, c *reportCommand) error
}

// reportFormats are the forms of reports; the first is the default.
var reportFormats = []reportFormat{
	{"html", "report.html", func(ctx context.Context, w io.Writer, a *journal.Archive, c *reportCommand) error {
		return html.Write(ctx, w, a, html.Options{Kill: c.kill, Baseline: c.baseline})
	}},
	{"junit", "junit.xml", func(_ context.Context, w io.Writer, a *journal.Archive, c *reportCommand) error {
		return report.WriteJUnit(w, a, c.baseline)
	}},
	{"jsonl", "report.jsonl", func(_ context.Context, w io.Writer, a *journal.Archive, c *reportCommand) error {
		return report.WriteJSONL(w, a, c.baseline)
	}},
	{"sarif", "report.sarif", func(_ context.Context, w io.Writer, a *journal.Archive, c *reportCommand) error {
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		return report.WriteSARIF(w, a, c.baseline, root)
	}},
}

func reportNames() []string {
	var list []string
	for _, f := range reportFormats {
		list = append(list, f.name)
	}
	return list
}

func reportFiles() []string {
	var list []string
	for _, f := range reportFormats {
		list = append(list, f.file)
	}
	return list
}

func newReport(e *command.Env) *cobra.Command {
	c := reportCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the results of a campaign, for browsers or other programs",
		Long: `Write a report of the campaign in DIR, ended or not. As html it is one page that
needs nothing else: the summary, the findings with pictures of their witnesses and
the commands to reproduce them, the canaries, the coverage of the protocols' tables,
throughput and times of detection, and the environment. A kill matrix measured by
mutate run joins it with --kill, or when it is in DIR. With --against OLD, an earlier
campaign, each finding is marked: new, recurring, flaky (at another rate, see campaign
diff), and of those of OLD fixed, or not seen where that may be chance.

For continuous integration, junit is XML with a test suite for each kind of run: one
case for its runs, one for each finding and canary. jsonl has an object a line: the
campaign, each run, each finding, each canary, the summary; the package
campaigns/report documents the fields. sarif (2.1.0) has the findings at the lines of
the protocol's files that they are about, for code hosts that show them in a change;
call it in the directory of the repository.`,
		Example: `  ordeal campaign report night
  ordeal campaign report --kill mutants -o night.html night
  ordeal campaign report --against runs/nightly-20261121-010000 runs/nightly-20261122-010000
  ordeal campaign report --format junit night
  ordeal campaign report --format sarif -o night.sarif night
  ordeal campaign report --format jsonl -o - night | jq 'select(.event == "finding")'`,
		Args: command.Arguments(1, 1, "one DIR of a campaign"),
	}
	f := cmd.Flags()
	f.StringVar(&c.format, "format", reportFormats[0].name, "what to write: "+strings.Join(reportNames(), ", "))
	command.Complete(cmd, "format", reportNames())
	f.StringVarP(&c.out, "output", "o", "", "file to write, - for standard output; default DIR/"+strings.Join(reportFiles(), ", DIR/"))
	f.StringVar(&c.kill, "kill", "", "results of mutate run: its directory, matrix.json or matrix.jsonl")
	f.StringVar(&c.against, "against", "", "an earlier campaign: findings are marked new, recurring, flaky or fixed since then")
	c.known.Flags(f)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return c.run(ctx, args[0]) })
	return cmd
}

// reportCommand is the campaign report command.
type reportCommand struct {
	*command.Env
	format, out, kill, against string
	known                      command.KnownFlag
	baseline                   *compare.Diff
}

func (c *reportCommand) run(ctx context.Context, dir string) error {
	i := slices.IndexFunc(reportFormats, func(f reportFormat) bool { return f.name == c.format })
	if i < 0 {
		return command.Usage(fmt.Errorf("--format: unknown format %q%s", c.format, messages.Hint(c.format, reportNames())))
	}
	if c.kill != "" && i > 0 {
		return command.Usage(fmt.Errorf("--kill %s goes with --format %s, not %s", c.kill, reportFormats[0].name, c.format))
	}
	format := reportFormats[i]
	dir = run.Resolve(dir)
	archive, err := journal.Open(dir)
	if err != nil {
		return err
	}
	if err := c.known.Replace(c.Env, &archive.Campaign.Known); err != nil {
		return err
	}
	line := reading(c.Env, "report", archive)
	defer line.Close()
	if c.against != "" {
		old, err := journal.Open(run.Resolve(c.against))
		if err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		if c.baseline, err = compare.Compare(old, archive); err != nil {
			return err
		}
	}
	if c.out == "-" {
		if c.OnTerminal() {
			line.Close() // it is drawn where the report goes
		}
		return format.write(ctx, c.Data, archive, c)
	}
	write := func(w io.Writer) error { return format.write(ctx, w, archive, c) }
	if c.out != "" {
		err = run.StreamOutput(c.out, run.Plain, write)
	} else { // below the campaign's directory, where no link is followed
		c.out = filepath.Join(dir, format.file)
		err = run.StreamFile(c.out, true, write)
	}
	line.Close()
	if err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout, c.out)
	return nil
}
