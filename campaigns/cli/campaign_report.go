package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns"
	"ordeal/campaigns/report/html"
)

// reportFormat is a form that a campaign's report may have.
type reportFormat struct {
	name, file string // of the command line, and in the campaign's directory
	write      func(ctx context.Context, w io.Writer, a *campaigns.Archive, c *campaignReport) error
}

// reportFormats are the forms of reports; the first is the default.
var reportFormats = []reportFormat{
	{"html", "report.html", func(ctx context.Context, w io.Writer, a *campaigns.Archive, c *campaignReport) error {
		return html.Write(ctx, w, a, html.Options{Kill: c.kill})
	}},
}

func newCampaignReport(e *env) *cobra.Command {
	c := campaignReport{env: e}
	var names []string
	for _, f := range reportFormats {
		names = append(names, f.name)
	}
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write what came of a campaign, for browsers or other programs",
		Long: `Write a report of the campaign in DIR, ended or not. As html it is one page that
needs nothing else: the summary, the findings with pictures of their witnesses and
the commands to reproduce them, the canaries, the coverage of the protocols' tables,
throughput and times of detection, and the environment. A kill matrix measured by
mutate run joins it with --kill, or when it is in DIR.`,
		Example: `  ordeal campaign report night
  ordeal campaign report --kill mutants -o night.html night`,
		Args: arguments(1, 1, "one DIR of a campaign"),
	}
	f := cmd.Flags()
	f.StringVar(&c.format, "format", names[0], "what to write: "+strings.Join(names, ", "))
	f.StringVarP(&c.out, "output", "o", "", "file to write, - for standard output; default DIR/"+reportFormats[0].file+" or as the format has it")
	f.StringVar(&c.kill, "kill", "", "results of mutate run: its directory, matrix.json or matrix.jsonl")
	cmd.RunE = body(func(ctx context.Context, args []string) error { return c.run(ctx, args[0]) })
	return cmd
}

// campaignReport is the campaign report command.
type campaignReport struct {
	*env
	format, out, kill string
}

func (c *campaignReport) run(ctx context.Context, dir string) error {
	i := slices.IndexFunc(reportFormats, func(f reportFormat) bool { return f.name == c.format })
	if i < 0 {
		return usage(fmt.Errorf("--format %s: no such format (see ordeal campaign report --help)", c.format))
	}
	format := reportFormats[i]
	archive, err := campaigns.Open(dir)
	if err != nil {
		return err
	}
	if c.out == "-" {
		return format.write(ctx, c.stdout, archive, c)
	}
	if c.out == "" {
		c.out = filepath.Join(dir, format.file)
	}
	var text bytes.Buffer
	if err := format.write(ctx, &text, archive, c); err != nil {
		return err
	}
	if err := campaigns.WriteFile(c.out, text.Bytes()); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, c.out)
	return nil
}
