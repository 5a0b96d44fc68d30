// Package model describes memory models as data: preserved program order,
// which reads-from edges are global, and for the causal ladder the criterion.
package model

import "ordeal/parse"

// Family says by what kind of criterion a model is defined.
type Family uint8

// The families of models.
const (
	FamilyUnknown Family = iota
	// Total models ask for one global memory order (herding-cats style):
	// SC, TSO, PSO, RMO. Deciding them is NP-complete.
	Total
	// Causal models are polynomial saturation criteria: CC, CCv, CM, CCM,
	// wCCM, wSC and the closures of TSO and PSO.
	Causal
)

// Model is a memory model. Each is one value of this package, so that == compares
// models. The fields below Family are, of a causal model, those of the Total model by whose rules its criterion
// infers.
type Model struct {
	Name   string // canonical, as on the command line: "sc", "tso", …
	Family Family
	// PPO is the part of program order that every operation pair keeps
	// whatever the locations: SC keeps all four components, TSO all but
	// StoreLoad, PSO LoadLoad and LoadStore, RMO none.
	PPO parse.FenceMask
	// ForwardOwn says that a load may read its own thread's store before
	// that store is global (store buffers): false for SC.
	ForwardOwn bool
	// LoadLoadSameLoc says that two loads of one location keep program
	// order (false for RMO, which allows load-load hazards). Stores to one
	// location, and a load before a store to one location, always do.
	LoadLoadSameLoc bool
	// Deps says that dependencies are part of preserved program order.
	Deps bool
	// RealTime says that an operation that returns before another is called
	// precedes it (see parse.Interval). Only histories with times have an
	// answer.
	RealTime bool
	// Rules, if not nil, are what the model says of the instruction sets of
	// Arm and RISC-V. Then PPO is empty, and Deps not set.
	Rules *Rules
	_     struct{}
}

// The models that ask for a global memory order.
var (
	SC  = Model{Name: "sc", Family: Total, PPO: parse.FullFence, LoadLoadSameLoc: true}
	TSO = Model{Name: "tso", Family: Total, PPO: parse.LoadLoad | parse.LoadStore | parse.StoreStore, ForwardOwn: true, LoadLoadSameLoc: true}
	PSO = Model{Name: "pso", Family: Total, PPO: parse.LoadLoad | parse.LoadStore, ForwardOwn: true, LoadLoadSameLoc: true}
	RMO = Model{Name: "rmo", Family: Total, ForwardOwn: true, Deps: true}
)

// Linearizable is SC with real time (Herlihy and Wing, TOPLAS 12(3), 1990), for
// histories with times; All does not list it.
var Linearizable = Model{Name: "linearizable", Family: Total, PPO: parse.FullFence, LoadLoadSameLoc: true, RealTime: true}

// The causal ladder. wSC ⇒ CCM ⇒ {CCv, CM} ⇒ CC, and SC ⇒ wSC; wTSO and
// wPSO are the closures of TSO and PSO, implied by TSO and PSO.
var (
	CC   = causal("cc", SC)
	CCv  = causal("ccv", SC)
	CM   = causal("cm", SC)
	WCCM = causal("wccm", TSO)
	CCM  = causal("ccm", SC)
	WSC  = causal("wsc", SC)
	WTSO = causal("wtso", TSO)
	WPSO = causal("wpso", PSO)
)

func causal(name string, rules Model) Model {
	rules.Name, rules.Family = name, Causal
	return rules
}
