package campaign

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
)

func newSchema(e *command.Env) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Describe the keys of a campaign file",
		Long: `Describe every key of a campaign file: what it means, its type, limits and default.

A file may include others: "include: BASE.yaml", or a list of files, relative to the
file. Mappings are merged key by key, configurations by name; the including file
counts most. --set comes after that. In values marked so, $NAME, ${NAME} and
${NAME:-DEFAULT} are variables of the environment, and $$ is a dollar. A key that is
written without a value has its default.

With --json the same is printed as a JSON Schema (draft 2020-12). Editors with a YAML
language server complete and check campaign files by it when their first line is
  # yaml-language-server: $schema=ordeal.schema.json
or, in Visual Studio Code, when "yaml.schemas" maps the schema to "campaigns/*.yaml".`,
		Example: `  ordeal campaign schema
  ordeal campaign schema --json > ordeal.schema.json`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&json, "json", false, "print a JSON Schema")
	cmd.RunE = command.Body(func(context.Context, []string) error {
		text := config.SchemaText()
		if json {
			schema, err := config.SchemaJSON()
			if err != nil {
				return err
			}
			text = string(schema)
		}
		_, err := io.WriteString(e.Stdout, text)
		return err
	})
	return cmd
}
