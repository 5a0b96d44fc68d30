package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of flags in the help of a command, in its order.
const (
	GroupProgram = "program"
	GroupMachine = "machine"
	GroupGem5    = "gem5"
	GroupLimits  = "limits"
	GroupOutput  = "output"
	groupOther   = "other"
)

var groups = []string{GroupProgram, GroupMachine, GroupGem5, GroupLimits, GroupOutput, groupOther}

// grouped lists the names of flags whose group is the same in all commands and not
// that of the struct which declares them.
func grouped() map[string][]string {
	return map[string][]string{
		GroupProgram: {"seed", "number", "program", "shape", "shapes"},
		GroupMachine: {"sim", "cores", "threads-per-core"},
		GroupLimits: {
			"timeout", "check-timeout", "memory", "log-size", "max-ticks", "step-budget", "budget", "runs", "tries", "effort", "max-states", "max-time",
			"max-memory", "max-depth", "workers", "deadlock-threshold", "livelock-threshold", "watchdog",
		},
		GroupOutput: {"dir", "output", "json", "coverage", "trace", "progress", "quiet", "html", "junit", "jsonl", "explain", "svg", "format", "table", "save"},
	}
}

// The annotations of flags.
const (
	groupKey  = "ordeal_group"
	commonKey = "ordeal_common"
)

// shortHelp is the number of flags up to which help describes all of them.
const shortHelp = 24

// HelpAll is the flag for the help with all flags: Main turns it into --help.
const HelpAll = "help-all"

// Common marks the flags of a command that its help describes first; --help-all
// has the others, where there are many.
func Common(cmd *cobra.Command, names ...string) {
	for i, name := range names {
		annotate(cmd.Flags().Lookup(name), commonKey, fmt.Sprintf("%03d", i))
	}
}

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[key] = []string{value}
}

func annotation(f *pflag.Flag, key string) string {
	if list := f.Annotations[key]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// groupOf is the group of a flag.
func groupOf(f *pflag.Flag) string {
	for name, flags := range grouped() {
		if slices.Contains(flags, f.Name) {
			return name
		}
	}
	if g := annotation(f, groupKey); g != "" {
		return g
	}
	return groupOther
}

// screen is the number of lines of a help text up to which it is printed whole without
// --help-all.
const screen = 40

// helpText returns the help of a command, in lines of a width: whole if all is set or it fits a
// screen, else its first paragraph, its common flags by a clause each, and the names of the others.
func helpText(cmd *cobra.Command, all bool, width int) string {
	long := cmp.Or(cmd.Long, cmd.Short)
	text := paragraphs(long, width) + "\n"
	if !cmd.HasParent() || cmd.HasSubCommands() {
		return text + usageText(cmd, true, width)
	}
	whole := text + ExitText(width) + "\n" + usageText(cmd, true, width)
	if all || strings.Count(whole, "\n") <= screen {
		return whole
	}
	return paragraphs(firstParagraph(long), width) + "\n" + messages.Wrap(summary.ExitHelp(), "", "", width) + "\n\n" + usageText(cmd, false, width)
}

// usageText says how a command is used, in lines of a width: its common flags, or all
// of them in groups.
func usageText(cmd *cobra.Command, all bool, width int) string {
	var b bytes.Buffer
	b.WriteString("Usage:\n")
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				name := fmt.Sprintf("  %-*s ", sub.NamePadding(), sub.Name())
				b.WriteString(messages.Wrap(sub.Short, name, strings.Repeat(" ", len(name)), width) + "\n")
			}
		}
	}
	flagsText(&b, cmd, all, width)
	if cmd.HasAvailableInheritedFlags() && all {
		fmt.Fprintf(&b, "\nGlobal flags:\n%s", flagsTable(cmd.InheritedFlags(), width, false))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + messages.Wrap(fmt.Sprintf("Use \"%s [command] --help\" for more information about a command.", cmd.CommandPath()), "", "", width) + "\n")
	}
	return b.String()
}

// flagsText describes the flags of a command.
func flagsText(b *bytes.Buffer, cmd *cobra.Command, all bool, width int) {
	if !cmd.HasAvailableLocalFlags() {
		return
	}
	var common []*pflag.Flag
	sets := make(map[string]*pflag.FlagSet)
	n := 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		n++
		if annotation(f, commonKey) != "" {
			common = append(common, f)
		}
		g := groupOf(f)
		if sets[g] == nil {
			sets[g] = pflag.NewFlagSet(g, pflag.ContinueOnError)
		}
		sets[g].AddFlag(f)
	})
	if n <= shortHelp && (all || len(common) == 0) {
		head := "Flags"
		if !all {
			head = fmt.Sprintf("Flags (%s --%s says more)", cmd.CommandPath(), HelpAll)
		}
		fmt.Fprintf(b, "\n%s:\n%s", head, flagsTable(cmd.LocalFlags(), width, !all))
		return
	}
	if len(common) > 0 && !all {
		slices.SortFunc(common, func(x, y *pflag.Flag) int { return strings.Compare(annotation(x, commonKey), annotation(y, commonKey)) })
		first := pflag.NewFlagSet("common", pflag.ContinueOnError)
		first.SortFlags = false
		for _, f := range common {
			first.AddFlag(f)
		}
		fmt.Fprintf(b, "\nCommon flags:\n%s", flagsTable(first, width, true))
		fmt.Fprintf(b, "\nFurther flags, which %s --%s describes:\n", cmd.CommandPath(), HelpAll)
		for _, g := range groups {
			if sets[g] != nil {
				namesText(b, g, sets[g], width)
			}
		}
		return
	}
	for _, g := range groups {
		if sets[g] != nil {
			fmt.Fprintf(b, "\nFlags, %s:\n%s", g, flagsTable(sets[g], width, false))
		}
	}
	keysText(b, cmd, width)
}

// namesText lists the flags of a group that are not common, in lines of a width.
func namesText(b *bytes.Buffer, group string, set *pflag.FlagSet, width int) {
	const indent = 10
	line := fmt.Sprintf("  %-*s", indent-2, group)
	listed := false
	set.VisitAll(func(f *pflag.Flag) {
		if annotation(f, commonKey) != "" || f.Name == "help" {
			return
		}
		if len(line)+len(f.Name)+3 > width {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent)
		}
		line += " --" + f.Name
		listed = true
	})
	if listed {
		b.WriteString(line + "\n")
	}
}

// GroupFlags makes the help texts of a command and of those below it, as wide as the
// terminal lets them be; all has them describe all flags.
func (e *Env) GroupFlags(root *cobra.Command, all bool) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStderr(), usageText(cmd, all, helpWidthOf(e.Columns())))
		return err
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, all, helpWidthOf(e.Columns()))) // Env remembers an error
	})
}
