package check

import (
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// Unused lists what a history knows besides program order, reads-from and
// atomicity that model m does not take into account, by whatever procedure, so
// that an answer holds with and without it: "final memory", "order of writes",
// "fences", "times", "transactions", "acquire and release", "instruction barriers", "partial fences", "dependencies
// of some kinds".
//
// The models with a global memory order take all but transactions into account,
// and so do the closures of SC, TSO and PSO, whose rules begin with the same
// edges. The causal criteria do not: they are defined by program order and
// reads-from (Bouajjani et al., POPL 2017, Sect. 3; Zennou et al., CAV 2019,
// Sect. 3), and have no memory whose contents or order of writes could be
// known. Under CC and CM there is not even an order of the writes to a location
// that all threads agree on; that of CCv, CCM and wCCM is the arbitration of
// the replicas, not what reached one memory. Fences are in program order,
// which the criteria keep as a whole, but for wCCM, which relaxes it as TSO
// does. Dependencies are in program order too, and RMO is the only model that
// would not keep it otherwise. Only linearizability is about real time.
// Transactions are a matter of serializability. Models without Rules know no
// annotations of accesses, and pairs as atomic instructions only; POW has no fences that order some pairs of accesses; what program
// order implies anyway is not listed. Of dependencies each knows its kinds (see
// model.Model.View).
func Unused(h *parse.History, m model.Model) []string {
	criterion := slices.Contains([]model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WCCM}, m)
	var list []string
	if criterion && slices.ContainsFunc(h.Final, func(id parse.OpID) bool { return id != parse.NoOp }) {
		list = append(list, "final memory")
	}
	if criterion && slices.ContainsFunc(h.StoreOrder, func(order []parse.OpID) bool { return len(order) > 0 }) {
		list = append(list, "order of writes")
	}
	if criterion && m != model.WCCM && slices.ContainsFunc(h.Ops, func(op parse.Op) bool { return op.Kind == parse.Fence }) {
		list = append(list, "fences")
	}
	if h.Times != nil && !m.RealTime {
		list = append(list, "times")
	}
	if len(h.Transactions) > 0 {
		list = append(list, "transactions")
	}
	if m.PPO != parse.FullFence && !criterion {
		known := m.Known(h)
		marks := func(o parse.Op) bool { return o.Attr&(parse.Acquire|parse.AcquirePC|parse.Release) != 0 }
		if slices.ContainsFunc(h.Ops, marks) && !slices.ContainsFunc(known.Ops, marks) {
			list = append(list, "acquire and release")
		}
		barrier := func(o parse.Op) bool { return o.Attr&parse.ISync != 0 }
		if m.PPO == 0 && (m.Rules == nil || !m.Rules.ISync) && slices.ContainsFunc(h.Ops, barrier) {
			list = append(list, "instruction barriers")
		}
		partial := func(o parse.Op) bool { return o.Mask != 0 && o.Mask != parse.FullFence }
		if slices.ContainsFunc(h.Ops, partial) && !slices.ContainsFunc(known.Ops, partial) {
			list = append(list, "partial fences")
		}
		if (m.Deps || m.Rules != nil) && len(known.Deps) < len(h.Deps) {
			list = append(list, "dependencies of some kinds")
		}
	}
	return list
}
