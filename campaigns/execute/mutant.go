package execute

import (
	"fmt"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim/gem5"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// addMutant adds the mutant of a machine to the options of a gem5 runner.
func addMutant(g *config.Gem5, o *gem5.Options, m *config.Machine) error {
	if m.Mutant == "" {
		return nil
	}
	var err error
	o.Mutation, err = mutation(g, o.Tree, m.Mutant)
	return err
}

// mutation is the change that a mutant makes in a gem5 tree.
func mutation(g *config.Gem5, root, id string) (gem5.Mutation, error) {
	m := gem5.Mutation{Rebuild: g.Rebuild}
	protocol, _, _ := strings.Cut(id, "/")
	texts, file := protocols.OnDisk(filepath.Join(root, gem5.ProtocolFile(protocol+".slicc")))
	files, err := mutate.Text(texts, file, id)
	if err != nil {
		return m, fmt.Errorf("mutant %s: %w", id, err)
	}
	for _, f := range files {
		m.Changes = append(m.Changes, tree.Change{File: gem5.ProtocolFile(f.Name), Contents: f.New})
	}
	return m, nil
}
