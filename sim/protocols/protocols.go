// Package protocols has the coherence protocols that come with the embedded
// simulator, written for it in SLICC: MI, MESI with two levels, MOESI hammer
// and the MOESI protocol of AMD's pairs of cores. Their machines, states and
// events have the names that they have in gem5 wherever the concept is the
// same; all but the last have a machine for devices, and there are no prefetches
// or flushes.
package protocols

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

//go:embed slicc
var files embed.FS

// roots are the protocols' root files by name, in the order of Names.
var roots = []struct{ name, file string }{
	{"mi", "MI_example.slicc"},
	{"mesi-two-level", "MESI_Two_Level.slicc"},
	{"moesi-hammer", "MOESI_hammer.slicc"},
	{"moesi-amd-base", "MOESI_AMD_Base.slicc"},
}

// Names lists the protocols by the names of --protocol, the simplest first.
func Names() []string {
	names := make([]string, len(roots))
	for i, r := range roots {
		names[i] = r.name
	}
	return names
}

// Files holds the texts of all protocols in one folder.
func Files() fs.FS {
	sub, err := fs.Sub(files, "slicc")
	if err != nil {
		panic(fmt.Sprintf("embedded protocols: %v", err))
	}
	return sub
}

// Root is the name in Files of a protocol's root file.
func Root(name string) (string, error) {
	i := slices.IndexFunc(roots, func(r struct{ name, file string }) bool { return r.name == name })
	if i < 0 {
		return "", fmt.Errorf("unknown protocol %q: want one of %s", name, strings.Join(Names(), ", "))
	}
	return roots[i].file, nil
}

// Load reads a protocol's tree, anew at each call so that it may be edited.
func Load(name string) (*syntax.File, error) {
	root, err := Root(name)
	if err != nil {
		return nil, err
	}
	return syntax.Load(Files(), root)
}
