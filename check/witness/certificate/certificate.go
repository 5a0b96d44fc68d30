// Package certificate is the JSON form of verdicts with their evidence, made so
// that another program can check them: README.md of package witness describes
// it, and verify.py beside this file is such a program.
package certificate

import (
	"slices"
	"time"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Trace is the certificate of one history: the JSON object that ordeal check
// --json prints for a trace.
type Trace struct {
	// Trace is where the history is: the path of a file or run directory, and
	// for files of many traces a colon and the line.
	Trace string `json:"trace"`
	Error string `json:"error,omitempty"`
	// History is the digest of the history; empty where there is none.
	History    string `json:"history,omitempty"`
	Threads    int    `json:"threads"`
	Operations int    `json:"operations"`
	// ThreadNames are the names of the threads, in the order of the numbers
	// that name operations.
	ThreadNames []string  `json:"thread_names,omitempty"`
	Verdicts    []Verdict `json:"verdicts"`
	_           struct{}
}

// Verdict is the JSON form of witness.Verdict. At most one of Order, Closure and
// Refutation is there: none where another verdict of the same trace has it, which
// Inclusion names, or where there is no proof.
type Verdict struct {
	Model      string        `json:"model"`
	Answer     string        `json:"answer"`
	Reason     string        `json:"reason,omitempty"`
	Procedure  string        `json:"procedure,omitempty"`
	Inclusion  *Inclusion    `json:"inclusion,omitempty"`
	Prover     string        `json:"prover,omitempty"`
	Unproved   string        `json:"unproved,omitempty"`
	Search     time.Duration `json:"search_ns"`
	Proof      time.Duration `json:"proof_ns,omitempty"`
	Evidence   time.Duration `json:"evidence_ns"`
	Derived    int           `json:"derived"`
	Backtracks int           `json:"backtracks"`
	Clauses    int           `json:"clauses"`
	Order      *Accesses     `json:"order,omitempty"`
	Closure    *Closure      `json:"closure,omitempty"`
	Refutation *Refutation   `json:"refutation,omitempty"`
	_          struct{}
}

// Inclusion is the JSON form of witness.Inclusion.
type Inclusion struct {
	From    string `json:"from"`
	Checked bool   `json:"checked"`
}

// Closure is the JSON form of witness.Closure.
type Closure struct {
	Arcs      Arcs   `json:"arcs"`
	Conflicts Arcs   `json:"conflicts,omitempty"`
	Local     []Arcs `json:"local,omitempty"`
}

// Refutation is the JSON form of witness.Refutation. Nodes[0] is the root of the
// tree; cases stand behind their split.
type Refutation struct {
	Lemmas []Lemma `json:"lemmas"`
	Nodes  []Node  `json:"nodes"`
}

// Lemma is the JSON form of witness.Lemma. Its number is its place.
type Lemma struct {
	From    *Op    `json:"from"`
	To      *Op    `json:"to"`
	Rule    string `json:"rule"`
	Via     *Op    `json:"via"`
	Premise []Edge `json:"premise"`
}

// Edge is the JSON form of witness.Edge. An edge that a lemma proves has Lemma,
// and the rest is that of the lemma.
type Edge struct {
	From  *Op    `json:"from,omitempty"`
	To    *Op    `json:"to,omitempty"`
	Rule  string `json:"rule,omitempty"`
	Via   *Op    `json:"via,omitempty"`
	Lemma *int   `json:"lemma,omitempty"`
}

// Node is the JSON form of witness.Node: Cycle, or the rest, of which First and
// Second are places in Refutation.Nodes.
type Node struct {
	Cycle  []Edge `json:"cycle,omitempty"`
	From   *Op    `json:"from,omitempty"`
	To     *Op    `json:"to,omitempty"`
	First  int    `json:"first,omitempty"`
	Second int    `json:"second,omitempty"`
}

// New makes the certificate of verdicts on a history, which may be nil where
// there is none.
func New(place string, h *parse.History, verdicts []witness.Verdict) *Trace {
	t := &Trace{Trace: place}
	if h == nil {
		h = &parse.History{Start: []parse.OpID{0}}
	} else {
		t.History = Digest(h)
	}
	t.Threads, t.Operations, t.ThreadNames = h.Threads(), len(h.Ops), make([]string, h.Threads())
	for i := range t.ThreadNames {
		t.ThreadNames[i] = h.ThreadName(i)
	}
	for i := range verdicts {
		view := h
		if m, known := model.ByName(verdicts[i].Model); known {
			view = m.View(h)
		}
		v := encoder{view}.verdict(&verdicts[i])
		if slices.ContainsFunc(verdicts, func(from witness.Verdict) bool { return lends(&from, &verdicts[i]) }) {
			v.Order, v.Refutation = nil, nil
		}
		t.Verdicts = append(t.Verdicts, v)
	}
	return t
}

// lends reports whether the evidence of v is that of from and listed there.
func lends(from, v *witness.Verdict) bool {
	return v.Inclusion.Checked && v.Inclusion.Model == from.Model && from.Inclusion == witness.Inclusion{} &&
		v.Order == from.Order && v.Refutation == from.Refutation
}

// encoder names the operations of a history.
type encoder struct{ h *parse.History }

func (e encoder) verdict(v *witness.Verdict) Verdict {
	out := Verdict{
		Model: v.Model, Answer: v.Answer.String(), Reason: v.Reason, Procedure: v.Procedure, Prover: v.Prover, Unproved: v.Unproved,
		Search: v.Stats.Search, Proof: v.Stats.Proof, Evidence: v.Stats.Evidence,
		Derived: v.Stats.Derived, Backtracks: v.Stats.Backtracks, Clauses: v.Stats.Clauses,
	}
	if v.Inclusion.Model != "" {
		out.Inclusion = &Inclusion{From: v.Inclusion.Model, Checked: v.Inclusion.Checked}
	}
	if v.Order != nil {
		order := e.accesses(v.Order.Ops)
		out.Order = &order
	}
	if c := v.Closure; c != nil {
		out.Closure = &Closure{Arcs: e.arcs(c.Arcs), Conflicts: e.arcs(c.Conflicts)}
		for _, arcs := range c.Local {
			out.Closure.Local = append(out.Closure.Local, e.arcs(arcs))
		}
	}
	if v.Refutation != nil {
		out.Refutation, _ = e.refutation(v.Refutation)
	}
	return out
}

func (e encoder) op(id parse.OpID) Op {
	if id < 0 {
		return initial
	}
	t := e.h.Thread(id)
	return Op{int32(t), int32(id - e.h.Start[t])}
}

func (e encoder) arcs(arcs []witness.Arc) Arcs {
	out := make(Arcs, len(arcs))
	for i, a := range arcs {
		out[i] = [2]Op{e.op(a.From), e.op(a.To)}
	}
	return out
}

// refutation also returns the places of the nodes.
func (e encoder) refutation(r *witness.Refutation) (*Refutation, map[*witness.Node]int) {
	out := &Refutation{Lemmas: make([]Lemma, len(r.Lemmas))}
	for i, l := range r.Lemmas {
		from, to, via := e.op(l.Edge.From), e.op(l.Edge.To), e.op(l.Edge.Via)
		out.Lemmas[i] = Lemma{From: &from, To: &to, Rule: l.Edge.Rule.String(), Via: &via, Premise: e.edges(l.Premise)}
	}
	// Splits first, each before those below it, and then leaves: one may stand below
	// several splits, and must come after all of them.
	place := map[*witness.Node]int{}
	for _, leaf := range []bool{false, true} {
		for n := range r.Nodes() {
			if (n.First == nil) == leaf {
				place[n] = len(place)
			}
		}
	}
	out.Nodes = make([]Node, len(place))
	for n, i := range place {
		switch {
		case n.First == nil:
			out.Nodes[i].Cycle = e.edges(n.Cycle)
		default:
			from, to := e.op(n.From), e.op(n.To)
			out.Nodes[i] = Node{From: &from, To: &to, First: place[n.First], Second: place[n.Second]}
		}
	}
	return out, place
}

func (e encoder) edges(edges []witness.Edge) []Edge {
	out := make([]Edge, 0, len(edges))
	for _, edge := range edges {
		if edge.Lemma >= 0 {
			lemma := int(edge.Lemma)
			out = append(out, Edge{Lemma: &lemma})
			continue
		}
		for d := range witness.Direct(e.h, edge) {
			from, to := e.op(d.From), e.op(d.To)
			plain := Edge{From: &from, To: &to, Rule: d.Rule.String()}
			if d.Via != parse.NoOp {
				via := e.op(d.Via)
				plain.Via = &via
			}
			out = append(out, plain)
		}
	}
	return out
}
