package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
)

// Witness is a minimal history that a model forbids, with the operations of the
// program that it consists of.
type Witness struct {
	Model      model.Model
	Operations []Operation // in the order of their threads, then the program's
	// Finals are the final values that the refutation rests on.
	Finals []Final
	_      struct{}
}

// Operation is an operation of a witness.
type Operation struct {
	Letter string // as in the explanation of the refutation
	Thread gen.ThreadID
	// Round and Index are its place in the program, Number is that among the
	// operations of its thread, round after round.
	Round, Index, Number int
	Loc                  gen.LocID // -1 for a fence
	Reads, Writes        bool
	Read, Written        gen.Value
	// Text is the operation with its values, Source the line of the program.
	Text, Source string
}

// Place is the operation's place in the program and its execution.
func (o *Operation) Place() string {
	return fmt.Sprintf("thread %d, operation %d (%s), round %d", o.Thread, o.Index, o.Source, o.Round)
}

// ErrNone means that a run has no refutation to find the cause of.
var ErrNone = errors.New("no model forbids the history of the run")

// Minimize finds a witness in the history h of a run of p that m forbids, as v
// proves, and makes its refutation that of v. Options bound the check of each part
// of the history. Where none is found within them, the refutation of v stays.
func Minimize(ctx context.Context, p *gen.Program, h *parse.History, m model.Model, v *check.Verdict, o check.Options) (*Witness, error) {
	if v.Answer != check.Forbidden || v.Refutation == nil {
		return nil, ErrNone
	}
	switch least, err := minimal.Refuted(ctx, h, m, v.Refutation, o); {
	case err == nil:
		v.Refutation = least.Refutation
	case ctx.Err() != nil || !errors.Is(err, minimal.ErrNot):
		return nil, fmt.Errorf("minimize the history: %w", err)
	}
	return NewWitness(p, h, m, v.Refutation), nil
}

// NewWitness is the witness that a refutation of h, the history of a run of p, shows:
// with the letters that witness.Explain and picture.Draw give it.
func NewWitness(p *gen.Program, h *parse.History, m model.Model, refutation *witness.Refutation) *Witness {
	w := &Witness{Model: m}
	origins, events, view := parse.NewOrigins(p, h), m.Events(h), m.View(h)
	for _, id := range witness.Shown(view, refutation) {
		w.add(p, view, &view.Ops[id], origins.Of(events.Op(id)))
	}
	for e := range refutation.Edges() {
		if e.Rule != witness.FinalWrite || e.From < 0 {
			continue
		}
		final := Final{Loc: locationOf(p, view, &view.Ops[e.From])}
		if e.To >= 0 {
			final.Value = view.Ops[e.To].Write
		}
		if !slices.Contains(w.Finals, final) {
			w.Finals = append(w.Finals, final)
		}
	}
	return w
}

// WitnessOfValue is the witness that a value of a log shows which keeps it from being a history: the
// operations that the fault is about, and before two sums that are equal the two updates on the way to
// them that read one value, of which one is lost.
func WitnessOfValue(p *gen.Program, v *parse.ValueError) *Witness {
	w, list := new(Witness), []parse.OpID{v.Fault.Op, v.Fault.Other}
	if v.Fault.Kind == parse.LostUpdate {
		list = append(fork(v.History, v.Fault.Op, v.Fault.Other), list...)
	}
	for i, id := range list {
		if id >= 0 && !slices.Contains(list[:i], id) {
			w.add(p, v.History, &v.History.Ops[id], v.Origins.Of(id))
		}
	}
	return w
}

// fork follows what two updates read back to two updates that read one value; none if they do not meet.
func fork(h *parse.History, one, two parse.OpID) []parse.OpID {
	writers := map[gen.Value]parse.OpID{}
	for id := range h.Ops {
		if op := &h.Ops[id]; op.Writes() && op.Loc == h.Ops[one].Loc {
			writers[op.Write] = parse.OpID(id)
		}
	}
	back := func(id parse.OpID) (list []parse.OpID) {
		for known := true; known && h.Ops[id].Kind == parse.RMW && !slices.Contains(list, id); id, known = writers[h.Ops[id].Read] {
			list = append(list, id)
		}
		return list
	}
	first := map[gen.Value]parse.OpID{}
	for _, id := range back(one) {
		first[h.Ops[id].Read] = id
	}
	for _, id := range back(two) {
		if other, ok := first[h.Ops[id].Read]; ok && other != id {
			return []parse.OpID{other, id}
		}
	}
	return nil
}

// add adds an operation of a history, which is the one at a place of the program.
func (w *Witness) add(p *gen.Program, h *parse.History, op *parse.Op, at parse.Origin) {
	w.Operations = append(w.Operations, Operation{
		Letter: witness.Letters(len(w.Operations)), Thread: at.Thread, Round: at.Round, Index: at.Index,
		Number: at.Round*len(p.Threads[at.Thread]) + at.Index,
		Loc:    locationOf(p, h, op), Reads: op.Reads(), Writes: op.Writes(), Read: op.Read, Written: op.Write,
		Text: textOf(h, op), Source: p.OpText(p.Threads[at.Thread][at.Index]),
	})
}

// locationOf is the location of an operation in the program.
func locationOf(p *gen.Program, h *parse.History, op *parse.Op) gen.LocID {
	if op.Loc >= 0 {
		for l, name := range p.Locations {
			if name == h.Locations[op.Loc] {
				return gen.LocID(l)
			}
		}
	}
	return -1
}

func textOf(h *parse.History, op *parse.Op) string {
	if op.Loc < 0 {
		return "fence"
	}
	return operationText(h.Locations[op.Loc], op.Reads(), op.Writes(), op.Read, op.Write)
}

// operationText is an access with its values, as the explanation of a refutation
// has it.
func operationText(location string, reads, writes bool, read, written gen.Value) string {
	load, store := fmt.Sprintf("M[%s] == %d", location, read), fmt.Sprintf("M[%s] := %d", location, written)
	switch {
	case reads && writes:
		return "{ " + load + "; " + store + " }"
	case writes:
		return store
	}
	return load
}

// Locations are those that the witness accesses, each once.
func (w *Witness) Locations() []gen.LocID {
	var list []gen.LocID
	seen := map[gen.LocID]bool{-1: true}
	for _, op := range w.Operations {
		if !seen[op.Loc] {
			seen[op.Loc] = true
			list = append(list, op.Loc)
		}
	}
	return list
}

// Rounds are the first and the last round of its operations.
func (w *Witness) Rounds() (first, last int) {
	for i, op := range w.Operations {
		if i == 0 || op.Round < first {
			first = op.Round
		}
		last = max(last, op.Round)
	}
	return first, last
}
