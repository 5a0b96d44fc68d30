// Package slicc has the commands that check and print protocols in SLICC.
package slicc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim/builtin/ruby"
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
		Short: "Check and print coherence protocols in SLICC",
	}
	cmd.AddCommand(newCheck(e), newTable(e))
	command.Group(cmd)
	return cmd
}

// load reads and checks the protocol whose root file is at path.
func load(path string) (*syntax.File, *types.Protocol, error) {
	tree, err := protocols.LoadFile(path)
	if err != nil {
		return nil, nil, err
	}
	checked, err := compiler.Check(tree)
	return tree, checked, protocols.Explain(path, err)
}

// report is what check finds in a protocol.
type report struct {
	Protocol string          `json:"protocol"`
	Machines []machineReport `json:"machines"`
	Warnings []place         `json:"warnings"`
	Refused  []place         `json:"refused"` // what the embedded simulator does not have
	Runs     bool            `json:"runs"`    // in the embedded simulator
	Problem  string          `json:"problem,omitempty"`
}

type machineReport struct {
	Name        string   `json:"name"`
	States      []string `json:"states"`
	Events      []string `json:"events"`
	Actions     int      `json:"actions"`
	Transitions int      `json:"transitions"`
	Unhandled   []string `json:"unhandled"`
}

// place is a message about a place of the source.
type place struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func places(faults syntax.Faults) []place {
	list := []place{}
	for _, f := range faults {
		list = append(list, place{f.Pos.File, int(f.Pos.Line), int(f.Pos.Col), f.Msg})
	}
	return list
}

func newCheck(e *command.Env) *cobra.Command {
	var asJSON, unhandled bool
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a protocol: types, unhandled pairs, unused actions, what is refused",
		Long: `Check the protocol whose root file is FILE, as MI_example.slicc: parse it with the
files that it includes, check names and types by the rules of gem5's compiler, and
compile it for the embedded simulator. Faults are shown at their lines.`,
		Example: `  ordeal slicc check src/mem/ruby/protocol/MI_example.slicc
  ordeal slicc check --unhandled MI_example.slicc`,
		Args: command.Arguments(1, 1, "one FILE"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&unhandled, "unhandled", false, "list the pairs of a state and an event without a transition")
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		tree, checked, err := load(args[0])
		if err != nil {
			return command.Usage(err)
		}
		r := report{Protocol: checked.Name, Warnings: places(checked.Warnings), Refused: []place{}}
		for _, m := range checked.Machines {
			t := table.Of(m)
			r.Machines = append(r.Machines, machineReport{
				Name: m.Name, States: t.States, Events: t.Events, Actions: len(m.Actions), Transitions: t.Handled, Unhandled: t.Unhandled(),
			})
		}
		_, refused := ruby.Compile(tree)
		r.Runs = refused == nil
		if faults, ok := errors.AsType[syntax.Faults](refused); ok {
			r.Refused = places(faults)
		} else if refused != nil {
			r.Problem = refused.Error()
		}
		if asJSON {
			err = e.PrintJSON(&r)
		} else {
			err = r.print(e, args[0], unhandled, checked.Warnings, protocols.Explain(args[0], refused))
		}
		if err != nil || r.Runs {
			return err
		}
		return command.Exit(summary.ExitFinding)
	})
	return cmd
}

func (r *report) print(e *command.Env, path string, unhandled bool, warnings syntax.Faults, refused error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol %s\n", r.Protocol)
	for _, m := range r.Machines {
		fmt.Fprintf(&b, "machine %s: %d states, %d events, %d actions, %d transitions, %d pairs unhandled\n",
			m.Name, len(m.States), len(m.Events), m.Actions, m.Transitions, len(m.Unhandled))
		fmt.Fprintf(&b, "  states  %s\n  events  %s\n", strings.Join(m.States, " "), strings.Join(m.Events, " "))
		if unhandled {
			fmt.Fprintf(&b, "  unhandled  %s\n", strings.Join(m.Unhandled, " "))
		}
	}
	if len(warnings) > 0 {
		fmt.Fprintf(&b, "\nWarnings:\n%v\n", protocols.Explain(path, warnings))
	}
	if refused != nil {
		fmt.Fprintf(&b, "\nThe embedded simulator cannot run it:\n%v\n", refused)
	} else {
		fmt.Fprint(&b, "\nThe embedded simulator runs it: ordeal run --sim builtin --slicc "+path+"\n")
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

func newTable(e *command.Env) *cobra.Command {
	var machine, format, output string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "table FILE",
		Short: "Print the tables of a protocol: states by events",
		Long: `Print the table of each machine of the protocol whose root file is FILE: a row for
each state and a column for each event. A cell has the short names of the actions and,
after /, the next state if it is another one. The columns of text are as wide as the
environment variable COLUMNS says, or 120 characters.`,
		Example: `  ordeal slicc table --machine L1Cache MI_example.slicc
  ordeal slicc table --format html -o table.html MI_example.slicc`,
		Args: command.Arguments(1, 1, "one FILE"),
	}
	cmd.Flags().StringVar(&machine, "machine", "", "only this machine")
	command.JSONFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&format, "format", "text", "text or html")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write; - is standard output")
	command.Complete(cmd, "format", []string{"text", "html"})
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		if err := errors.Join(command.Contradict(cmd, "json", "format"), command.Contradict(cmd, "json", "output")); err != nil {
			return err
		}
		_, checked, err := load(args[0])
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
			err = writeText(&b, tables)
		default:
			return command.Usage(fmt.Errorf("--format %s: want text or html", format))
		}
		if err != nil {
			return err
		}
		if output == "-" {
			_, err = e.Data.Write(b.Bytes())
			return err
		}
		return rundir.WriteOutput(output, b.Bytes(), rundir.Plain)
	})
	return cmd
}

func writeText(b *bytes.Buffer, tables []*table.Table) error {
	width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s: %d states, %d events, %d transitions\n", t.Machine, len(t.States), len(t.Events), t.Handled)
		if err := t.WriteText(b, cmp.Or(width, 120)); err != nil {
			return err
		}
	}
	return nil
}
