package cli

import (
	"io/fs"

	"ordeal/campaigns/config"
)

// standardInput is the name of what - stands for.
const standardInput = "standard input"

// campaign reads a campaign file, or standard input for -, with overrides, and
// gives its name for messages. Faults of the file are those of usage.
func (e *env) campaign(file string, sets []string) (c *config.Campaign, name string, err error) {
	if file == "-" {
		c, err = config.Read(standardInput, e.stdin, sets)
		return c, standardInput, usage(err)
	}
	c, err = config.Load(file, sets)
	if missing, ok := err.(*fs.PathError); ok && missing.Path == file {
		return nil, file, err
	}
	return c, file, usage(err)
}
