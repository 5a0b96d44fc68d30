// Package causal decides the polynomial criteria between causal consistency
// and SC or TSO: CC, CCv and CM (Bouajjani et al., POPL 2017), CCM and wCCM
// (Zennou et al., CAV 2019). wSC, wTSO and wPSO are the closure of package
// saturate and are decided there.
//
// # Definitions
//
// With co = (po ∪ wr)⁺ and the initial writes before everything:
//
//	CC    co is acyclic, and no read R has a write U to its location with
//	      rf(R) co U co R
//	CCv   CC, and po ∪ wr ∪ cf is acyclic, where U cf rf(R) if U co R
//	CM    CC, and for every operation o the relation hb_o is acyclic
//	CCM   po ∪ wr ∪ pww ∪ rw[pww] is acyclic
//	wCCM  the same with TSO's ppo, and with po-loc, for po
//
// CAV 2019 writes CC as "po ∪ wr ∪ rw[co] acyclic". Read literally, with its
// explicit initial writes, that forbids store buffering and the paper's own
// Fig. 1c, of which the text says that CC, CCv and CM allow it: the cycle
// goes through two rw edges. The bad patterns of POPL 2017 mean one, and so
// does this package. CCM, though, is taken literally: its definition forbids
// IRIW by two rw edges, although the text says that CCM allows Fig. 3. The
// lemmas of the paper (CCM follows from SC and implies CC, CCv and CM), and
// the procedures for SC that rest on CCM, are about the literal definition.
//
// Fences play no part but in wCCM, whose ppo includes what they order. An RMW
// is one operation, both read and write. History.Final and StoreOrder are
// ignored: the criteria are about program order and reads-from.
//
// # Evidence
//
// Forbidden carries a refutation whose lemmas have the shape of the
// criterion (witness.Verify). Allowed carries, for CC and CCv, an order of all
// operations that respects causality, in which, for CCv, each read returns the
// last of the writes that causally precede it (an arbitration order); for CM
// one serialization for each thread, one after the other: see
// witness.ReplayCausal. For CCM and wCCM, which are defined by a fixpoint and
// not by executions, it carries what was inferred: see witness.CheckClosure.
package causal

import (
	"context"
	"fmt"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Decide decides whether causal model m allows h and completes the verdict: in
// O(nk) for CC and CCv, n operations of k threads, and in O(nk²) plus the repair
// of clocks for the others. An error is that of ctx.
func Decide(ctx context.Context, h *parse.History, m model.Model, v *witness.Verdict) error {
	g := newGraph(newFrame(h, m == model.WCCM))
	var err error
	switch m {
	case model.CC:
		v.Order, v.Refutation, err = g.causal(ctx)
	case model.CCv:
		v.Order, v.Refutation, err = g.convergence(ctx)
	case model.CM:
		v.Order, v.Refutation, err = g.memory(ctx)
	case model.CCM, model.WCCM:
		var p *partial
		p, v.Refutation, err = g.convergent(ctx)
		if p != nil {
			v.Closure = g.closure(p)
		}
	default:
		return fmt.Errorf("%s is no causal criterion", m.Name)
	}
	if err != nil {
		return err
	}
	v.Answer = witness.Allowed
	if v.Refutation != nil {
		v.Answer = witness.Forbidden
	}
	v.Stats.Derived = len(g.edges)
	return nil
}

// EstimateBytes is about the memory that Decide needs: rows, twice for CCM and
// three times for wCCM, edges and tables.
func EstimateBytes(h *parse.History, m model.Model) int64 {
	n, k := int64(len(h.Ops)), int64(h.Threads())
	if m == model.WCCM {
		return n * (3*2*4*k + 300)
	}
	return n * (2*4*k + 300)
}

// causal decides CC.
func (g *graph) causal(ctx context.Context) (*witness.Order, *witness.Refutation, error) {
	order, ref, err := g.sort(ctx, true, kindCausal)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	for i := range g.h.Ops {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		r, op := parse.OpID(i), &g.h.Ops[i]
		if !op.Reads() {
			continue
		}
		// The last write of a chain before R is enough: it follows rf(R) if
		// an earlier one does.
		lanes := g.lanes[op.Loc]
		for j := range lanes {
			u := g.lastBefore(&lanes[j], r, g.row(r))
			if u == parse.NoOp || u == op.RF || op.RF != parse.Init && !g.before(op.RF, u) {
				continue
			}
			e := derived{from: r, to: u, via: op.RF, thread: otherThread, rule: witness.DerivedB}
			if op.RF == parse.Init {
				e.via, e.rule = parse.NoOp, witness.FromRead
			}
			g.edges = append(g.edges, e)
			p := g.proof(kindCausal)
			return nil, p.refute(append(p.path(u, r, none), hop{r, u, e.rule, int32(len(g.edges)) - 1})), nil
		}
	}
	return &witness.Order{Ops: order}, nil, nil
}

// convergence decides CCv.
func (g *graph) convergence(ctx context.Context) (*witness.Order, *witness.Refutation, error) {
	if _, ref, err := g.causal(ctx); ref != nil || err != nil {
		return nil, ref, err
	}
	for i := range g.h.Ops {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		r, op := parse.OpID(i), &g.h.Ops[i]
		if !op.Reads() || op.RF == parse.Init {
			continue // nothing precedes a read of the initial write, by CC
		}
		lanes := g.lanes[op.Loc]
		for j := range lanes {
			u := g.lastBefore(&lanes[j], r, g.row(r))
			if u != parse.NoOp && u != op.RF && !g.before(u, op.RF) {
				g.add(derived{from: u, to: op.RF, via: r, thread: conflictThread, rule: witness.DerivedA})
			}
		}
	}
	order, ref, err := g.sort(ctx, false, kindCausal)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	return &witness.Order{Ops: order}, nil, nil
}

// memory decides CM.
func (g *graph) memory(ctx context.Context) (*witness.Order, *witness.Refutation, error) {
	if _, ref, err := g.causal(ctx); ref != nil || err != nil {
		return nil, ref, err
	}
	order := &witness.Order{}
	for t := range g.h.Threads() {
		more, ref, err := g.local(ctx, t, true)
		if ref != nil || err != nil {
			return nil, ref, err
		}
		order.Ops = append(order.Ops, more...)
	}
	return order, nil, nil
}
