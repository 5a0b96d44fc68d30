package run

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim/gem5"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
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
	file, err := protocols.InTree(root, protocol)
	if err != nil {
		return change, fmt.Errorf("%s: %w", edit(m), err)
	}
	files, err := Edited(file, m.Repair, m.Mutant)
	for _, f := range files {
		source, err := filepath.Rel(root, filepath.Join(filepath.Dir(file), filepath.FromSlash(f.Name)))
		if err != nil {
			return change, err
		}
		change.Changes = append(change.Changes, tree.Change{File: source, Contents: f.New})
	}
	return change, err
}

// edit says what is asked for.
func edit(m *config.Machine) string {
	if m.Mutant != "" {
		return "mutant " + m.Mutant
	}
	return "repair"
}

// Edited are the files of the protocol with a root file that repairs of known defects and a
// mutant change, one of both or the mutant in what is repaired. That there is nothing to
// repair is an error. In a gem5 tree that another mutant has changed at the moment, or that
// was not restored since its process was killed, they are those of the tree itself.
func Edited(root string, repairs bool, mutant string) ([]mutate.File, error) {
	fsys, file, _ := protocols.Source{Root: root}.Texts()
	if folder, below, found := protocols.Split(filepath.Dir(root)); found {
		originals, err := tree.Originals(folder)
		if err != nil {
			return nil, err
		}
		var over []mutate.File
		for _, o := range originals {
			if name, err := filepath.Rel(below, o.File); err == nil {
				over = append(over, mutate.File{Name: name, New: o.Contents})
			}
		}
		fsys = mutate.Overlay(fsys, over)
	}
	texts, name := fsys, strings.TrimSuffix(file, ".slicc")
	edited := map[string][]byte{}
	if repairs {
		files, applied, err := mutate.CorrectedText(texts, file)
		if err != nil {
			return nil, fmt.Errorf("repair %s: %w", name, err)
		}
		if len(applied) == 0 {
			return nil, fmt.Errorf("repair %s: nothing to repair in %s", name, root)
		}
		for _, f := range files {
			edited[f.Name] = f.New
		}
		texts = mutate.Overlay(texts, files)
	}
	if mutant != "" {
		files, err := mutate.Text(texts, file, mutant)
		if err != nil {
			return nil, fmt.Errorf("mutant %s: %w", mutant, err)
		}
		for _, f := range files {
			edited[f.Name] = f.New
		}
	}
	var list []mutate.File
	for _, name := range slices.Sorted(maps.Keys(edited)) {
		old, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		list = append(list, mutate.File{Name: name, Old: old, New: edited[name]})
	}
	return list, nil
}
