package witness

import (
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

// Arc says that From precedes To. Both are accesses to memory.
type Arc struct{ From, To parse.OpID }

// Closure is the evidence that a model defined by a fixpoint (CCM, wCCM, wSC,
// wTSO, wPSO) allows a history: what was inferred from it. Any relation that
// contains the edges of the history, is closed under the model's rules and
// has no cycle contains the least one, which therefore has no cycle either.
// CheckClosure says what closed means for each model. What is listed need not
// have been inferred, be inferable or be irredundant.
type Closure struct {
	// Arcs is what the rules of wSC, wTSO and wPSO infer; under CCM and wCCM
	// the read-write edges rw[pww].
	Arcs []Arc
	// Conflicts, under CCM and wCCM, joins writes to one location: cf[hb].
	Conflicts []Arc
	// Local, under CCM and wCCM, is for each thread what hb_o infers, o
	// being the thread's last operation. Nil: nothing for any thread.
	Local [][]Arc
	_     struct{}
}

// CheckClosure checks the evidence that m, one of CCM, wCCM, wSC, wTSO and
// wPSO, allows h. A nil error means that it does. It trusts that h is well
// formed (parse.History.Validate), and nothing about the closure.
//
// Base edges and arcs form a graph in which no cycle may be; u < v says that
// a path of at least one edge leads from u to v, and ≤ is < or =. Initial
// writes precede all other operations.
//
//   - wSC, wTSO, wPSO (Zennou et al. on wSC, Sect. 3, and its kin): base edges
//     are the program order that the model keeps, with fences, the order of
//     a thread's writes to one location, reads-from, History.Final and
//     History.StoreOrder; under wTSO and wPSO reads-from is only that of other
//     threads, and what RMWs read, but an own write also precedes what a later
//     own load returned instead, and no load returns what its own thread
//     writes later. For writes U, W, W' to the location of a read R of W:
//     A: U < R ⇒ U ≤ W;   B: W < W', W' ≠ R ⇒ R < W'.
//   - CCM (Zennou et al., CAV 2019, Sect. 3.2): base edges are program order
//     and reads-from. With those and Local[t] alone, A holds for the reads of
//     thread t. Let < be about those and all of Local, and pww the transitive
//     closure, location by location, of < on writes and Conflicts. Then
//     U < R, U ≠ W ⇒ U pww W, and W pww W', W' ≠ R leads from R to W' in the
//     graph of everything.
//   - wCCM (ibid., Sect. 4.1): the same with TSO's program order and
//     reads-from as in wTSO, where U pww W is required only if W belongs to
//     another thread or R is an RMW. Own writes before what a later own load
//     returned instead are base edges, but not of the < in that condition:
//     they are po-loc, and what its own hb adds to them is that such a write S
//     before an RMW has S pww what the RMW read, if not S itself. (Of po-loc
//     TSO lacks only a store before a load. From there a path leads on by
//     what the load returned, or to the load itself.)
//
// Of the writes of a thread (wPSO: to one location) that precede or follow an
// operation only the last or the first matters, since program order carries
// the rest. So it takes O((n+e)·k) time, for n operations, e arcs and k such
// rows of writes, under CCM and wCCM for each thread with local arcs. wSC, wTSO
// and wPSO are checked in slices of manyRows rows, so that memory does not grow
// with k; the other two keep all.
func CheckClosure(h *parse.History, m model.Model, closure *Closure) error {
	err := errors.New("there is none")
	if closure != nil {
		err = checkClosure(h, m, closure)
	}
	if err != nil {
		return fmt.Errorf("check closure: %w", err)
	}
	return nil
}

func checkClosure(h *parse.History, m model.Model, closure *Closure) error {
	for _, arcs := range append([][]Arc{closure.Arcs, closure.Conflicts}, closure.Local...) {
		for _, a := range arcs {
			for _, id := range [...]parse.OpID{a.From, a.To} {
				if id < 0 || int(id) >= len(h.Ops) || h.Ops[id].Kind == parse.Fence {
					return fmt.Errorf("an arc at %s, which accesses no memory", name(h, id, -1))
				}
			}
		}
	}
	switch m.Name {
	case model.WSC.Name, model.WTSO.Name, model.WPSO.Name:
		return checkSaturated(h, m, closure)
	case model.CCM.Name, model.WCCM.Name:
		return checkConvergent(h, m, closure)
	default:
		return fmt.Errorf("model %s is not defined by a fixpoint", m.Name)
	}
}
