package types

// Demand says how many free slots a resource must have before a transition
// runs: an OutPortVar, or an object named in check_allocate. For an action it
// counts the statements: enqueues outside of other enqueues' bodies and
// check_allocates, in both branches of ifs and inside peeks.
type Demand struct {
	Resource *Var
	Slots    int
}

// SumDemands puts the demands of a transition's actions together as gem5's
// compiler does: once the first action's count, or else twice the last
// action's. It adds an action's count to itself where it should add it to what
// the actions before it need.
func SumDemands(actions []*Action) []Demand {
	var demands []Demand
	index := map[*Var]int{}
	for _, a := range actions {
		for _, d := range a.Demands {
			if i, ok := index[d.Resource]; ok {
				demands[i].Slots = 2 * d.Slots
				continue
			}
			index[d.Resource] = len(demands)
			demands = append(demands, d)
		}
	}
	return demands
}
