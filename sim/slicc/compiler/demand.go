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
					demands = addDemand(demands, s.Port.Var, 1)
				}
			case *types.CheckAllocate:
				if s.Table != nil {
					demands = addDemand(demands, s.Table, 1)
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

// addDemand adds n slots of a resource, for both ways of counting.
func addDemand(demands []types.Demand, resource *types.Var, n int) []types.Demand {
	for i := range demands {
		if demands[i].Resource == resource {
			demands[i].Sum += n
			demands[i].Gem5 += n
			return demands
		}
	}
	return append(demands, types.Demand{Resource: resource, Gem5: n, Sum: n})
}
