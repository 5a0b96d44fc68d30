package exploration

import (
	"slices"

	"ordeal/campaigns/litmus"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/gen/shapes"
)

// AllShapes is the name of all critical cycles.
const AllShapes = "all"

// Named is a program with a name.
type Named struct {
	Name    string
	Program *gen.Program
}

// Shapes are the programs of the critical cycles of these names.
func Shapes(names []string) ([]Named, error) {
	if slices.Contains(names, AllShapes) {
		names = nil
		for _, s := range shapes.All() {
			names = append(names, s.Name)
		}
	}
	var list []Named
	for _, name := range names {
		s, ok := shapes.ByName(name)
		if !ok {
			return nil, option.Faultf("shape", "%s: no such shape: want all or names as of ordeal litmus --shapes", name)
		}
		list = append(list, Named{name, litmus.ShapeProgram(&s)})
	}
	return list, nil
}

// Placed lists the programs with every placement of their threads.
func (s *Spec) Placed(programs []Named) ([]Program, error) {
	var list []Program
	for _, n := range programs {
		threads := n.Program.CountAgents(gen.AgentCore)
		if cores := s.Machine.Cores; cores > 0 && threads > cores {
			return nil, option.Faultf("cores", "%d: %s has %d threads", cores, n.Name, threads)
		}
		placements, err := s.Placements(n.Program)
		if err != nil {
			return nil, err
		}
		text := string(n.Program.Text())
		for _, placement := range placements {
			list = append(list, Program{Name: n.Name, Text: text, Placement: placement})
		}
	}
	return list, nil
}
