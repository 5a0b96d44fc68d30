package mutation

import (
	"context"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/campaigns/exploration"
	"ordeal/gen"
)

// What is explored for Explored: orbits of states, the schedules that are chosen, those of a
// program, and the operations of a thread.
const (
	rareOrbits    = 20_000
	rareSchedules = 12
	rareTogether  = 3
	rareOps       = 60
)

// rarePrograms makes programs of schedules to rarely reached states of the protocol of a
// configuration, without its mutant, on two private caches and two lines: one of each
// schedule, and one of each few of them.
func rarePrograms(ctx context.Context, cfg *config.Config) ([]*gen.Program, error) {
	on := config.Machine{Protocol: cfg.Protocol, SLICC: cfg.SLICC, Repair: cfg.Repair}
	c, err := config.Explored(on, &config.Explore{Lines: 2})
	if err != nil {
		return nil, err
	}
	schedules, err := exploration.Rare(ctx, c, rareOrbits, rareSchedules)
	if err != nil {
		return nil, err
	}
	var list []*gen.Program
	for at := range schedules {
		list = append(list, exploration.Timed(schedules[at:at+1], rareOps))
		if at%rareTogether == 0 {
			list = append(list, exploration.Timed(schedules[at:min(at+rareTogether, len(schedules))], rareOps))
		}
	}
	return slices.DeleteFunc(list, func(p *gen.Program) bool { return p == nil }), nil
}
