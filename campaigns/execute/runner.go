package execute

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/gem5"
	"ordeal/sim/host"
)

// NewRunner makes the runner of a configuration on the simulator name.
func NewRunner(name string, c *config.Config) (sim.Runner, error) {
	if err := c.ValidateMachine(name); err != nil {
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
			err = plant(&c.Gem5, &o, &c.Machine)
		}
		if err != nil {
			return nil, err
		}
		return gem5.New(o)
	}
	return nil, fmt.Errorf("unknown simulator %q (known: %s)", name, strings.Join(config.Sims(), ", "))
}

// Tools describes what makes and judges runs here, for run directories.
func ToolVersions(ctx context.Context, r sim.Runner) map[string]string {
	return map[string]string{"ordeal": Version(), "go": runtime.Version(), r.Name(): r.Version(ctx)}
}

// commit is set by the Makefile, for where Go does not stamp what it builds.
var commit string

// Version is the version of this program: the commit it was built from where
// the build knows it.
func Version() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, dirty := info.Main.Version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	return version + dirty
}
