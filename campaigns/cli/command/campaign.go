package command

import (
	"io/fs"

	"ordeal/campaigns/config"
)

// StandardInput is the name of what - stands for.
const StandardInput = "standard input"

// Campaign reads a campaign file, or standard input for -, with overrides, and
// gives its name for messages. Faults of the file are those of usage.
func (e *Env) Campaign(file string, sets []string) (c *config.Campaign, name string, err error) {
	if file == "-" {
		c, err = config.Read(StandardInput, e.Stdin, sets)
		return c, StandardInput, Usage(err)
	}
	c, err = config.Load(file, sets)
	if missing, ok := err.(*fs.PathError); ok && missing.Path == file {
		return nil, file, err
	}
	return c, file, Usage(err)
}
