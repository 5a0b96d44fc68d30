//go:build !linux

package host

import (
	"context"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// execute is for Linux.
func (*Runner) execute(context.Context, sim.Job, *elf.Image, elf.Options) (sim.Result, error) {
	return infra(sandbox.Supported()), nil
}
