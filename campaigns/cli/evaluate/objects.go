package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ordeal/check"
	"ordeal/check/linear"
	"ordeal/check/model"
	"ordeal/check/witness/certificate"
	"ordeal/parse/objects"
)

// linearized is the answer about a history in which values repeat.
type linearized struct {
	model   model.Model
	verdict *linear.Verdict
	history *objects.History
}

// checkObjects answers linearizability or sc of a history in which values repeat, or says why
// there is no answer.
func (c *evaluate) checkObjects(ctx context.Context, t *Trace, r *result, m model.Model) (check.Verdict, error) {
	v := check.Verdict{Model: m.Name, Procedure: "linear"}
	if c.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
	}
	memory := c.options.MemoryBytes
	if memory == 0 {
		memory = c.options.AvailableBytes / 2 // the collector keeps as much again
	}
	start := time.Now()
	decide := linear.Check
	if m == model.SC {
		decide = linear.Sequential
	}
	answer, err := decide(ctx, t.Objects, memory)
	v.Stats.Search = time.Since(start)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		v.Reason = "time budget exhausted"
		return v, nil
	case errors.Is(err, linear.ErrMemory):
		v.Reason = err.Error()
		return v, nil
	case err != nil:
		return v, err
	}
	v.Answer = check.Forbidden
	if answer.Allowed {
		v.Answer = check.Allowed
	}
	v.Stats.Ops = len(t.Objects.Ops)
	if r.linear == nil {
		r.linear = map[string]*linearized{}
	}
	r.linear[m.Name] = &linearized{m, answer, t.Objects}
	return v, nil
}

// explain says why a history is not linearizable.
func (l *linearized) explain(b *bytes.Buffer) {
	h, v := l.history, l.verdict
	if l.model == model.SC {
		fmt.Fprintf(b, "no order of all %d operations keeps that of each client: of the %d ways to begin that lead on, none leads to the end\n", len(h.Ops), v.Configurations)
		return
	}
	last := &h.Ops[v.Last]
	key := h.Keys[last.Key]
	if last.Kind == objects.Txn {
		key = "the transactions"
	}
	fmt.Fprintf(b, "%s: all before the return of this operation is linearizable, and with it no longer:\n  line %d  %s\n", key, last.Line, h.Text(last))
	from := "whatever the value before"
	if v.Begins {
		from = "from the beginning"
	}
	fmt.Fprintf(b, "%s, these have no order (* may have taken effect before or after, or not at all):\n", from)
	for _, id := range v.Window {
		mark := ' '
		if slices.Contains(v.Optional, id) {
			mark = '*'
		}
		fmt.Fprintf(b, "%c line %d  %s\n", mark, h.Ops[id].Line, h.Text(&h.Ops[id]))
	}
	const most = 5
	tail := v.Order[max(0, len(v.Order)-most):]
	fmt.Fprintf(b, "an order of the %d operations before ends with:\n", len(v.Order))
	for _, id := range tail {
		fmt.Fprintf(b, "  line %d  %s\n", h.Ops[id].Line, h.Text(&h.Ops[id]))
	}
}

// Linearization is the evidence about a history in which values repeat, each operation
// given by the line of its call: an order of all operations, key by key; or where there is
// none, that of the longest prefix of a key, the operation with whose return it ends, and
// the shortest stretch of time that has no order whatever the value at its beginning: the
// call of From, which Begins says to be the first of its object, to the return of Last.
type Linearization struct {
	Order    []int `json:"order"`
	Last     int   `json:"last,omitempty"`
	From     int   `json:"from,omitempty"`
	Begins   bool  `json:"begins,omitempty"`
	Window   []int `json:"window,omitempty"`
	Optional []int `json:"optional,omitempty"`
}

func (l *linearized) json() *Linearization {
	if l == nil {
		return nil
	}
	lines := func(ids ...int32) []int {
		list := make([]int, len(ids))
		for i, id := range ids {
			list[i] = l.history.Ops[id].Line
		}
		return list
	}
	v := l.verdict
	out := &Linearization{Order: lines(v.Order...)}
	if !v.Allowed && l.model != model.SC {
		out.Last, out.From, out.Begins = lines(v.Last)[0], lines(v.From)[0], v.Begins
		out.Window, out.Optional = lines(v.Window...), lines(v.Optional...)
	}
	return out
}

// verify checks the evidence of a verdict about a history in which values repeat.
func (l *Linearization) verify(verdict certificate.Verdict, h *objects.History) certificate.Result {
	r := certificate.Result{Model: verdict.Model, Answer: verdict.Answer}
	switch allowed := check.Allowed.String(); {
	case verdict.Answer == check.Unknown.String():
		r.Open = "no answer"
		return r
	case l == nil:
		r.Open = "no evidence"
		return r
	case verdict.Model == model.Linearizable.Name && (l.Last == 0) != (verdict.Answer == allowed):
		r.Err = fmt.Errorf("the evidence is of another answer than %s", verdict.Answer)
		return r
	}
	at := make(map[int]int32, len(h.Ops))
	for i := range h.Ops {
		at[h.Ops[i].Line] = int32(i)
	}
	if len(at) < len(h.Ops) {
		r.Open = "several operations in one line"
		return r
	}
	ids := func(lines ...int) (list []int32) {
		for _, line := range lines {
			id, ok := at[line]
			if !ok && r.Err == nil {
				r.Err = fmt.Errorf("line %d has no operation", line)
			}
			list = append(list, id)
		}
		return list
	}
	v := linear.Verdict{Allowed: verdict.Answer == check.Allowed.String(), Order: ids(l.Order...), Begins: l.Begins}
	isSC := verdict.Model == model.SC.Name
	if !v.Allowed && !isSC {
		v.Last, v.From = ids(l.Last)[0], ids(l.From)[0]
		v.Window, v.Optional = ids(l.Window...), ids(l.Optional...)
	}
	if r.Err != nil {
		return r
	}
	confirm := v.Verify
	if isSC {
		confirm = v.VerifySequential
	}
	switch err := confirm(h); {
	case errors.Is(err, linear.ErrLarge):
		r.Open = err.Error()
	case err != nil:
		r.Err = err
	default:
		r.Proved = true
	}
	return r
}
