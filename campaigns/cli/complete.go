package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/config"
	"ordeal/campaigns/mutation"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// completeMutants has shells complete the names of mutants, as values of --mutant if
// there is such a flag, else as arguments: those of the protocol that the command line
// names, or else of all embedded ones.
func completeMutants(cmd *cobra.Command) {
	if cmd.Flags().Lookup("mutant") == nil {
		cmd.ValidArgsFunction = mutantNames
	} else if err := cmd.RegisterFlagCompletionFunc("mutant", mutantNames); err != nil {
		panic(err) // the flag exists, and completes nothing else
	}
}

// mutantNames are the names of mutants with a prefix. A protocol that cannot be read
// has none.
func mutantNames(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	machine := config.Machine{}
	value := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return strings.Trim(f.Value.String(), "[]") // a list of one
		}
		return ""
	}
	machine.SLICC, machine.Builtins, machine.Repair = value("slicc"), value("builtins"), value("repair") == "true"
	list := []source{{machine: machine}}
	if machine.SLICC == "" {
		list = nil
		for _, name := range protocols.Names() {
			if f := cmd.Flags().Lookup("protocol"); f == nil || !f.Changed || value("protocol") == name {
				list = append(list, source{protocol: name})
			}
		}
	}
	var names []string
	for i := range list {
		t, err := list[i].target()
		if err != nil || machine.SLICC == "" && !mayName(&t, prefix) {
			continue
		}
		catalogue, err := mutate.NewCatalogue(t.Tree)
		if err != nil {
			continue
		}
		for _, m := range catalogue.Mutants() {
			if strings.HasPrefix(m.ID, prefix) {
				names = append(names, m.ID)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// mayName reports whether mutants of an embedded protocol have names with a prefix.
func mayName(t *mutation.Target, prefix string) bool {
	root, err := protocols.Root(t.Name)
	name := strings.TrimSuffix(root, ".slicc") + "/"
	return err == nil && (strings.HasPrefix(name, prefix) || strings.HasPrefix(prefix, name))
}

// bugNames are the names in the catalogue of known bugs.
func bugNames(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	c, err := config.Ready(bugsFile)
	if err != nil {
		panic(err) // it comes with the command
	}
	var names []string
	for i := range c.Configs {
		if name := c.Configs[i].Name; strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
