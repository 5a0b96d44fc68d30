package reduction

import (
	"context"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/types"
)

// oracleSeeds is how often the embedded simulator runs a shape, each time as many
// operations as a trial.
const oracleSeeds = 48

// oracleCores are the embedded simulator's cores for gem5's.
var oracleCores = map[string]string{"": "inorder", "timing": "inorder", "minor": "inorder", "o3": "ooo"}

// reproducing are the shapes that fail on the embedded simulator with the protocol
// of the gem5 tree, which it interprets: what makes them fail is in the protocol,
// and it says so in a second. None where it cannot.
func (s *reducer) reproducing(ctx context.Context, shapes []*gen.Program) ([]*gen.Program, error) {
	runner := s.embedded()
	if runner == nil {
		return nil, nil
	}
	var list []*gen.Program
	for _, shape := range shapes {
		c := reduce.Candidate{Program: shape, Rounds: (&setting{shape: shape}).rounds()}
		for seed := range uint64(oracleSeeds) {
			simulated, err := runner.Run(ctx, sim.Job{Program: shape, Rounds: c.Rounds, Seed: s.best + seed, Timeout: time.Duration(s.spec.Timeout)})
			if err != nil {
				return nil, err
			}
			res, err := run.Evaluate(ctx, shape, c.Rounds, &simulated, s.check)
			if err != nil {
				return nil, err
			}
			if res.Answered(s.identity.Model, check.Forbidden) {
				list = append(list, shape)
				break
			}
		}
	}
	return list, nil
}

// embedded is the embedded simulator with the protocol of the tree, its repairs and
// mutant included; nil if it cannot run that.
func (s *reducer) embedded() sim.Runner {
	c := &s.spec.Config
	name := c.Protocol
	if name == "" {
		runner, err := s.runner(&reduce.Candidate{})
		known, ok := runner.(interface{ Protocol() *types.Protocol })
		if err != nil || !ok || known.Protocol() == nil {
			return nil
		}
		name = known.Protocol().Name
	}
	machine := config.DefaultConfig()
	root, err := protocols.InTree(c.Tree, name)
	if err != nil {
		return nil
	}
	machine.Machine = config.Machine{Core: oracleCores[c.CPU], SLICC: root, Repair: c.Repair, Mutant: c.Mutant}
	runner, err := run.NewRunner(config.SimBuiltin, &machine)
	if err != nil {
		return nil
	}
	return runner
}
