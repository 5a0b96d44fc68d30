package mutation

import (
	"path/filepath"
	"strings"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

// Target is a protocol to mutate.
type Target struct {
	// Name is that of --protocol, or of a file.
	Name   string
	Tree   *syntax.File
	source protocols.Source // of a file; its root is empty for --protocol
}

// Embedded returns the embedded protocol of that name.
func Embedded(name string) (Target, error) {
	tree, err := protocols.Load(name)
	if err != nil {
		return Target{}, err
	}
	return Target{Name: name, Tree: tree}, nil
}

// File loads a protocol in files, and repairs it if repaired is set.
func File(source protocols.Source, repaired bool) (Target, error) {
	tree, err := source.Load()
	if err != nil {
		return Target{}, err
	}
	if repaired {
		tree, _ = mutate.Corrected(tree)
	}
	return Target{Name: strings.TrimSuffix(filepath.Base(source.Root), filepath.Ext(source.Root)), Tree: tree, source: source}, nil
}

// text is the protocol as it is printed, with all included files.
func (t *Target) text() string { return syntax.PrintAll(t.Tree) }
