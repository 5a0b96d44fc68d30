package certificate

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Result is what a certificate proves of one model.
type Result struct {
	Model, Answer string
	// Proved says that the checkers accepted the evidence of the answer.
	Proved bool
	// Open says why there is nothing to check: the answer is unknown, or the
	// certificate has no evidence for it and says so.
	Open string
	// Err says why the evidence is refused.
	Err error
	_   struct{}
}

// Verify checks the evidence of every verdict against h by the checkers of
// package witness: nothing that the certificate says is taken for granted. An
// error means that it belongs to another history. It takes time linear in
// the history and the certificate, times the number of rows for a closure
// (witness.CheckClosure).
func (t *Trace) Verify(h *parse.History) ([]Result, error) {
	if err := t.belongs(h); err != nil {
		return nil, err
	}
	results := make([]Result, len(t.Verdicts))
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		results[i] = Result{Model: v.Model, Answer: v.Answer}
		r := &results[i]
		m, answer, err := v.claim()
		if err != nil {
			r.Err = err
			continue
		}
		if r.Open = v.open(); r.Open == "" {
			r.Err = t.check(h, m, answer, v)
			r.Proved = r.Err == nil
		}
	}
	return results, nil
}

// belongs says why a certificate belongs to another history.
func (t *Trace) belongs(h *parse.History) error {
	if t.History == "" {
		return errors.New("the certificate names no history")
	}
	if len(t.ThreadNames) != h.Threads() || t.Threads != h.Threads() || t.Operations != len(h.Ops) {
		return fmt.Errorf("the certificate belongs to another history, of %d operations in %d threads, not %d in %d",
			t.Operations, t.Threads, len(h.Ops), h.Threads())
	}
	if d := Digest(h); d != t.History {
		return fmt.Errorf("the certificate belongs to another history, with digest %.12s…, not %.12s…", t.History, d)
	}
	return nil
}

// claim is what a verdict says of which model.
func (v *Verdict) claim() (m model.Model, answer witness.Answer, err error) {
	m, ok := model.ByName(v.Model)
	if !ok {
		return m, answer, fmt.Errorf("model %q is unknown", v.Model)
	}
	for _, answer := range []witness.Answer{witness.Unknown, witness.Allowed, witness.Forbidden} {
		if v.Answer == answer.String() {
			return m, answer, nil
		}
	}
	return m, answer, fmt.Errorf("answer %q is none of allowed, forbidden, unknown", v.Answer)
}

// open says why a verdict claims no proof, or nothing.
func (v *Verdict) open() string {
	switch {
	case v.Answer == witness.Unknown.String():
		return "no answer"
	case v.Answer == witness.Forbidden.String() && v.Unproved != "":
		return "proof incomplete: " + v.Unproved
	case v.Inclusion != nil && !v.Inclusion.Checked:
		return "no evidence: it follows from " + v.Inclusion.From + " by the table of models only"
	default:
		return ""
	}
}

// check checks the evidence of a verdict: its own, or that of the one it names.
func (t *Trace) check(h *parse.History, m model.Model, answer witness.Answer, v *Verdict) error {
	evidence := v
	if v.Inclusion != nil && !v.hasEvidence() {
		i := slices.IndexFunc(t.Verdicts, func(o Verdict) bool { return o.Model == v.Inclusion.From })
		if i < 0 {
			return fmt.Errorf("the evidence is that of model %q, which is not here", v.Inclusion.From)
		}
		evidence = &t.Verdicts[i]
	}
	h = m.View(h)
	d := decoder{h}
	w, err := d.verdict(evidence)
	if err != nil {
		return err
	}
	w.Answer = answer
	return witness.Check(h, m, w)
}

func (v *Verdict) hasEvidence() bool {
	return v.Order != nil || v.Closure != nil || v.Refutation != nil
}

// decoder finds the operations that evidence names.
type decoder struct{ h *parse.History }

func (d decoder) verdict(v *Verdict) (*witness.Verdict, error) {
	w := &witness.Verdict{Model: v.Model}
	var err error
	if v.Order != nil {
		w.Order = &witness.Order{}
		if w.Order.Ops, err = d.accesses(*v.Order); err != nil {
			return nil, fmt.Errorf("order: %w", err)
		}
	}
	if v.Closure != nil {
		if w.Closure, err = d.closure(v.Closure); err != nil {
			return nil, fmt.Errorf("closure: %w", err)
		}
	}
	if v.Refutation != nil {
		if w.Refutation, _, err = d.refutation(v.Refutation); err != nil {
			return nil, fmt.Errorf("refutation: %w", err)
		}
	}
	return w, nil
}

func (d decoder) closure(c *Closure) (*witness.Closure, error) {
	out := &witness.Closure{Local: make([][]witness.Arc, len(c.Local))}
	var faults [3]error
	out.Arcs, faults[0] = d.arcs("arcs", c.Arcs)
	out.Conflicts, faults[1] = d.arcs("conflicts", c.Conflicts)
	if len(c.Local) > d.h.Threads() {
		faults[2] = fmt.Errorf("local arcs of %d threads: there are %d", len(c.Local), d.h.Threads())
	}
	for t := range c.Local {
		if err := errors.Join(faults[:]...); err != nil {
			return nil, err
		}
		out.Local[t], faults[2] = d.arcs(fmt.Sprintf("local arcs of thread %d", t), c.Local[t])
	}
	return out, errors.Join(faults[:]...)
}

func (d decoder) arcs(what string, arcs Arcs) ([]witness.Arc, error) {
	out := make([]witness.Arc, len(arcs))
	for i, a := range arcs {
		from, err := a[0].id(d.h)
		to, err2 := a[1].id(d.h)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("%s: place %d: %w", what, i, err)
		}
		out[i] = witness.Arc{From: from, To: to}
	}
	return out, nil
}

// refutation also returns the nodes, by their places.
func (d decoder) refutation(r *Refutation) (*witness.Refutation, []witness.Node, error) {
	out := &witness.Refutation{Lemmas: make([]witness.Lemma, len(r.Lemmas))}
	if len(r.Nodes) == 0 {
		return nil, nil, errors.New("there is no node")
	}
	for i := range r.Lemmas {
		l := &r.Lemmas[i]
		edge, err := d.edge(&Edge{From: l.From, To: l.To, Rule: l.Rule, Via: l.Via}, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("lemma %d: %w", i, err)
		}
		edge.Lemma = int32(i)
		out.Lemmas[i].Edge = edge
		if out.Lemmas[i].Premise, err = d.edges(l.Premise, out.Lemmas[:i]); err != nil {
			return nil, nil, fmt.Errorf("lemma %d: premise: %w", i, err)
		}
	}
	nodes, cases := make([]witness.Node, len(r.Nodes)), make([]bool, len(r.Nodes))
	for i := range r.Nodes {
		if i > 0 && !cases[i] {
			return nil, nil, fmt.Errorf("node %d: it is no case of a split before it", i)
		}
		if err := d.node(r.Nodes, nodes, i, out.Lemmas); err != nil {
			return nil, nil, fmt.Errorf("node %d: %w", i, err)
		}
		cases[r.Nodes[i].First], cases[r.Nodes[i].Second] = true, true
	}
	out.Root = &nodes[0]
	return out, nodes, nil
}

func (d decoder) node(from []Node, nodes []witness.Node, i int, lemmas []witness.Lemma) (err error) {
	n, out := &from[i], &nodes[i]
	if n.From == nil && n.To == nil && n.First == 0 && n.Second == 0 {
		out.Cycle, err = d.edges(n.Cycle, lemmas)
		return err
	}
	if n.From == nil || n.To == nil || len(n.Cycle) > 0 {
		return errors.New("want either a cycle, or from, to, first and second")
	}
	if min(n.First, n.Second) <= i || max(n.First, n.Second) >= len(nodes) {
		return fmt.Errorf("cases %d and %d: want places behind %d, of %d", n.First, n.Second, i, len(nodes))
	}
	if out.From, err = n.From.id(d.h); err == nil {
		out.To, err = n.To.id(d.h)
	}
	out.First, out.Second = &nodes[n.First], &nodes[n.Second]
	return err
}

func (d decoder) edges(edges []Edge, lemmas []witness.Lemma) ([]witness.Edge, error) {
	out := make([]witness.Edge, len(edges))
	for i := range edges {
		var err error
		if out[i], err = d.edge(&edges[i], lemmas); err != nil {
			return nil, fmt.Errorf("edge %d: %w", i, err)
		}
	}
	return out, nil
}

func (d decoder) edge(e *Edge, lemmas []witness.Lemma) (witness.Edge, error) {
	if e.Lemma != nil {
		if e.From != nil || e.To != nil || e.Via != nil || e.Rule != "" {
			return witness.Edge{}, errors.New("an edge that names a lemma has nothing else")
		}
		if *e.Lemma < 0 || *e.Lemma >= len(lemmas) {
			return witness.Edge{}, fmt.Errorf("lemma %d may not be used here", *e.Lemma)
		}
		return lemmas[*e.Lemma].Edge, nil
	}
	if e.From == nil || e.To == nil {
		return witness.Edge{}, errors.New("want from and to, or a lemma")
	}
	out := witness.Edge{Via: parse.NoOp, Lemma: -1}
	var ok bool
	if out.Rule, ok = witness.RuleByName(e.Rule); !ok {
		return out, fmt.Errorf("rule %q is unknown", e.Rule)
	}
	var err error
	if out.From, err = e.From.id(d.h); err == nil {
		out.To, err = e.To.id(d.h)
	}
	if err == nil && e.Via != nil {
		out.Via, err = e.Via.id(d.h)
	}
	if err == nil && !witness.IsDirect(d.h, out) {
		err = fmt.Errorf("rule %v: want each fence and each dependency by itself", out.Rule)
	}
	return out, err
}
