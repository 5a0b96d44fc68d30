package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"ordeal/campaigns"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
)

// StandardInput is the name of what - stands for.
const StandardInput = "standard input"

// Campaign reads a campaign file, or standard input for -, with overrides, and
// gives its name for messages. A name of a file that comes with ordeal, as
// quick.yaml or campaigns/quick.yaml, stands for that where there is no such file.
// Faults of the file are those of usage.
func (e *Env) Campaign(file string, sets []string) (c *config.Campaign, name string, err error) {
	if file == "-" {
		c, err = config.Read(StandardInput, e.Input(e.Stdin), sets)
		return c, StandardInput, Usage(err)
	}
	if run.InRecord(file) { // which may come from others: a pipe is not waited for
		f, _, err := e.Open(file)
		if err != nil {
			return nil, file, err
		}
		if err := f.Close(); err != nil {
			return nil, file, err
		}
	}
	c, err = Await(e, func() (*config.Campaign, error) { return config.Load(file, sets) })
	if missing, ok := err.(*fs.PathError); ok && missing.Path == file {
		ready := ready()
		if slices.Contains(ready, path.Base(file)) && errors.Is(err, fs.ErrNotExist) {
			c, err = config.Ready(path.Base(file), sets...)
			return c, file, Usage(err)
		}
		hint := "one that comes with ordeal: " + messages.Or(ready)
		if closest, ok := messages.Closest(path.Base(file), ready); ok {
			hint = strconv.Quote(closest) + ", which comes with ordeal"
		}
		return nil, file, fmt.Errorf("%w: want a campaign file, or %s", err, hint)
	}
	return c, file, Usage(err)
}

// ready lists the campaign files that come with ordeal.
func ready() []string {
	names, err := fs.Glob(campaigns.Files, "*.yaml")
	if err != nil {
		panic(err) // the pattern is one
	}
	return names
}
