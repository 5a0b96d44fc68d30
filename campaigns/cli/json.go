package cli

import (
	"encoding/json"
	"time"

	"ordeal/check"
	"ordeal/check/witness"
	"ordeal/parse"
)

// jsonTrace is what --json prints for a trace.
type jsonTrace struct {
	Trace      string        `json:"trace"`
	Error      string        `json:"error,omitempty"`
	Threads    int           `json:"threads"`
	Operations int           `json:"operations"`
	Verdicts   []jsonVerdict `json:"verdicts"`
	// With --model all: the strongest models that allow the trace, the
	// weakest that forbid it, and those that are unknown.
	Strongest []string `json:"strongest_allowing,omitempty"`
	Weakest   []string `json:"weakest_forbidding,omitempty"`
	Open      []string `json:"unknown,omitempty"`
	Kernel    string   `json:"kernel,omitempty"`
}

type jsonVerdict struct {
	Model      string        `json:"model"`
	Answer     string        `json:"answer"`
	Reason     string        `json:"reason,omitempty"`
	Procedure  string        `json:"procedure,omitempty"`
	Search     time.Duration `json:"search_ns"`
	Evidence   time.Duration `json:"evidence_ns"`
	Derived    int           `json:"derived"`
	Backtracks int           `json:"backtracks"`
	Clauses    int           `json:"clauses"`
	// Order lists operations, numbered as in the history: thread by thread
	// in program order, from 0.
	Order      []parse.OpID    `json:"order,omitempty"`
	Refutation *jsonRefutation `json:"refutation,omitempty"`
}

type jsonRefutation struct {
	Lemmas []jsonLemma `json:"lemmas"`
	Root   *jsonNode   `json:"root"`
}

type jsonLemma struct {
	Edge    jsonEdge   `json:"edge"`
	Premise []jsonEdge `json:"premise"`
}

type jsonNode struct {
	Cycle  []jsonEdge  `json:"cycle,omitempty"`
	From   *parse.OpID `json:"from,omitempty"`
	To     *parse.OpID `json:"to,omitempty"`
	First  *jsonNode   `json:"first,omitempty"`
	Second *jsonNode   `json:"second,omitempty"`
}

// jsonEdge is a witness.Edge; operation -1 is the initial write.
type jsonEdge struct {
	From  parse.OpID  `json:"from"`
	To    parse.OpID  `json:"to"`
	Rule  string      `json:"rule"`
	Via   *parse.OpID `json:"via,omitempty"`
	Lemma *int32      `json:"lemma,omitempty"`
}

func (c *evaluate) printJSON(t *trace, r *result) error {
	out := jsonTrace{Trace: t.place, Kernel: r.kernel}
	if r.class != nil {
		out.Strongest, out.Weakest, out.Open = r.class.Strongest, r.class.Weakest, r.class.Open
	}
	if t.err != nil {
		out.Error = t.err.Error()
	}
	if t.history != nil {
		out.Threads, out.Operations = t.history.Threads(), len(t.history.Ops)
	}
	for i := range r.verdicts {
		out.Verdicts = append(out.Verdicts, verdictJSON(&r.verdicts[i]))
	}
	return json.NewEncoder(c.stdout).Encode(&out)
}

func verdictJSON(v *check.Verdict) jsonVerdict {
	j := jsonVerdict{
		Model: v.Model, Answer: v.Answer.String(), Reason: v.Reason, Procedure: v.Procedure,
		Search: v.Stats.Search, Evidence: v.Stats.Evidence,
		Derived: v.Stats.Derived, Backtracks: v.Stats.Backtracks, Clauses: v.Stats.Clauses,
	}
	if v.Order != nil {
		j.Order = v.Order.Ops
	}
	if v.Refutation != nil {
		j.Refutation = &jsonRefutation{Lemmas: []jsonLemma{}, Root: nodeJSON(v.Refutation.Root)}
		for _, l := range v.Refutation.Lemmas {
			j.Refutation.Lemmas = append(j.Refutation.Lemmas, jsonLemma{Edge: edgeJSON(l.Edge), Premise: edgesJSON(l.Premise)})
		}
	}
	return j
}

func nodeJSON(n *witness.Node) *jsonNode {
	if n == nil {
		return nil
	}
	if len(n.Cycle) > 0 {
		return &jsonNode{Cycle: edgesJSON(n.Cycle)}
	}
	return &jsonNode{From: &n.From, To: &n.To, First: nodeJSON(n.First), Second: nodeJSON(n.Second)}
}

func edgesJSON(edges []witness.Edge) []jsonEdge {
	out := make([]jsonEdge, len(edges))
	for i, e := range edges {
		out[i] = edgeJSON(e)
	}
	return out
}

func edgeJSON(e witness.Edge) jsonEdge {
	j := jsonEdge{From: e.From, To: e.To, Rule: e.Rule.String()}
	if e.Via != parse.NoOp {
		j.Via = &e.Via
	}
	if e.Lemma >= 0 {
		j.Lemma = &e.Lemma
	}
	return j
}
