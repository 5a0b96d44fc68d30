package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ordeal/campaigns/config"
	"ordeal/campaigns/trust"
)

// trustFlags say which commands of a record are executed.
type trustFlags struct {
	named config.Gem5 // in place of the record
	trust bool
}

// trustHelp is the part of the help of a command that trustFlags are of.
const trustHelp = `

The directory may come from others. The gem5 binary, its tree and the command that
rebuilds it, which are in the record, are executed only if ordeal made the directory
here, or you name them (--gem5 and --gem5-tree, --rebuild) or trust the directory
(--trust): an error shows what would be executed.`

func (f *trustFlags) flags(cmd *cobra.Command) {
	declare(cmd, &f.named, "gem5", "gem5-tree", "rebuild")
	cmd.Flags().BoolVar(&f.trust, "trust", false, "trust the commands that the directory names, now and later")
}

// gate is the gate of the record in a directory, which names commands, and
// variables of the environment perhaps. An error of reading it matters only if it
// is to be trusted: whatever uses the record says so, too.
func (f *trustFlags) gate(e *env, dir string, record func() (*config.Campaign, error)) (*trust.Gate, error) {
	gate := e.gate(dir)
	gate.Named = f.named
	c, err := record()
	if err == nil {
		e.changedVariables(dir, c)
	}
	if !f.trust {
		return gate, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range c.Configs {
		named := gate.Apply(&c.Configs[i])
		if err := named.Complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	file, err := trust.UserFile()
	if err != nil {
		return nil, err
	}
	list := trust.CommandsOf(c)
	for _, c := range list {
		fmt.Fprintf(e.stderr, "trusted, for %s: %s\n", dir, c)
	}
	return gate, file.Add(dir, list)
}

// changedVariables says which variables of the environment are not what they
// were when a directory was recorded: the record has their names alone.
func (e *env) changedVariables(dir string, c *config.Campaign) {
	var names []string
	for i := range c.Configs {
		names = append(names, c.Configs[i].ChangedVariables()...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		e.log.Warn("a variable of the environment, which the record names, has another value than then", "dir", dir, "variable", name)
	}
}

// gate is the gate of the record in a directory for which the command line names
// no commands.
func (e *env) gate(dir string) *trust.Gate {
	gate := &trust.Gate{Dir: dir}
	if file, err := trust.UserFile(); err == nil { // else nothing is trusted
		gate.File = file
	}
	return gate
}

// own notes that the records of a directory which is made here may have
// commands executed that the user has named.
func (e *env) own(dir string, commands []trust.Command) {
	if len(commands) == 0 {
		return
	}
	file, err := trust.UserFile()
	if err == nil {
		err = file.Add(dir, commands)
	}
	if err != nil {
		e.log.Warn("the commands of this directory are not noted as yours: to repeat or resume takes --trust", "dir", dir, "error", err)
	}
}
