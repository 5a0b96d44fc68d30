package execute

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim/gem5"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/repair"
)

// addEdits adds the repairs and the mutant of a machine to the options of a
// gem5 runner.
func addEdits(g *config.Gem5, o *gem5.Options, m *config.Machine) error {
	if m.Mutant == "" && !m.Repair {
		return nil
	}
	var err error
	o.Mutation, err = edits(g, o.Tree, m)
	return err
}

// edits are what repairs and a mutant change in a gem5 tree. A mutant is one of
// the repaired protocol, where that is asked for.
func edits(g *config.Gem5, root string, m *config.Machine) (gem5.Mutation, error) {
	change := gem5.Mutation{Rebuild: g.Rebuild}
	protocol := m.Protocol
	if m.Mutant != "" {
		protocol, _, _ = strings.Cut(m.Mutant, "/")
	}
	if protocol == "" {
		return change, errors.New("repair: protocol is missing: want that of the binary")
	}
	texts, file := protocols.OnDisk(filepath.Join(root, gem5.ProtocolFile(protocol+".slicc")))
	edited := map[string][]byte{}
	if m.Repair {
		files, applied, err := repair.Text(texts, file)
		if err != nil {
			return change, fmt.Errorf("repair %s: %w", protocol, err)
		}
		if len(applied) == 0 {
			return change, fmt.Errorf("repair %s: nothing to repair in %s", protocol, root)
		}
		var over []mutate.File
		for _, f := range files {
			edited[f.Name] = f.New
			over = append(over, mutate.File{Name: f.Name, New: f.New})
		}
		texts = mutate.Overlay(texts, over)
	}
	if m.Mutant != "" {
		files, err := mutate.Text(texts, file, m.Mutant)
		if err != nil {
			return change, fmt.Errorf("mutant %s: %w", m.Mutant, err)
		}
		for _, f := range files {
			edited[f.Name] = f.New
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edited)) {
		change.Changes = append(change.Changes, tree.Change{File: gem5.ProtocolFile(name), Contents: edited[name]})
	}
	return change, nil
}
