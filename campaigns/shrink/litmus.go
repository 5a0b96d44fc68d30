package shrink

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"ordeal/check/outcomes"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/gen/emit/litmus"
	"ordeal/parse"
	reader "ordeal/parse/formats/litmus"
)

// maxStates bounds the enumeration that a litmus test's condition is checked
// by.
const maxStates = 1 << 20

// litmus writes the program as a litmus test that asks whether the values that
// the refutation is about exist. They are checked to be none of the outcomes
// of the model, by enumeration, as far as the model and the program's size
// permit that.
func (r *Result) litmus(w io.Writer) error {
	if r.Record.Config.Rounds > 1 {
		return errNone // a litmus test is one round
	}
	condition, err := r.condition()
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	var text bytes.Buffer
	if err := litmus.Emit(&text, "reduced", r.Program, condition); err != nil {
		return errNone // sums do not fit a litmus test
	}
	if condition != nil {
		if err := r.checkLitmus(text.Bytes()); err != nil {
			return err
		}
	}
	_, err = w.Write(text.Bytes())
	return err
}

// condition is what the reads and final values of the refutation were.
func (r *Result) condition() (*litmus.Condition, error) {
	for i := range r.Case.Verdicts {
		v := &r.Case.Verdicts[i]
		if v.Model != r.Identity.Model || v.Refutation == nil {
			continue
		}
		h := r.Case.History
		small, refutation, kept := witness.Restrict(h, v.Refutation)
		origins := parse.NewOrigins(r.Program, h)
		c := &litmus.Condition{Reads: map[litmus.Read]gen.Value{}, Final: map[gen.LocID]gen.Value{}}
		for _, id := range kept {
			if op := &h.Ops[id]; op.Reads() {
				o := origins.Of(id)
				if r.Program.Threads[o.Thread][o.Index].Kind == gen.FetchAdd {
					return nil, errNone // its read has no name there
				}
				c.Reads[litmus.Read{Thread: o.Thread, Index: readIndex(r.Program, o)}] = op.Read
			}
		}
		for loc, id := range small.Final {
			switch {
			case id == parse.NoOp, !needsFinal(refutation):
			case id == parse.Init:
				c.Final[gen.LocID(loc)] = 0
			default:
				c.Final[gen.LocID(loc)] = small.Ops[id].Write
			}
		}
		return c, nil
	}
	return nil, errNone
}

// needsFinal tells whether a refutation rests on final values.
func needsFinal(r *witness.Refutation) bool {
	final := func(e witness.Edge) bool { return e.Rule == witness.FinalWrite }
	for _, l := range r.Lemmas {
		if slices.ContainsFunc(l.Premise, final) {
			return true
		}
	}
	var below func(n *witness.Node) bool
	below = func(n *witness.Node) bool {
		if n == nil {
			return false
		}
		return slices.ContainsFunc(n.Cycle, final) || below(n.First) || below(n.Second)
	}
	return below(r.Root)
}

// readIndex is the place of a read in its thread's log.
func readIndex(p *gen.Program, o parse.Origin) int {
	n := 0
	for _, op := range p.Threads[o.Thread][:o.Index] {
		if op.Kind.Reads() {
			n++
		}
	}
	return n
}

// checkLitmus enumerates what the model allows of a litmus test, and wants the
// condition never to hold.
func (r *Result) checkLitmus(text []byte) error {
	machine, err := outcomes.Parse(r.Identity.Model)
	if err != nil {
		return nil // no machine enumerates that model
	}
	test, err := reader.Parse("program.litmus", text)
	if err != nil {
		return nil // additions are written, but not read back
	}
	list, err := outcomes.Enumerate(test.Program, machine, maxStates)
	if errors.Is(err, outcomes.ErrLimit) {
		return nil
	}
	for _, o := range list {
		if s := test.State(o.Reads, o.Final); s.Holds() {
			return fmt.Errorf("the enumeration of %s reaches %s, which the refutation forbids:\n%s", r.Identity.Model, s, text)
		}
	}
	return err
}
