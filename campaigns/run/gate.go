package run

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Gate makes the runners of recorded configurations, if their commands may be
// executed. The zero Gate refuses all commands.
type Gate struct {
	// Dir is the directory of the record.
	Dir string
	// Named is what the command line names in place of the record: Binary, Tree
	// and Rebuild where they are not zero.
	Named config.Gem5
	// File has what is trusted; empty for nothing.
	File File
	_    struct{}
}

// NewRunner returns the runner of a recorded configuration. The error may be
// a Refusal.
func (g *Gate) NewRunner(simulator string, recorded *config.Config) (sim.Runner, error) {
	c := g.Apply(recorded)
	if err := g.check(simulator, &c); err != nil {
		return nil, err
	}
	return NewRunner(simulator, &c)
}

// Campaign returns an error, a Refusal perhaps of several configurations, if
// NewRunner would refuse one of a recorded campaign.
func (g *Gate) Campaign(c *config.Campaign) error {
	var all *Refusal
	for i := range c.Configs {
		named := g.Apply(&c.Configs[i])
		if other := c.Configs[i].Binary; g.Named.Binary != "" && other != c.Configs[0].Binary {
			return fmt.Errorf("--gem5 %s stands for two binaries of the campaign, %s and %s: use --trust", g.Named.Binary, c.Configs[0].Binary, other)
		}
		err := g.check(c.SimOf(&named), &named)
		refused, ok := errors.AsType[*Refusal](err)
		switch {
		case err != nil && !ok:
			return err
		case ok && all == nil:
			all = refused
		case ok:
			all.Commands = union(all.Commands, refused.Commands)
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// Apply puts what the command line names in the place of what is recorded.
func (g *Gate) Apply(recorded *config.Config) config.Config {
	c := *recorded
	if g.Named.Binary != "" {
		c.Binary = g.Named.Binary
		c.Override("gem5")
	}
	if g.Named.Tree != "" {
		c.Tree = g.Named.Tree
		c.Override("gem5-tree")
	}
	if len(g.Named.Rebuild) > 0 {
		c.Rebuild = g.Named.Rebuild
		c.Override("rebuild")
	}
	return c
}

// check returns a Refusal if a command is neither named nor trusted, and an error
// if it names variables of the environment that are missing.
func (g *Gate) check(simulator string, c *config.Config) error {
	if err := c.Complete(); err != nil {
		return fmt.Errorf("%s: %w", g.Dir, err)
	}
	commands := slices.DeleteFunc(Commands(simulator, c), func(command Command) bool {
		if command.What == "rebuild" {
			return len(g.Named.Rebuild) > 0
		}
		return g.Named.Binary != "" && g.Named.Tree != ""
	})
	return g.Allow(commands)
}

// Allow returns a Refusal if a recorded command is not trusted.
func (g *Gate) Allow(commands []Command) error {
	if len(commands) == 0 {
		return nil
	}
	if g.File != "" {
		missing, err := g.File.Allows(g.Dir, commands)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return nil
		}
		commands = missing
	}
	return &Refusal{Dir: g.Dir, Commands: commands}
}
