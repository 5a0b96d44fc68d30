// Package slicc has the commands that check and print protocols in SLICC.
package slicc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/table"
	"ordeal/sim/slicc/types"
)

// New makes the command.
func New(e *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slicc",
		Short: "Check, convert and print coherence protocols in SLICC",
	}
	cmd.AddCommand(newCheck(e), newConvert(e), newTable(e))
	command.Group(cmd)
	return cmd
}

// sourceFlags declares the flags of what belongs to a protocol besides its root file, which
// is the argument.
func sourceFlags(cmd *cobra.Command) *protocols.Source {
	s := new(protocols.Source)
	cmd.Flags().StringVar(&s.Builtins, "builtins", "", "file that says what functions do which the protocol only declares")
	cmd.Flags().StringArrayVar(&s.Path, "slicc-path", nil, "further folder to look in for files that the protocol includes")
	return s
}

// load reads and checks a protocol.
func load(source *protocols.Source, root string) (*syntax.File, *types.Protocol, error) {
	source.Root = root
	tree, err := source.Load()
	if err != nil {
		return nil, nil, err
	}
	checked, err := compiler.Check(tree)
	return tree, checked, source.Explain(err)
}

func newTable(e *command.Env) *cobra.Command {
	var machine, format, output string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "table FILE",
		Short: "Print the tables of a protocol: states by events",
		Long: `Print the table of each machine of the protocol whose root file is FILE: a row for
each state and a column for each event. A cell has the short names of the actions and,
after /, the next state if it is another one. Text fits the terminal, or what the
environment variable COLUMNS says, else 120 columns.`,
		Example: `  ordeal slicc table --machine L1Cache MI_example.slicc
  ordeal slicc table --format html -o table.html MI_example.slicc`,
		Args: command.Arguments(1, 1, "one FILE"),
	}
	cmd.Flags().StringVar(&machine, "machine", "", "only this machine")
	command.JSONFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&format, "format", "text", "text or html")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write; - is standard output")
	command.Complete(cmd, "format", []string{"text", "html"})
	source := sourceFlags(cmd)
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		if err := errors.Join(command.Contradict(cmd, "json", "format"), command.Contradict(cmd, "json", "output")); err != nil {
			return err
		}
		_, checked, err := load(source, args[0])
		if err != nil {
			return command.Usage(err)
		}
		var tables []*table.Table
		var names []string
		for _, m := range checked.Machines {
			names = append(names, m.Name)
			if machine == "" || machine == m.Name {
				tables = append(tables, table.Of(m))
			}
		}
		if len(tables) == 0 {
			return command.Usage(fmt.Errorf("--machine %s: the protocol has %s", machine, strings.Join(names, ", ")))
		}
		if asJSON {
			return e.PrintJSON(tableJSON(checked.Name, tables))
		}
		var b bytes.Buffer
		switch format {
		case "html":
			err = table.WriteHTML(&b, checked.Name, tables)
		case "text":
			err = writeText(&b, tables, e.Columns())
		default:
			return command.Usage(fmt.Errorf("--format %s: want text or html", format))
		}
		if err != nil {
			return err
		}
		if output == "-" {
			_, err = e.Stdout.Write(b.Bytes())
			return err
		}
		return run.WriteOutput(output, []byte(messages.Escape(b.String())), run.Plain)
	})
	return cmd
}

// anyWidth is how many columns text takes where there is no terminal.
const anyWidth = 120

func writeText(b *bytes.Buffer, tables []*table.Table, width int) error {
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s: %d states, %d events, %d transitions\n", t.Machine, len(t.States), len(t.Events), t.Handled)
		if err := t.WriteText(b, cmp.Or(width, anyWidth)); err != nil {
			return err
		}
	}
	return nil
}
