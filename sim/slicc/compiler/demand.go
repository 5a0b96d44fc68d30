package compiler

import (
	"slices"

	"ordeal/sim/slicc/types"
)

// demand counts a slot of a resource unless it is in the body of an enqueue.
func (r *routine) demand(resource *types.Var) {
	if r.enqueues > 0 {
		return
	}
	i := find(r.demands, resource)
	if i < 0 {
		i = len(r.demands)
		r.demands = append(r.demands, types.Demand{Resource: resource})
	}
	r.demands[i].Slots++
}

func find(list []types.Demand, resource *types.Var) int {
	return slices.IndexFunc(list, func(d types.Demand) bool { return d.Resource == resource })
}

// sumDemands puts the demands of a transition's actions together as gem5's
// compiler does: once the first action's count, or else twice the last
// action's. It adds an action's count to itself where it should add it to what
// the actions before it need.
func sumDemands(actions []*types.Action) []types.Demand {
	var demands []types.Demand
	for _, a := range actions {
		for _, d := range a.Demands {
			if i := find(demands, d.Resource); i >= 0 {
				demands[i].Slots = 2 * d.Slots
			} else {
				demands = append(demands, d)
			}
		}
	}
	return demands
}
