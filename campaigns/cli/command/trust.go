package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
)

// TrustFlags say which commands of a record are executed.
type TrustFlags struct {
	named config.Gem5 // in place of the record
	trust bool
}

// TrustHelp is the part of the help of a command that TrustFlags are of.
const TrustHelp = `

The directory may come from others. The gem5 binary, its tree and the command that
rebuilds it, which are in the record, are executed only if ordeal made the directory
here, or you name them (--gem5 and --gem5-tree, --rebuild) or trust the directory
(--trust): an error shows what would be executed.`

// Flags adds the flags.
func (f *TrustFlags) Flags(cmd *cobra.Command) {
	Declare(cmd, &f.named, "gem5", "gem5-tree", "rebuild")
	cmd.Flags().BoolVar(&f.trust, "trust", false, "trust the commands that the directory names, now and later")
}

// Gate returns the gate of the record in a directory. The record is read only if it
// is to be trusted.
func (f *TrustFlags) Gate(e *Env, dir string, record func() (*config.Campaign, error)) (*run.Gate, error) {
	gate := e.Gate(dir)
	gate.Named = f.named
	if !f.trust {
		return gate, nil
	}
	c, err := record()
	if err != nil {
		return nil, err
	}
	for i := range c.Configs {
		named := gate.Apply(&c.Configs[i])
		if err := named.Complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	file, err := run.UserFile()
	if err != nil {
		return nil, err
	}
	list := run.CommandsOf(c)
	for _, c := range list {
		fmt.Fprintf(e.Stderr, "trusted, for %s: %s\n", dir, c)
	}
	return gate, file.Add(dir, list)
}

// Apply puts what the command line names in the place of what a configuration has.
func (f *TrustFlags) Apply(c *config.Config) config.Config {
	gate := run.Gate{Named: f.named}
	return gate.Apply(c)
}

// Gate is the gate of the record in a directory for which the command line names
// no commands.
func (e *Env) Gate(dir string) *run.Gate {
	gate := &run.Gate{Dir: dir}
	if file, err := run.UserFile(); err == nil { // else nothing is trusted
		gate.File = file
	}
	return gate
}

// Own notes that the records of a directory which is made here may have
// commands executed that the user has named.
func (e *Env) Own(dir string, commands []run.Command) {
	if len(commands) == 0 {
		return
	}
	file, err := run.UserFile()
	if err == nil {
		err = file.Add(dir, commands)
	}
	if err != nil {
		e.Log.Warn("the commands of this directory are not noted as yours: to repeat or resume takes --trust", "dir", dir, "error", err)
	}
}

// AgainIn is the command that makes a run of the campaign in dir anew.
func (e *Env) AgainIn(dir string) string {
	return strings.Join([]string{messages.Quoted(e.Args[0]), "repro", "--campaign", messages.QuotedPath(filepath.Join(dir, journal.CampaignFile))}, " ")
}
