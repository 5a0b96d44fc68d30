package builtin

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ideal"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

// size is how many cores and devices a machine has.
type size struct{ cores, devices int }

type builder func(q *event.Queue, o *Options, n size, seed uint64) memory.System

func buildIdeal(q *event.Queue, o *Options, n size, seed uint64) memory.System {
	lines := 0
	if o.Protocol == IdealCached {
		lines = o.Lines
	}
	return ideal.New(q, ideal.Options{Cores: n.cores, Latency: o.Latency, Lines: lines, Seed: seed})
}

// protocol is the tree of the coherence protocol that the options name, and
// its name with the repairs; nil for a memory system without a protocol.
func (o *Options) protocol() (*syntax.File, string, error) {
	switch {
	case o.SLICC != "":
		return o.file()
	case o.Protocol == Ideal || o.Protocol == IdealCached:
		return nil, o.Protocol, nil
	}
	tree, err := embedded(o.Protocol)
	return tree, o.Protocol, err
}

func (o *Options) mutated() (*syntax.File, string, error) {
	tree, name, err := o.protocol()
	if err != nil || o.Mutant == "" {
		return tree, name, err
	}
	if tree == nil {
		return nil, "", fmt.Errorf("mutant %s: protocol %s is not written in SLICC", o.Mutant, name)
	}
	catalogue, err := mutate.NewCatalogue(tree)
	if err != nil {
		return nil, "", err
	}
	m, err := catalogue.Find(o.Mutant)
	if err != nil {
		return nil, "", err
	}
	return catalogue.Tree(m), name + " with mutant " + m.ID, nil
}

func (o *Options) file() (*syntax.File, string, error) {
	tree, err := o.source().Load()
	if err != nil {
		return nil, "", err
	}
	name := strings.TrimSuffix(filepath.Base(o.SLICC), ".slicc")
	if o.Builtins != "" {
		name += " with builtins of " + filepath.Base(o.Builtins)
	}
	if o.Repair {
		var applied []string
		if tree, applied = mutate.Corrected(tree); len(applied) > 0 {
			name += " with repairs " + strings.Join(applied, " ")
		}
	}
	return tree, name, nil
}

// Coherent compiles the coherence protocol that the options name, and gives the
// options of its system, for what runs it without a Runner. The error lists
// everything that is wrong with them or with the protocol.
func (o Options) Coherent() (*ruby.Protocol, ruby.Options, error) {
	o = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, ruby.Options{}, err
	}
	p, name, err := o.compile()
	if p == nil && err == nil {
		err = fmt.Errorf("protocol %s is not written in SLICC", name)
	}
	return p, o.ruby(size{cores: o.Cores}, 0), err
}

// compile makes the protocol that the options name ready to run; it is nil for
// a memory system without a protocol. The name includes repairs and mutant.
func (o *Options) compile() (p *ruby.Protocol, name string, err error) {
	switch {
	case o.Compiled != nil:
		p, name = o.Compiled, cmp.Or(o.Protocol, o.Compiled.Name())
	case o.SLICC != "":
		p, name, err = o.compileSource()
	default:
		p, name, err = share(source{o.Protocol, o.Mutant}, o.compileSource)
	}
	if p == nil || err != nil || o.Machine == nil {
		return p, name, err
	}
	if o.layout, err = p.Layout(o.Machine, o.Cores); err == nil && o.layout.Cores > 0 {
		o.Cores = o.layout.Cores
	}
	return p, name, err
}

func (o *Options) compileSource() (*ruby.Protocol, string, error) {
	tree, name, err := o.mutated()
	if tree == nil || err != nil {
		return nil, name, err
	}
	p, err := ruby.Compile(tree)
	return p, name, o.source().Explain(err)
}
