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
	Name string
	Tree *syntax.File
	path string // of a file; empty for --protocol
}

// Embedded returns the embedded protocol of that name.
func Embedded(name string) (Target, error) {
	tree, err := protocols.Load(name)
	if err != nil {
		return Target{}, err
	}
	return Target{Name: name, Tree: tree}, nil
}

// File loads the protocol whose root file is at path, and repairs it if
// repaired is set.
func File(path string, repaired bool) (Target, error) {
	tree, err := protocols.LoadFile(path)
	if err != nil {
		return Target{}, err
	}
	if repaired {
		tree, _ = mutate.Corrected(tree)
	}
	return Target{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Tree: tree, path: path}, nil
}

// text is the protocol as it is printed, with all included files.
func (t *Target) text() string { return syntax.PrintAll(t.Tree) }
