package compiler

import "ordeal/sim/slicc/types"

// demandsOf counts the slots that the statements of an action take.
func demandsOf(body []types.Stmt) []types.Demand {
	var demands []types.Demand
	var walk func([]types.Stmt)
	walk = func(list []types.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *types.Enqueue:
				if s.Port != nil {
					demands = addDemand(demands, s.Port.Var)
				}
			case *types.CheckAllocate:
				if s.Table != nil {
					demands = addDemand(demands, s.Table)
				}
			case *types.Peek:
				walk(s.Body)
			case *types.If:
				walk(s.Then)
				walk(s.Else)
			}
		}
	}
	walk(body)
	return demands
}

// addDemand adds a slot of a resource.
func addDemand(demands []types.Demand, resource *types.Var) []types.Demand {
	for i := range demands {
		if demands[i].Resource == resource {
			demands[i].Slots++
			return demands
		}
	}
	return append(demands, types.Demand{Resource: resource, Slots: 1})
}
