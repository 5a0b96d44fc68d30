package slicc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/table"
)

// report is what check finds in a protocol.
type report struct {
	Protocol string          `json:"protocol"`
	Machines []machineReport `json:"machines"`
	Warnings []place         `json:"warnings"`
	Stubs    []string        `json:"stubs,omitempty"` // functions that the file of builtins stands for
	Lacks    []place         `json:"lacks"`           // what programs will miss when it runs
	Refused  []place         `json:"refused"`         // what the embedded simulator does not have
	Runs     bool            `json:"runs"`            // in the embedded simulator
	Problem  string          `json:"problem,omitempty"`
}

type machineReport struct {
	Name        string            `json:"name"`
	States      []string          `json:"states"`
	Events      []string          `json:"events"`
	Actions     int               `json:"actions"`
	Transitions int               `json:"transitions"`
	Pairs       int               `json:"unhandled_pairs"`
	Unhandled   []table.Unhandled `json:"unhandled"`
}

// place is a message about a place of the source.
type place struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func places(source *protocols.Source, faults syntax.Faults) []place {
	list := []place{}
	for _, f := range faults {
		list = append(list, place{source.Where(f.Pos.File), int(f.Pos.Line), int(f.Pos.Col), f.Msg})
	}
	return list
}

func newCheck(e *command.Env) *cobra.Command {
	var asJSON bool
	var machine config.Machine
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a protocol: types, unhandled pairs, unused actions, what is refused",
		Long: `Check the protocol whose root file is FILE, as MI_example.slicc: parse it with the
files that it includes, check names and types by the rules of gem5's compiler, and
compile it for the embedded simulator. Faults are shown at their lines.

For each machine it lists states, events, and the events for which a state has no
transition: in a run such a pair is an invalid transition.`,
		Example: `  ordeal slicc check src/mem/ruby/protocol/MI_example.slicc`,
		Args:    command.Arguments(1, 1, "one FILE"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	source := sourceFlags(cmd)
	command.Declare(cmd, &machine, "machine-file")
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		tree, checked, err := load(source, args[0])
		described, machineErr := machine.Describe()
		if err := errors.Join(err, machineErr); err != nil {
			return command.Usage(err)
		}
		r := report{Protocol: checked.Name, Warnings: places(source, checked.Warnings), Stubs: checked.Stubs, Refused: []place{}}
		for _, m := range checked.Machines {
			t := table.Of(m)
			r.Machines = append(r.Machines, machineReport{
				Name: m.Name, States: t.States, Events: t.Events, Actions: len(m.Actions), Transitions: t.Handled,
				Pairs: len(t.States)*len(t.Events) - t.Handled, Unhandled: t.Unhandled(),
			})
		}
		lacks := compiler.Lacks(checked)
		compiled, refused := ruby.Compile(tree)
		if refused == nil && described != nil {
			if _, err := compiled.Layout(described, 0); err != nil {
				return command.Usage(err)
			}
		}
		if refused == nil {
			for _, m := range compiled.Absent() {
				lacks.Add(m.Pos, "the simulated system has no machine %s: it has no Sequencer, directory, memory or DMASequencer, and is no L2Cache and no level between cores and these. A message to one ends the run as %s",
					m.Name, sim.KindUnsupplied)
			}
		}
		r.Lacks = places(source, lacks)
		r.Runs = refused == nil
		if faults, ok := errors.AsType[syntax.Faults](refused); ok {
			r.Refused = places(source, faults)
		} else if refused != nil {
			r.Problem = refused.Error()
		}
		if asJSON {
			err = e.PrintJSON(&r)
		} else {
			err = r.print(e, source, checked.Warnings, lacks, source.Explain(refused))
		}
		if err != nil || r.Runs {
			return err
		}
		return command.Exit(summary.ExitFinding)
	})
	return cmd
}

func (m *machineReport) print(b *strings.Builder, width int) {
	fmt.Fprintf(b, "machine %s: %d states, %d events, %d actions, %d transitions, %d pairs unhandled\n",
		m.Name, len(m.States), len(m.Events), m.Actions, m.Transitions, m.Pairs)
	line := func(first, rest string, words []string) {
		fmt.Fprintln(b, messages.Wrap(strings.Join(words, " "), first, rest, max(width, len(rest)+20)))
	}
	const indent = "          "
	line("  states  ", indent, m.States)
	line("  events  ", indent, m.Events)
	if m.Pairs > 0 {
		fmt.Fprintln(b, "  unhandled")
	}
	// States with the same events share a line.
	var order []string
	states := make(map[string][]string)
	for _, u := range m.Unhandled {
		events := strings.Join(u.Events, " ")
		if states[events] == nil {
			order = append(order, events)
		}
		states[events] = append(states[events], u.State)
	}
	for _, events := range order {
		line("    ", "      ", append(strings.Split(strings.Join(states[events], ", ")+":", " "), events))
	}
}

func (r *report) print(e *command.Env, source *protocols.Source, warnings, lacks syntax.Faults, refused error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol %s\n", r.Protocol)
	width := cmp.Or(e.Columns(), anyWidth)
	for i := range r.Machines {
		r.Machines[i].print(&b, width)
	}
	if len(r.Stubs) > 0 {
		fmt.Fprintf(&b, "\nFrom %s: %s\n", source.Builtins, strings.Join(r.Stubs, ", "))
	}
	if len(warnings) > 0 {
		fmt.Fprintf(&b, "\nWarnings:\n%v\n", source.Explain(warnings))
	}
	if len(lacks) > 0 {
		fmt.Fprintf(&b, "\nWhat programs will miss when it runs:\n%v\n", source.Explain(lacks))
	}
	if refused != nil {
		fmt.Fprintf(&b, "\nThe embedded simulator cannot run it:\n%v\n", refused)
	} else {
		fmt.Fprintf(&b, "\nThe embedded simulator runs it: ordeal run --sim builtin %s\n", strings.Join(sourceArgs(source), " "))
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// sourceArgs are the flags that name a protocol for other commands.
func sourceArgs(source *protocols.Source) []string {
	args := []string{"--slicc", source.Root}
	if source.Builtins != "" {
		args = append(args, "--builtins", source.Builtins)
	}
	for _, folder := range source.Path {
		args = append(args, "--slicc-path", folder)
	}
	return args
}
