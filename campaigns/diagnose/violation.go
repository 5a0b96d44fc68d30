package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// Observer is a simulator that can repeat a run with its transitions and
// accesses observed, as the embedded one.
type Observer interface {
	Observe(ctx context.Context, job sim.Job, steps func(ruby.Step), accesses func(core.Access)) (sim.Result, error)
	// Repeats reports whether cores repeat a load that performed early when they
	// lose its line.
	Repeats() bool
}

// Violation is the failure of a run whose history the model forbids: v has the refutation, in
// whose place it puts the minimal one that it describes. The
// observer is nil, or repeats job, which is the run. Options bound the check of
// each history of the reduction.
func Violation(
	ctx context.Context, h *parse.History, m model.Model, v *check.Verdict, o check.Options, observer Observer, job sim.Job,
) (sim.Failure, error) {
	least, err := minimal.Refuted(ctx, h, m, v.Refutation, o)
	if err != nil {
		return sim.Failure{}, fmt.Errorf("title of a violation: %w", err)
	}
	v.Refutation = least.Refutation
	found := sim.Failure{Kind: sim.KindForbidden, Model: m.Name, Shape: Shape(least.History)}
	if observer == nil {
		return found, nil
	}
	r := newRecord(job.Program, least.History)
	origins := parse.NewOrigins(job.Program, h)
	for _, id := range least.Ops {
		o := origins.Of(id)
		r.numbers = append(r.numbers, uint32(o.Round*len(job.Program.Threads[o.Thread])+o.Index))
	}
	r.repeats = observer.Repeats()
	if _, err := observer.Observe(ctx, job, r.step, r.access); err != nil {
		return sim.Failure{}, fmt.Errorf("title of a violation: %w", err)
	}
	if r.full() {
		return found, nil
	}
	if place := cmp.Or(r.torn(least.History), r.stale(least.History), r.early(least.History, m.Events(least.History), least.Verdict.Refutation)); place.Kind != "" {
		place.Model, place.Shape = found.Model, found.Shape
		return place, nil
	}
	return found, nil
}

// LostUpdate is the failure of a run of which no history can be made, since
// two updates read one value: the first read of an older value; zero where that is
// not known.
func LostUpdate(ctx context.Context, observer Observer, job sim.Job) (sim.Failure, error) {
	if observer == nil {
		return sim.Failure{}, nil
	}
	r := newRecord(job.Program, nil)
	if _, err := observer.Observe(ctx, job, r.step, r.access); err != nil {
		return sim.Failure{}, fmt.Errorf("title of a lost update: %w", err)
	}
	if r.full() {
		return sim.Failure{}, nil
	}
	return r.stale(nil), nil
}

// Shape is the program order that the cycle of a minimal history takes: the last
// two accesses of each thread that has two, R or W, an atomic being a W, with an
// s where both are of one location, each pair once and in lexical order. The
// edges between threads follow from the accesses that they connect. "RR|WW" is
// message passing, "WR" store buffering, "RRs" a thread that reads a newer value
// before an older one. What stands before them in a thread is a store that was
// forwarded, or how a value came there. It is "coherence" where no thread has two.
func Shape(h *parse.History) string {
	var pairs []string
	for t := range h.Threads() {
		var last, before *parse.Op
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if op := &h.Ops[id]; op.Kind != parse.Fence {
				last, before = op, last
			}
		}
		if before == nil {
			continue
		}
		pair := letter(before) + letter(last)
		if before.Loc == last.Loc {
			pair += "s"
		}
		pairs = append(pairs, pair)
	}
	slices.Sort(pairs)
	return cmp.Or(strings.Join(slices.Compact(pairs), "|"), "coherence")
}

func letter(op *parse.Op) string {
	if op.Kind == parse.Read {
		return "R"
	}
	return "W"
}

// early is the place where a read that performed too early lost its line:
// between that and a read of its thread that is before it in program order.
// Reads that the cycle finds out of date come first. Where nothing else is found, a
// read lost its line before the next write.
func (r *record) early(h *parse.History, events model.Events, refutation *witness.Refutation) sim.Failure {
	var reads []parse.OpID
	for e := range refutation.Edges() {
		if e.Rule == witness.FromRead || e.Rule == witness.DerivedB {
			reads = append(reads, events.Op(e.From))
		}
	}
	for id := range h.Ops {
		reads = append(reads, parse.OpID(id))
	}
	for _, id := range reads {
		overtaken := -1
		for before := h.Start[h.Thread(max(id, 0))]; before < id; before++ {
			if h.Ops[before].Reads() { // stores perform later anyway
				overtaken = max(overtaken, r.last(h, before))
			}
		}
		if place := r.outdated(r.performed(h, id), overtaken); place.Kind != "" {
			return place
		}
	}
	inverted, perhaps := r.inverted(h)
	if inverted.Kind != "" {
		return inverted
	}
	for _, id := range reads {
		read := r.performed(h, id)
		if place := r.outdated(read, r.nextWrite(read)); place.Kind != "" {
			return place
		}
	}
	return perhaps
}

// inverted names two accesses of a thread that performed against program order,
// and two that perhaps did; empty if there are none. Loads may perform before
// earlier stores. A load that was forwarded has its value before the store
// performs; what is after it may have been early.
func (r *record) inverted(h *parse.History) (inverted, perhaps sim.Failure) {
	kinds := map[parse.Kind]string{parse.Read: "load", parse.Write: "store", parse.RMW: "atomic"}
	for id := range h.Ops {
		late := parse.OpID(id)
		for early := h.Start[h.Thread(late)]; early < late; early++ {
			a, b := h.Ops[early].Kind, h.Ops[late].Kind
			first, second := r.last(h, early), r.performed(h, late)
			text := sim.Failure{Kind: fmt.Sprintf("%s performed before an earlier %s", kinds[b], kinds[a])}
			switch {
			case second < 0 || a == parse.Write && b == parse.Read:
			case second < first:
				return text, sim.Failure{}
			case first < 0 && a == parse.Read:
				perhaps = text
			}
		}
	}
	return sim.Failure{}, perhaps
}

// performed is last, for a load that was forwarded that of its store: it has its
// value before, at the latest.
func (r *record) performed(h *parse.History, id parse.OpID) int {
	at := r.last(h, id)
	if rf := h.Ops[max(id, 0)].RF; at < 0 && id >= 0 && rf >= 0 && h.Thread(rf) == h.Thread(id) {
		return r.last(h, rf)
	}
	return at
}

// last is the number of the access by which an operation performed at last; -1
// for one that did not, as a load that was forwarded.
func (r *record) last(h *parse.History, id parse.OpID) int {
	if id < 0 {
		return -1
	}
	for i := len(r.accesses) - 1; i >= 0; i-- {
		if a := &r.accesses[i]; int(a.Thread) == h.Thread(id) && a.Number == r.numbers[id] {
			return i
		}
	}
	return -1
}
