package builtin

import (
	"fmt"
	"os"
	"path/filepath"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ideal"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/slicc"
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

// compileFile reads and compiles the protocol whose root file is at a path.
func compileFile(path string) (*ruby.Protocol, error) {
	checked, err := slicc.Load(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("load protocol %s: %w", path, err)
	}
	return ruby.Compile(checked)
}

// protocolBuilder makes memory systems that run a protocol.
func protocolBuilder(p *ruby.Protocol) builder {
	return func(q *event.Queue, o *Options, cores int, seed uint64) memory.System {
		return ruby.New(q, p, ruby.Options{Cores: cores, Network: o.Latency, Seed: seed}.WithDefaults())
	}
}
