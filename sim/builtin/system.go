package builtin

import (
	"fmt"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ideal"
	"ordeal/sim/builtin/memory"
)

// builder makes the memory system of a run.
type builder func(q *event.Queue, o *Options, cores int, seed uint64) memory.System

// buildSystem makes the memory system that the options, which are valid, name.
func buildSystem(q *event.Queue, o *Options, cores int, seed uint64) memory.System {
	memoryOptions := ideal.Options{Cores: cores, Latency: o.Latency, Seed: seed}
	switch o.Protocol {
	case Ideal:
	case IdealCached:
		memoryOptions.Lines = o.Lines
	default:
		panic(fmt.Sprintf("protocol %q: the options were not validated", o.Protocol))
	}
	return ideal.New(q, memoryOptions)
}
