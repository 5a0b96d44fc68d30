package reduction

import (
	"bytes"
	"context"
	"errors"
	"io"

	"ordeal/check"
	"ordeal/check/model"
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

// maxLogs bounds the logs that are checked instead, where the model has no machine.
const maxLogs = 1 << 10

// litmus writes the program as a litmus test. Its condition is the outcome that
// the refutation forbids: the values of the reads, and of the final memory where
// the reads alone do not suffice. Where the model's outcomes can be enumerated,
// none of them satisfies the condition. A refutation that depends on a known
// order of more than two stores has no condition, and the test then has none.
func (r *Result) litmus(ctx context.Context, w io.Writer) error {
	if r.Spec.Config.Rounds > 1 {
		return errNone // a litmus test is one round
	}
	for _, final := range []bool{false, true} {
		condition := r.condition(final)
		if condition == nil {
			break
		}
		var text bytes.Buffer
		if err := litmus.Emit(&text, litmus.TestName("reduced", r.Program), r.Program, condition); err != nil {
			break
		}
		forbidden, err := r.forbids(ctx, text.Bytes())
		if err != nil {
			return err
		}
		if forbidden {
			_, err = w.Write(text.Bytes())
			return err
		}
	}
	var text bytes.Buffer
	if err := litmus.Emit(&text, litmus.TestName("reduced", r.Program), r.Program, nil); err != nil {
		return errNone // sums do not fit a litmus test
	}
	_, err := w.Write(text.Bytes())
	return err
}

// condition has the values of the reads of the refutation, and with final those
// of the final memory; nil where a litmus test cannot express it.
func (r *Result) condition(final bool) *litmus.Condition {
	v, m := r.forbidden()
	if v == nil {
		return nil
	}
	h := r.Run.History
	small, _, kept := witness.Restrict(m.View(h), v.Refutation)
	origins := parse.NewOrigins(r.Program, h)
	c := &litmus.Condition{Reads: map[litmus.Read]gen.Value{}, Final: map[gen.LocID]gen.Value{}}
	for _, id := range m.Events(h).Ops(kept) {
		if op := &h.Ops[id]; op.Reads() {
			o := origins.Of(id)
			ops, read := r.Program.Threads[o.Thread], litmus.Read{Thread: o.Thread, Index: readIndex(r.Program, o)}
			switch ops[o.Index].Kind {
			case gen.FetchAdd:
				return nil // its read has no name there, or other values
			case gen.StoreConditional: // it has written behind what its load-linked read
				c.Reads[read] = 0
				o.Index = gen.Linked(ops, o.Index)
				read.Index = readIndex(r.Program, o)
			}
			c.Reads[read] = op.Read
		}
	}
	for loc, id := range small.Final {
		switch {
		case id == parse.NoOp, !final:
		case id == parse.Init:
			c.Final[gen.LocID(loc)] = 0
		default:
			c.Final[gen.LocID(loc)] = small.Ops[id].Write
		}
	}
	return c
}

// readIndex is the index of a read in its thread's log.
func readIndex(p *gen.Program, o parse.Origin) int {
	n := 0
	for _, op := range p.Threads[o.Thread][:o.Index] {
		if op.Kind.Reads() {
			n++
		}
	}
	return n
}

// outcomes are those that the model allows a program: by its machine, or by checking
// what the program could have logged; outcomes.ErrLimit where there is no machine
// or too much to check.
func (r *Result) outcomes(ctx context.Context, p *gen.Program) ([]outcomes.Outcome, error) {
	if machine, err := outcomes.Parse(r.Identity.Model); err == nil {
		if list, err := outcomes.Enumerate(p, machine, maxStates); !errors.Is(err, outcomes.ErrProgram) {
			return list, err
		}
	}
	m, ok := model.ByName(r.Identity.Model)
	if !ok || m.Rules == nil {
		return nil, outcomes.ErrLimit
	}
	return outcomes.Candidates(p, maxLogs, func(h *parse.History) (bool, error) {
		v, err := check.Check(ctx, h, m, check.Options{})
		return v.Answer == check.Allowed, err
	})
}

// forbids reports whether the condition of the test holds in no outcome of the
// model, as far as its outcomes can be enumerated.
func (r *Result) forbids(ctx context.Context, text []byte) (bool, error) {
	test, err := reader.Parse("program.litmus", text)
	if err != nil || test.Runs() != nil {
		return false, nil // additions are written, and read back as what depends on what they return
	}
	list, err := r.outcomes(ctx, test.Program)
	if errors.Is(err, outcomes.ErrLimit) {
		return true, nil
	}
	for _, o := range list {
		if test.State(o.Reads, o.Final).Holds() {
			return false, nil
		}
	}
	return true, err
}
