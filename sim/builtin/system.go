package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ideal"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/slicc/repair"
	"ordeal/sim/slicc/sema"
	"ordeal/sim/slicc/syntax"
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

// compileFile reads, repairs if wanted, and compiles the protocol whose root
// file the options name. It gives the protocol's name with the repairs.
func compileFile(o *Options) (*ruby.Protocol, string, error) {
	tree, err := syntax.Load(os.DirFS(filepath.Dir(o.SLICC)), filepath.Base(o.SLICC))
	if err != nil {
		return nil, "", fmt.Errorf("load protocol %s: %w", o.SLICC, err)
	}
	var repaired []string
	if o.Repair {
		repaired = repair.Apply(tree)
	}
	checked, err := sema.Check(tree)
	if err != nil {
		return nil, "", fmt.Errorf("check protocol %s: %w", o.SLICC, err)
	}
	p, err := ruby.Compile(checked)
	if err != nil {
		return nil, "", err
	}
	name := p.Name()
	if len(repaired) > 0 {
		name += " with repairs " + strings.Join(repaired, " ")
	}
	return p, name, nil
}

// protocolBuilder makes memory systems that run a protocol.
func protocolBuilder(p *ruby.Protocol) builder {
	return func(q *event.Queue, o *Options, cores int, seed uint64) memory.System {
		return ruby.New(q, p, ruby.Options{Cores: cores, Network: o.Latency, Trace: o.Trace, Seed: seed}.WithDefaults())
	}
}
