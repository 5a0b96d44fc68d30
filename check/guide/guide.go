// Package guide explains the models to people: what each says, where it comes
// from, and the smallest history that tells it from each of the next stronger
// ones.
package guide

import (
	"strings"

	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// Entry explains a model.
type Entry struct {
	Model model.Model
	// Says is the model in some sentences, From where it is defined.
	Says, From string
	// Beside sets it apart from the next stronger models, those that imply it
	// with none in between.
	Beside []Beside
}

// Beside is a history that a model allows and the stronger model Than forbids.
type Beside struct {
	Than string
	Says string
	// Trace is the history as package axe reads it, a thread after the other. No history of fewer loads
	// and stores does the same, unless Known says that none is known.
	Trace string
	Known bool
}

// History is the trace read.
func (b *Beside) History() (*parse.History, error) {
	trace, err := axe.NewReader(strings.NewReader(b.Trace), "the guide").Next()
	if err != nil {
		return nil, err
	}
	return trace.History, trace.Err
}

// Entries explains all models, in the order of model.All.
func Entries() []Entry {
	return []Entry{
		{
			Model: model.SC, From: "Lamport, IEEE Transactions on Computers 28(9), 1979",
			Says: "Sequential consistency: all operations take effect one after the other, in an order that keeps the order of each thread; a load returns the last store before it.",
		}, {
			Model: model.TSO, From: "SPARC V8 and V9 manuals; x86-TSO: Owens, Sarkar and Sewell, TPHOLs 2009",
			Says:   "Total store order: each thread has a first-in first-out buffer of stores. A load may overtake the stores that are still in it, and reads its own thread's newest one of them. What x86 processors promise.",
			Beside: []Beside{{Than: "sc", Says: "Store buffering: each load overtakes the store before it.", Trace: storeBuffering}},
		}, {
			Model: model.PSO, From: "SPARC V8 and V9 manuals",
			Says:   "Partial store order: like TSO, with a buffer for each location, so that stores to different locations may be seen in another order.",
			Beside: []Beside{{Than: "tso", Says: "Message passing: the flag y is seen, the data x is not.", Trace: messagePassing}},
		}, {
			Model: model.RMO, From: "SPARC V9 manual; herding cats: Alglave, Maranget and Tautschnig, TOPLAS 36(2), 2014",
			Says:   "Relaxed memory order: loads may overtake loads, those of the same location among them, and stores may overtake loads that they do not depend on.",
			Beside: []Beside{{Than: "pso", Says: "A load-load hazard: the newer value first, the older one after it.", Trace: loadLoadHazard}},
		}, {
			Model: model.WSC, From: "Zennou et al.: the saturation called weak sequential consistency",
			Says:   "The closure of SC: all orders of two stores that follow, rule by rule, from what is known already, whether they close a cycle or not. Polynomial, and nearly always as strong as SC.",
			Beside: []Beside{{Than: "sc", Known: true, Says: "Either order of the two stores to x closes a cycle, by another pair of threads; no single step says which.", Trace: splitSC}},
		}, {
			Model: model.WTSO, From: "the same rules on the preserved program order of TSO: Manovit and Hangal, SPAA 2005 (the algorithm of TSOtool)",
			Says: "The closure of TSO.",
			Beside: []Beside{
				{Than: "tso", Known: true, Says: "As for wsc, with fences where TSO would let loads overtake.", Trace: splitTSO},
				{Than: "wsc", Says: "Store buffering.", Trace: storeBuffering},
			},
		}, {
			Model: model.WPSO, From: "the same rules on the preserved program order of PSO",
			Says: "The closure of PSO.",
			Beside: []Beside{
				{Than: "pso", Known: true, Says: "As for wtso, with fences between the stores, too.", Trace: splitPSO},
				{Than: "wtso", Says: "Message passing.", Trace: messagePassing},
			},
		}, {
			Model: model.CCM, From: "Zennou, Bouajjani, Enea and Erradi, CAV 2019, Sect. 3",
			Says:   "Convergent causal memory: CCv and CM as one, so that all threads agree on the order of conflicting stores and each thread can explain its own loads by it. The strongest step of the gradual check before SC.",
			Beside: []Beside{{Than: "wsc", Says: "Three threads that must have agreed on an order of all stores, not only of those to one location.", Trace: threeThreads}},
		}, {
			Model: model.WCCM, From: "Zennou, Bouajjani, Enea and Erradi, CAV 2019, Sect. 4",
			Says: "The kin of CCM that TSO implies: loads may overtake stores, and a thread sees its own early.",
			Beside: []Beside{
				{Than: "wtso", Says: "By the letter of its definition a load may read a later store of its own thread.", Trace: ownFuture},
				{Than: "ccm", Says: "The same.", Trace: ownFuture},
			},
		}, {
			Model: model.CCv, From: "Bouajjani, Enea, Guerraoui and Hamza, POPL 2017",
			Says: "Causal convergence: causality, and one order of conflicting stores for all threads.",
			Beside: []Beside{
				{Than: "wtso", Says: "The second thread sees y from the third, which is ordered behind the first thread's stores, and then the initial value of x.", Trace: convergence},
				{Than: "ccm", Says: "Store buffering: no cause and no conflict, but the threads cannot both explain themselves.", Trace: storeBuffering},
			},
		}, {
			Model: model.CM, From: "Ahamad et al., Distributed Computing 9, 1995; Bouajjani et al., POPL 2017",
			Says:   "Causal memory: each thread can explain its loads by an order of all stores that keeps causality; another thread may order concurrent stores otherwise.",
			Beside: []Beside{{Than: "ccm", Says: "Each thread sees its own store, then the other's: no order of the two suits both.", Trace: twoOrders}},
		}, {
			Model: model.CC, From: "Bouajjani, Enea, Guerraoui and Hamza, POPL 2017",
			Says: "Causal consistency: what a thread has seen, directly or through others, it does not unsee. The order of concurrent stores may even change from load to load.",
			Beside: []Beside{
				{Than: "ccv", Says: "One thread sees another's store and then its own older one again.", Trace: unseen},
				{Than: "cm", Says: "The same.", Trace: unseen},
			},
		},
	}
}

// Stronger lists the models that imply a model, with none in between.
func Stronger(m model.Model) []model.Model {
	var all, next []model.Model
	for _, s := range model.All() {
		if s.Name != m.Name && model.Implies(s, m) {
			all = append(all, s)
		}
	}
	for _, s := range all {
		between := false
		for _, b := range all {
			between = between || b.Name != s.Name && model.Implies(s, b)
		}
		if !between {
			next = append(next, s)
		}
	}
	return next
}
