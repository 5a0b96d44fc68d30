package config

import (
	"fmt"
	"path/filepath"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// LoadProtocol reads the protocol of a configuration, without the bugs that are injected.
// Dir is the directory of its root file; empty for a protocol that comes with
// ordeal. The protocol is nil where the configuration has none with sources.
func LoadProtocol(simulator string, c *Config) (p *types.Protocol, dir string, err error) {
	var file *syntax.File
	switch {
	case simulator == SimBuiltin && c.SLICC != "":
		dir = filepath.Dir(c.SLICC)
		file, err = protocols.LoadFile(c.SLICC)
	case simulator == SimBuiltin && c.Coherent():
		file, err = protocols.Load(c.Protocol)
	case simulator == SimGem5 && c.Tree != "" && c.Protocol != "":
		var root string
		if root, err = protocols.InTree(c.Tree, c.Protocol); err == nil {
			dir = filepath.Dir(root)
			file, err = protocols.LoadFile(root)
		}
	default:
		return nil, "", nil
	}
	if err == nil {
		p, err = compiler.Check(file)
	}
	if err != nil {
		return nil, "", fmt.Errorf("find places in the protocol of %s: %w", c.Name, err)
	}
	return p, dir, nil
}
