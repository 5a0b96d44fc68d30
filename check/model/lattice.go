package model

import "sync"

import "slices"

// All lists the models of histories without times that are comparable, each
// after every model that implies it. Those of OfInstructionSets are not among
// them.
func All() []Model {
	return []Model{SC, TSO, PSO, RMO, WSC, WTSO, WPSO, CCM, WCCM, CCv, CM, CC}
}

// Named lists the models that a user can name for any history: All, those of
// OfInstructionSets, and POW.
func Named() []Model { return append(append(All(), OfInstructionSets()...), POW) }

// ByName is the model of a canonical name.
func ByName(name string) (Model, bool) {
	m, ok := byName()[name]
	return m, ok
}

var byName = sync.OnceValue(func() map[string]Model {
	models := make(map[string]Model)
	for _, m := range append(Named(), Linearizable) {
		models[m.Name] = m
	}
	return models
})

// implied lists, for each model, the strongest of those that allow whatever
// it allows; implication is transitive. That SC implies CCM is in Zennou et
// al. (CAV 2019, Sect. 3), that SC implies wSC and wSC CCM in their paper on
// wSC, and that CCM implies CCv and CM, and these CC, in Bouajjani et al.
// (POPL 2017) and CAV 2019.
//
// wTSO implies CCv, because the closure of TSO orders writes as causal order
// does: of a path of program order and reads-from between two writes, each
// part in one thread is a write before a write or begins with a load, and both
// are edges of TSO. A write before a load in causal order is so in the
// closure, whose rule A then orders it before what the load returned; or it is
// an own earlier write, and the edge for those does. So conflict edges are
// edges of the closure, and a cycle of CCv one of it. The same holds of wCCM,
// whose conflicts are derived by the same rules from less, and is the reason
// that TSO implies it (CAV 2019, Sect. 4). TSO does not imply CM.
var implied = map[string][]string{
	"linearizable": {"sc"},

	"sc":   {"tso", "wsc"},
	"tso":  {"pso", "wtso"},
	"pso":  {"rmo", "wpso"},
	"wsc":  {"wtso", "ccm"},
	"wtso": {"wpso", "wccm", "ccv"},
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

// Stronger lists the models that imply m, with none in between.
func Stronger(m Model) []Model {
	all := slices.DeleteFunc(All(), func(s Model) bool { return s == m || !Implies(s, m) })
	return slices.DeleteFunc(slices.Clone(all), func(s Model) bool {
		return slices.ContainsFunc(all, func(b Model) bool { return s != b && Implies(s, b) })
	})
}
