package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// WritePair is a pair of writes to one location of which From precedes To in
// every store order.
type WritePair struct{ From, To parse.OpID }

// KernelReport is about the SC-kernel of a history: the pairs of two different writes to one
// location, initial writes left out, that every store order witnessing its
// sequential consistency orders alike (Zennou et al., the wSC paper, Sect. 4),
// and how many of them the polynomial criteria find.
type KernelReport struct {
	Pairs  int // pairs of writes in the history
	Kernel int // those in the kernel
	CCM    int // those that CCM's pww orders
	WSC    int // those that wSC's st orders
	// Missed lists the pairs of the kernel that wSC misses, in order of From,
	// then To.
	Missed []WritePair
	// Queries counts the calls of the default pipeline that asked whether a
	// pair can be the other way round.
	Queries int
	_       struct{}
}

// ErrNotSC means that a history is not sequentially consistent, so that it has
// no kernel.
var ErrNotSC = errors.New("the history is not sequentially consistent")

// ErrUndecided means that a budget or a deadline left the kernel unknown.
var ErrUndecided = errors.New("undecided")

// Kernel computes the kernel of h. Any other error than ErrNotSC and
// ErrUndecided is a cancelled context or a malformed history.
//
// Pairs that wSC orders are in the kernel. For each other pair the order that
// one witness has is reversed: a new thread reads the second write, then
// the first, which is possible exactly if they can be in that order. Every
// witness found on the way settles all pairs that it orders otherwise. Of the
// options the limits of memory alone count.
func Kernel(ctx context.Context, h *parse.History, opt Options) (KernelReport, error) {
	r := KernelReport{}
	limits := opt.limits()
	if err := limits.Check(kernelBytes(h)); err != nil {
		return r, fmt.Errorf("kernel: %w: %w", ErrUndecided, err)
	}
	first, err := scOrder(ctx, h, limits)
	if err != nil {
		return r, err
	}
	if first == nil {
		return r, fmt.Errorf("kernel: %w", ErrNotSC)
	}
	g, err := saturate.Build(h, model.SC)
	if err != nil {
		return r, fmt.Errorf("kernel: %w", err)
	}
	if ok, err := g.Saturate(ctx); err != nil {
		return r, interrupted(err)
	} else if !ok {
		panic("kernel: saturation refutes what has a witness")
	}
	ccm, err := causal.Ordered(ctx, h, model.CCM)
	if err != nil {
		return r, interrupted(err)
	}
	var open []WritePair // as in the first witness
	for _, writes := range h.Writes(first.Ops) {
		for j, b := range writes {
			for _, a := range writes[:j] {
				r.Pairs++
				if ccm(a, b) {
					r.CCM++
				}
				if g.HB(g.Node(a), g.Node(b)) {
					r.WSC++
				} else {
					open = append(open, WritePair{a, b})
				}
			}
		}
	}
	r.Kernel = r.WSC
	settled := make(map[WritePair]bool, len(open))
	for _, p := range open {
		if settled[p] {
			continue
		}
		r.Queries++
		order, err := scOrder(ctx, reversed(h, p), limits)
		if err != nil {
			return r, err
		}
		if order == nil {
			r.Kernel++
			r.Missed = append(r.Missed, p)
			continue
		}
		place := make([]int, len(h.Ops)+2)
		for i, id := range order.Ops {
			place[id] = i
		}
		for _, q := range open {
			if place[q.From] > place[q.To] {
				settled[q] = true
			}
		}
	}
	slices.SortFunc(r.Missed, func(a, b WritePair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return r, nil
}

// kernelBytes is about the memory that Kernel needs besides that of a search: the
// graphs of SC and of CCM, and the pairs of writes that may be open.
func kernelBytes(h *parse.History) int64 {
	writes := make([]int64, len(h.Locations))
	for i := range h.Ops {
		if o := &h.Ops[i]; o.Writes() {
			writes[o.Loc]++
		}
	}
	const perPair = 8 + 40 // in a list and in a table
	n := saturate.EstimateStaticBytes(h, model.SC) + 4*int64(len(h.Ops)*h.Threads()) + causal.EstimateBytes(h, model.CCM)
	for _, w := range writes {
		n += w * (w - 1) / 2 * perPair
	}
	return n
}

// scOrder returns a witness of SC, or nil if there is none.
func scOrder(ctx context.Context, h *parse.History, limits search.Limits) (*witness.Order, error) {
	v, err := search.Auto.Run(ctx, h, model.SC, limits)
	switch {
	case err != nil:
		return nil, fmt.Errorf("kernel: %w", err)
	case v.Answer == Unknown:
		return nil, fmt.Errorf("kernel: %w: %s", ErrUndecided, v.Reason)
	}
	return v.Order, nil
}

func interrupted(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("kernel: %w: time budget exhausted", ErrUndecided)
	}
	return fmt.Errorf("kernel: %w", err)
}

// reversed is h with one more thread, which reads p.To and then p.From.
func reversed(h *parse.History, p WritePair) *parse.History {
	out := *h
	out.Ops = slices.Clone(h.Ops)
	for _, w := range []parse.OpID{p.To, p.From} {
		out.Ops = append(out.Ops, parse.Op{Kind: parse.Read, Loc: h.Ops[w].Loc, RF: w, Read: h.Ops[w].Write})
	}
	out.Start = append(slices.Clone(h.Start), parse.OpID(len(out.Ops)))
	out.ThreadNames = append(slices.Clone(h.ThreadNames), "observer")
	return &out
}
