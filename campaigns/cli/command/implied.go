package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
)

// ImplySimulator sets the simulator of a command to one that has all options which
// are given, unless --sim names it. An error names the flags that contradict each
// other.
func ImplySimulator(cmd *cobra.Command, simulator *string) error {
	named := cmd.Flags().Changed("sim")
	fits := []string{*simulator}
	if !named { // in the order of preference
		fits = append(fits, config.SimBuiltin, config.SimGem5)
	}
	first := "" // a flag that the simulators of fits are left by
	var faults []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		o, ok := f.Value.(*optionFlag)
		if !ok || len(o.Sims) == 0 {
			return
		}
		left := slices.DeleteFunc(slices.Clone(fits), func(sim string) bool { return !o.Has(sim) })
		switch {
		case len(left) > 0:
			if len(left) < len(fits) {
				first = "--" + f.Name
			}
			fits = left
		case named:
			faults = append(faults, fmt.Errorf("--sim %s contradicts --%s, which is an option of %s", *simulator, f.Name, messages.Or(o.Sims)))
		default:
			faults = append(faults, fmt.Errorf("%s contradicts --%s: one is an option of %s, the other of %s", first, f.Name, messages.Or(fits), messages.Or(o.Sims)))
		}
	})
	if len(faults) > 0 {
		return Usage(errors.Join(faults...))
	}
	*simulator = fits[0]
	return nil
}

// Contradict returns an error if two flags are given that say the same thing
// otherwise.
func Contradict(cmd *cobra.Command, a, b string) error {
	if f := cmd.Flags(); f.Changed(a) && f.Changed(b) {
		return Usage(fmt.Errorf("--%s contradicts --%s: want one of them", a, b))
	}
	return nil
}

// RunDirectories completes the names of run and campaign directories, and the
// directories on the way to them.
func RunDirectories(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 && prefix == "" {
		if list := recorded(RunsDir + "/"); len(list) > 0 {
			return list, cobra.ShellCompDirectiveNoFileComp
		}
	}
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	list := slices.DeleteFunc(recorded(dir), func(path string) bool { return !strings.HasPrefix(path, prefix) })
	if len(list) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
