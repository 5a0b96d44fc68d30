package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/lab/papers"
	"ordeal/campaigns/run"
)

func newBench(e *env) *cobra.Command {
	return command.Group(&cobra.Command{Use: "bench", Short: "Measure the checkers and the search for bugs"}, newBenchPapers(e), audit.NewBugs(e), audit.NewHistory(e))
}

func newBenchPapers(e *env) *cobra.Command {
	p := benchPapers{env: e}
	cmd := &cobra.Command{
		Use:   "papers",
		Short: "Repeat the experiments of the papers and set them beside the published figures",
		Long: `Repeat the experiments of the papers that the procedures come from, on runs of the
embedded simulator, and print what is measured beside what was published, with
the reasons why it differs. Times are CPU time of single checks; histories are
those of the campaign files in campaigns/lab/papers, which campaign run takes, too.

A scale of 1 makes as many histories as the papers; below, that share of them,
at least a few of each kind, and shorter ones where a paper has very long ones.

Experiments:
` + experimentList() + `
An interrupt (Ctrl-C) ends it with a report of the experiments that were finished.`,
		Example: `  ordeal bench papers --only wsc-kernel
  ordeal bench papers --scale 0.1 -o papers
  ordeal bench papers --only gcc-unordered`,
		Args: command.Arguments(0, 0, "no arguments"),
	}
	f := cmd.Flags()
	f.Float64Var(&p.o.Scale, "scale", papers.DefaultScale, "share of the papers' histories, above 0, at most 1; the default takes a minute or two")
	f.StringSliceVar(&p.o.Only, "only", nil, "only these experiments")
	f.StringVarP(&p.dir, "output", "o", "", "directory for papers.json, papers.txt and results.jsonl, from which the same command continues")
	f.BoolVar(&p.json, "json", false, "print JSON")
	cmd.RunE = command.Body(func(ctx context.Context, _ []string) error { return p.run(ctx) })
	return cmd
}

// experimentList is a line for each experiment.
func experimentList() string {
	var b strings.Builder
	for _, x := range papers.All() {
		fmt.Fprintf(&b, "  %-18s %s\n", x.Name, x.Paper.Short+", "+x.Place)
	}
	return b.String()
}

// benchPapers is the bench papers command.
type benchPapers struct {
	*env
	o    papers.Options
	dir  string
	json bool
}

func (p *benchPapers) run(ctx context.Context) error {
	if err := p.o.Validate(); err != nil {
		return command.Usage(err)
	}
	if p.dir != "" {
		p.dir = run.Resolve(p.dir)
		if err := run.LockDir(p.dir); err != nil {
			return err
		}
		var err error
		if p.o.Stored, err = lab.Open[*papers.Result](filepath.Join(p.dir, "results.jsonl")); err != nil {
			return err
		}
	}
	line := p.Progress("experiments of the papers")
	p.o.Progress = func(what string) { line.Show("%s", what) }
	report, err := papers.Run(ctx, p.o)
	err = errors.Join(err, p.o.Stored.Close())
	line.Close()
	if report != nil && (err == nil || len(report.Results) > 0) {
		err = errors.Join(err, p.write(report))
	}
	return err
}

// write prints the report and leaves it in the directory.
func (p *benchPapers) write(report *papers.Report) error {
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		return err
	}
	data, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return err
	}
	at := ""
	if p.dir != "" {
		at = filepath.Join(p.dir, "papers.txt")
		err = errors.Join(run.WriteFile(at, text.Bytes(), false), run.WriteFile(filepath.Join(p.dir, "papers.json"), append(data, '\n'), false))
	}
	return errors.Join(err, p.Print(p.json, report, func(w io.Writer) error { // although it could not be written
		if at != "" && err == nil {
			fmt.Fprintf(&text, "\nreport  %s\n", at)
		}
		_, err := w.Write(text.Bytes())
		return err
	}))
}
