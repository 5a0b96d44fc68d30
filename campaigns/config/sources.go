package config

import (
	"fmt"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// LoadProtocol reads the protocol of a configuration, without the bugs that are injected.
// The root of its source is empty for a protocol that comes with ordeal. The protocol is
// nil where the configuration has none with sources.
func LoadProtocol(simulator string, c *Config) (p *types.Protocol, source protocols.Source, err error) {
	var file *syntax.File
	switch {
	case simulator == SimBuiltin && c.SLICC != "":
		source = c.Source()
		file, err = source.Load()
	case simulator == SimBuiltin && c.Coherent():
		file, err = protocols.Load(c.Protocol)
	case simulator == SimGem5 && c.Tree != "" && c.Protocol != "":
		var root string
		if root, err = protocols.InTree(c.Tree, c.Protocol); err == nil {
			source.Root = root
			file, err = source.Load()
		}
	default:
		return nil, protocols.Source{}, nil
	}
	if err == nil {
		p, err = compiler.Check(file)
	}
	if err != nil {
		return nil, protocols.Source{}, fmt.Errorf("find places in the protocol of %s: %w", c.Name, err)
	}
	return p, source, nil
}
