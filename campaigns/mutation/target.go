package mutation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/repair"
	"ordeal/sim/slicc/syntax"
)

// Embedded is the embedded protocol of that name.
func Embedded(name string) (Target, error) {
	tree, err := protocols.Load(name)
	if err != nil {
		return Target{}, err
	}
	return Target{Name: name, Tree: tree}, nil
}

// File is the protocol whose root file is at path, repaired if wanted.
func File(path string, repaired bool) (Target, error) {
	tree, err := syntax.Load(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return Target{}, fmt.Errorf("load protocol %s: %w", path, err)
	}
	if repaired {
		repair.Apply(tree)
	}
	return Target{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Tree: tree}, nil
}

// text is the protocol's text as a printer writes it.
func (t *Target) text() string {
	var sb strings.Builder
	var write func(f *syntax.File)
	write = func(f *syntax.File) {
		sb.WriteString(syntax.Print(f))
		for d := range f.Includes() {
			if d.File != nil {
				write(d.File)
			}
		}
	}
	write(t.Tree)
	return sb.String()
}
