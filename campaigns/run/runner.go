package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/gem5"
	"ordeal/sim/host"
)

// NewRunner returns the runner of a configuration on the simulator of a name.
func NewRunner(name string, c *config.Config) (sim.Runner, error) {
	if err := errors.Join(c.Complete(), c.ValidateMachine(name)); err != nil {
		return nil, err
	}
	switch name {
	case config.SimHost:
		return &host.Runner{Emit: c.EmitOptions()}, nil
	case config.SimBuiltin:
		o, _ := c.Machine.Builtin()
		return builtin.New(o)
	case config.SimGem5:
		o, err := c.Gem5Options()
		if err == nil {
			err = addEdits(&c.Gem5, &o, &c.Machine)
		}
		if err != nil {
			return nil, err
		}
		return gem5.New(o)
	}
	return nil, fmt.Errorf("unknown simulator %q (known: %s)", name, strings.Join(config.Sims(), ", "))
}

// LeavesFiles reports whether the simulator of a name works in the directory of
// the run: with others the directory of a run that does not stay is never made.
func LeavesFiles(name string) bool { return name != config.SimBuiltin }

// ToolVersions are the versions of the programs that execute and check the runs
// of a configuration, and the hashes of the files that define its protocol.
func ToolVersions(ctx context.Context, r sim.Runner, c *config.Config) map[string]string {
	tools := ownVersions(r.Name(), c)
	tools[r.Name()] = r.Version(ctx)
	return tools
}

// ExplorationVersions are the same for the exploration of a machine.
func ExplorationVersions(m *config.Machine) map[string]string {
	return ownVersions(config.SimBuiltin, &config.Config{Machine: *m})
}

func ownVersions(simulator string, c *config.Config) map[string]string {
	tools := sources(simulator, c)
	tools["ordeal"], tools["go"] = ToolVersion(), runtime.Version()
	return tools
}
