package builtin

import (
	"fmt"
	"runtime"
	"sync"
	"weak"

	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// shared has the compiled protocols that are in use, but for those of files, which
// may change: a sync.Map of source to compiled. Machines of one protocol share what
// it is compiled to; in a campaign, which takes turns of its configurations, each
// would else find little of it in the processor's caches.
var shared sync.Map

// source is what a compiled protocol is a function of.
type source struct{ protocol, mutant string }

// compiled is a protocol, which does not stay for being here, and its name.
type compiled struct {
	protocol weak.Pointer[ruby.Protocol]
	name     string
}

// trees has the trees of embedded protocols that were read, which compiling and
// mutants leave as they are: a sync.Map of names to *syntax.File. Reading one takes
// almost as long as compiling it.
var trees sync.Map

// embedded is the tree of an embedded protocol. The caller must not change it.
func embedded(protocol string) (*syntax.File, error) {
	if tree, ok := trees.Load(protocol); ok {
		return tree.(*syntax.File), nil
	}
	read, err := protocols.Load(protocol)
	if err != nil {
		return nil, fmt.Errorf("load protocol %s: %w", protocol, err)
	}
	tree, _ := trees.LoadOrStore(protocol, read)
	return tree.(*syntax.File), nil
}

// share is a protocol of the source that is in use with its name, or else what
// compile makes.
func share(from source, compile func() (*ruby.Protocol, string, error)) (*ruby.Protocol, string, error) {
	if v, ok := shared.Load(from); ok {
		c := v.(compiled)
		if p := c.protocol.Value(); p != nil {
			return p, c.name, nil
		}
	}
	p, name, err := compile()
	if p != nil && err == nil {
		c := compiled{weak.Make(p), name}
		shared.Store(from, c)
		runtime.AddCleanup(p, func(c compiled) { shared.CompareAndDelete(from, c) }, c)
	}
	return p, name, err
}
