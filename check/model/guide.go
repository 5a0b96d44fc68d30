package model

import "embed"

// Description describes a model.
type Description struct {
	Model Model
	// Text defines the model in some sentences; Source names the definition.
	Text, Source string
	// Separations distinguish it from the next stronger models, those that
	// imply it with none in between.
	Separations []Separation
}

// Separation is a history that a model allows and the model Stronger forbids.
type Separation struct {
	Stronger string
	Text     string
	// History names the history. None of fewer loads and stores has the
	// property, unless OnlyKnown says that this is not known.
	History   string
	OnlyKnown bool
}

//go:embed histories/*.axe
var histories embed.FS

// Trace is the history in the notation of package parse/formats/axe. The
// histories were found by enumeration.
func (s *Separation) Trace() string {
	text, err := histories.ReadFile("histories/" + s.History + ".axe")
	if err != nil {
		panic(err) // the tests read every history
	}
	return string(text)
}

// Descriptions describes all models, in the order of Named.
func Descriptions() []Description {
	return []Description{
		{
			Model: SC, Source: "Lamport, IEEE Transactions on Computers 28(9), 1979",
			Text: "Sequential consistency: all operations take effect one after the other, in an order that keeps the order of each thread; a load returns the last store before it.",
		}, {
			Model: TSO, Source: "SPARC V8 and V9 manuals; x86-TSO: Owens, Sarkar and Sewell, TPHOLs 2009",
			Text:        "Total store order: each thread has a first-in first-out buffer of stores. A load may overtake the stores that are still in it, and reads its own thread's newest one of them. What x86 processors promise.",
			Separations: []Separation{{Stronger: "sc", Text: "Store buffering: each load overtakes the store before it.", History: "store-buffering"}},
		}, {
			Model: PSO, Source: "SPARC V8 and V9 manuals",
			Text:        "Partial store order: like TSO, with a buffer for each location, so that stores to different locations may be seen in another order.",
			Separations: []Separation{{Stronger: "tso", Text: "Message passing: the flag y is seen, the data x is not.", History: "message-passing"}},
		}, {
			Model: RMO, Source: "SPARC V9 manual; herding cats: Alglave, Maranget and Tautschnig, TOPLAS 36(2), 2014",
			Text:        "Relaxed memory order: loads may overtake loads, those of the same location among them, and stores may overtake loads that they do not depend on.",
			Separations: []Separation{{Stronger: "pso", Text: "A load-load hazard: the newer value first, the older one after it.", History: "load-load-hazard"}},
		}, {
			Model: WSC, Source: "Zennou et al.: the saturation called weak sequential consistency",
			Text:        "The closure of SC: all orders of two stores that follow, rule by rule, from what is known already, whether they close a cycle or not. Polynomial, and nearly always as strong as SC.",
			Separations: []Separation{{Stronger: "sc", OnlyKnown: true, Text: "Either order of the two stores to x closes a cycle, by another pair of threads; no single step says which.", History: "split-sc"}},
		}, {
			Model: WTSO, Source: "the same rules on the preserved program order of TSO: Manovit and Hangal, SPAA 2005 (the algorithm of TSOtool)",
			Text: "The closure of TSO.",
			Separations: []Separation{
				{Stronger: "tso", OnlyKnown: true, Text: "As for wsc, with fences where TSO would let loads overtake.", History: "split-tso"},
				{Stronger: "wsc", Text: "Store buffering.", History: "store-buffering"},
			},
		}, {
			Model: WPSO, Source: "the same rules on the preserved program order of PSO",
			Text: "The closure of PSO.",
			Separations: []Separation{
				{Stronger: "pso", OnlyKnown: true, Text: "As for wtso, with fences between the stores, too.", History: "split-pso"},
				{Stronger: "wtso", Text: "Message passing.", History: "message-passing"},
			},
		}, {
			Model: CCM, Source: "Zennou, Bouajjani, Enea and Erradi, CAV 2019, Sect. 3",
			Text:        "Convergent causal memory: CCv and CM as one, so that all threads agree on the order of conflicting stores and each thread can explain its own loads by it. The strongest step of the gradual check before SC.",
			Separations: []Separation{{Stronger: "wsc", Text: "Three threads that must have agreed on an order of all stores, not only of those to one location.", History: "three-threads"}},
		}, {
			Model: WCCM, Source: "Zennou, Bouajjani, Enea and Erradi, CAV 2019, Sect. 4",
			Text: "The kin of CCM that TSO implies: loads may overtake stores, and a thread sees its own early.",
			Separations: []Separation{
				{Stronger: "wtso", Text: "By the letter of its definition a load may read a later store of its own thread.", History: "own-future"},
				{Stronger: "ccm", Text: "The same.", History: "own-future"},
			},
		}, {
			Model: CCv, Source: "Bouajjani, Enea, Guerraoui and Hamza, POPL 2017",
			Text: "Causal convergence: causality, and one order of conflicting stores for all threads.",
			Separations: []Separation{
				{Stronger: "wtso", Text: "The second thread sees y from the third, which is ordered behind the first thread's stores, and then the initial value of x.", History: "convergence"},
				{Stronger: "ccm", Text: "Store buffering: no cause and no conflict, but the threads cannot both explain themselves.", History: "store-buffering"},
			},
		}, {
			Model: CM, Source: "Ahamad et al., Distributed Computing 9, 1995; Bouajjani et al., POPL 2017",
			Text:        "Causal memory: each thread can explain its loads by an order of all stores that keeps causality; another thread may order concurrent stores otherwise.",
			Separations: []Separation{{Stronger: "ccm", Text: "Each thread sees its own store, then the other's: no order of the two suits both.", History: "two-orders"}},
		}, {
			Model: CC, Source: "Bouajjani, Enea, Guerraoui and Hamza, POPL 2017",
			Text: "Causal consistency: what a thread has seen, directly or through others, it does not unsee. The order of concurrent stores may even change from load to load.",
			Separations: []Separation{
				{Stronger: "ccv", Text: "One thread sees another's store and then its own older one again.", History: "unseen"},
				{Stronger: "cm", Text: "The same.", History: "unseen"},
			},
		}, {
			Model: Armv8, Source: "Pulte et al., POPL 2018; Arm Architecture Reference Manual, B2.3; aarch64.cat of herd7",
			Text: "Armv8, other-multi-copy atomic: all but what acquire, release, barriers, dependencies and coherence order may be reordered. A store is seen by all other threads at once, and by its own early.",
		}, {
			Model: RVWMO, Source: "The RISC-V Instruction Set Manual, Volume I, Sect. 14.1; riscv.cat of herd7",
			Text: "RISC-V weak memory order: thirteen rules of preserved program order, and three axioms. Multi-copy atomic but for a thread's own stores.",
		}, {
			Model: WMO, Source: "Naylor, Moore and Mujumdar, FMCAD 2016",
			Text: "Weak memory order of the checker Axe: RMO that keeps loads of one location in order.",
		}, {
			Model: POW, Source: "Axe Manual 1.4 (Naylor, Moore and Mujumdar, 2016), Sect. 5; Power: Sarkar et al., PLDI 2011",
			Text: "Power, as the checker Axe has it: the local order of wmo, but a store may reach some threads before others. A fence waits until what its thread has written or seen has reached all.",
		},
	}
}
