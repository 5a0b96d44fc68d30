package model

import "slices"

// All lists the models, each after every model that implies it.
func All() []Model {
	return []Model{SC, TSO, PSO, RMO, WSC, WTSO, WPSO, CCM, WCCM, CCv, CM, CC}
}

// ByName is the model of a canonical name.
func ByName(name string) (Model, bool) {
	for _, m := range All() {
		if m.Name == name {
			return m, true
		}
	}
	return Model{}, false
}

// implied lists, for each model, the strongest of those that allow whatever
// it allows; implication is transitive. That SC implies CCM, and TSO wCCM, is
// in Zennou et al. (CAV 2019, Sects. 3 and 4), that SC implies wSC and wSC
// CCM in their paper on wSC, and that CCM implies CCv and CM, and these CC,
// in Bouajjani et al. (POPL 2017) and CAV 2019.
//
// TSO implies CCv, with the memory order of writes as arbitration: writes
// reach memory in causal order, since a thread's do so in program order and a
// load of another thread's write follows it; and a write before a load in
// causal order is an own earlier one or in memory before the load, so that the
// value axiom lets the load return none that is older. TSO does not imply CM.
var implied = map[string][]string{
	"sc":   {"tso", "wsc"},
	"tso":  {"pso", "wtso", "wccm", "ccv"},
	"pso":  {"rmo", "wpso"},
	"wsc":  {"wtso", "ccm"},
	"wtso": {"wpso"},
	"ccm":  {"wccm", "ccv", "cm"},
	"ccv":  {"cc"},
	"cm":   {"cc"},
}

// Implies reports whether every history that a allows is one that b allows,
// by the lemmas of the literature. A model implies itself.
func Implies(a, b Model) bool {
	return a.Name == b.Name || slices.ContainsFunc(implied[a.Name], func(name string) bool {
		next, _ := ByName(name)
		return Implies(next, b)
	})
}
