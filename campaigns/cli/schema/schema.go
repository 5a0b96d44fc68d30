// Package schema is the schema command, which publishes the forms of what ordeal prints
// as JSON and records.
package schema

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
)

// files are the schemas. They are made of the types and their comments: go test
// ./campaigns/cli/schema -update writes them.
//
//go:embed *.json
var files embed.FS

// Schema is a published JSON Schema.
type Schema struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// campaign is the schema of campaign files, which package config makes.
const campaign = "campaign"

// All lists the schemas.
func All() []Schema {
	return []Schema{
		{"verdict", "a line of ordeal check --json: the answers about a trace, with evidence"},
		{"record", "run.json of a run directory: all that defines a run"},
		{"result", "result.json of a run directory: what happened in the run"},
		{"finding", "a line of a report as JSON lines whose event is finding"},
		{"report", "any line of ordeal campaign report --format jsonl"},
		{"summary", "what ordeal campaign run, resume and merge print with --json"},
		{"status", "what ordeal campaign status --json prints, of a campaign on a cluster or here"},
		{"diff", "what ordeal campaign diff --json prints"},
		{"trend", "what ordeal campaign trend --json prints"},
		{"explanation", "what ordeal explain --json prints"},
		{"audit", "what ordeal audit --json prints"},
		{campaign, "a campaign file, for editors: what ordeal campaign schema --json prints"},
	}
}

func names() []string {
	var list []string
	for _, s := range All() {
		list = append(list, s.Name)
	}
	return list
}

// New makes the command.
func New(e *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of what ordeal prints or records",
		Long: `Print a JSON Schema (draft 2020-12) of what ordeal prints with --json, or records.
Without NAME the schemas are listed. What is printed has a version: as long as it stays
the same fields keep their names and meanings, and there may be new ones.`,
		Example: `  ordeal schema
  ordeal schema diff > diff.schema.json`,
		Args:      command.Arguments(0, 1, "at most one NAME"),
		ValidArgs: names(),
	}
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return list(e, asJSON)
		}
		if !slices.Contains(names(), args[0]) {
			return command.Usage(fmt.Errorf("unknown schema %q%s: want one of %s", args[0], messages.Hint(args[0], names()), strings.Join(names(), ", ")))
		}
		text, err := read(args[0])
		if err != nil {
			return err
		}
		_, err = e.Data.Write(text)
		return err
	})
	return cmd
}

func read(name string) ([]byte, error) {
	if name == campaign {
		return config.SchemaJSON()
	}
	return files.ReadFile(name + ".json")
}

func list(e *command.Env, asJSON bool) error {
	return e.Print(asJSON, map[string][]Schema{"schemas": All()}, func(w io.Writer) error {
		for _, s := range All() {
			fmt.Fprintf(w, "%-12s %s\n", s.Name, s.About)
		}
		return nil
	})
}
