package types

// Demand says how many free slots a resource must have before a transition
// runs: an OutPortVar, or an object named in check_allocate.
//
// For an action both numbers are the count of its statements: enqueues
// outside of other enqueues' bodies and check_allocates, in both branches of
// ifs and inside peeks. For a transition Sum adds up its actions, as meant;
// Gem5 is what gem5's compiler computes instead, once the first action's
// count or else twice the last action's count.
type Demand struct {
	Resource *Var
	Gem5     int
	Sum      int
}

// SumDemands puts the demands of a transition's actions together. gem5's
// compiler adds an action's count to itself where it should add it to what the
// actions before it need.
func SumDemands(actions []*Action) []Demand {
	var demands []Demand
	index := map[*Var]int{}
	for _, a := range actions {
		for _, d := range a.Demands {
			i, ok := index[d.Resource]
			if !ok {
				index[d.Resource] = len(demands)
				demands = append(demands, d)
				continue
			}
			demands[i].Sum += d.Sum
			demands[i].Gem5 = 2 * d.Sum
		}
	}
	return demands
}
