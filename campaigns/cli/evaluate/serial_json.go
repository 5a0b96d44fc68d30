package evaluate

import "ordeal/check/witness/certificate"

// SerialResult is what --json prints for a trace with --serializability.
type SerialResult struct {
	Trace string `json:"trace"`
	// What follows is there with proofs, which are about a history; as in a
	// certificate.
	History     string       `json:"history,omitempty"`
	Threads     int          `json:"threads,omitempty"`
	Operations  int          `json:"operations,omitempty"`
	ThreadNames []string     `json:"thread_names,omitempty"`
	Answers     []serialItem `json:"serializability"`
}

type serialItem struct {
	Relation string `json:"relation"`
	Answer   string `json:"answer"`
	Reason   string `json:"reason,omitempty"`
	// Unproved says why there is no proof that all executions have the answer.
	Unproved     string `json:"unproved,omitempty"`
	Source       string `json:"source,omitempty"`
	Threads      int    `json:"threads"`
	Transactions int    `json:"transactions"`
	// Events counts the operations where Source is a history.
	Events int `json:"events"`
	serialEvidence
	// Examples are executions of several that the answer is about, each with
	// its own; the evidence is in them then.
	Examples []serialExampleItem `json:"examples,omitempty"`
	// Proof is the evidence of an answer about a history, which ordeal verify
	// checks.
	Proof *certificate.Serializability `json:"proof,omitempty"`
}

type serialExampleItem struct {
	Answer string `json:"answer"`
	Reason string `json:"reason,omitempty"`
	serialEvidence
}

// serialEvidence is the evidence of an answer about an execution.
type serialEvidence struct {
	// Order names the transactions in an order of serialization.
	Order []string     `json:"order,omitempty"`
	Cycle []serialEdge `json:"cycle,omitempty"`
	// Execution is the text of what the cycle is in, and of examples.
	Execution string `json:"execution,omitempty"`
}

type serialEdge struct {
	From serialEvent `json:"from"`
	To   serialEvent `json:"to"`
}

// serialEvent is an event, numbered from 1.
type serialEvent struct {
	Event       int32  `json:"event"`
	Transaction string `json:"transaction"`
	Text        string `json:"text"`
}

func (c *evaluate) printSerialJSON(t *Trace, answers []*serialAnswer) error {
	out := SerialResult{Trace: t.Place}
	for _, a := range answers {
		item := serialItem{
			Relation: a.question, Answer: a.answer, Reason: a.reason, Unproved: a.unproved, Source: a.source,
			Threads: a.threads, Transactions: a.transactions, Events: a.events,
		}
		for i := range a.examples {
			x := &a.examples[i]
			evidence := x.evidence()
			if !x.oneOf {
				item.serialEvidence = evidence
				continue
			}
			evidence.Execution = string(x.seq.Text())
			item.Examples = append(item.Examples, serialExampleItem{x.answer, x.reason, evidence})
		}
		if a.proof != nil {
			c := certificate.New(t.Place, t.History, nil)
			out.History, out.Threads, out.Operations, out.ThreadNames = c.History, c.Threads, c.Operations, c.ThreadNames
			item.Proof = certificate.NewSerializability(t.History, a.proof)
		}
		out.Answers = append(out.Answers, item)
	}
	return c.PrintJSONLine(&out)
}

// evidence is the evidence, with the execution if there is a cycle in it.
func (x *serialExample) evidence() serialEvidence {
	e := serialEvidence{Order: x.order()}
	event := func(i int32) serialEvent {
		return serialEvent{i + 1, x.seq.TxName(x.seq.Events[i].Tx), x.seq.EventText(i)}
	}
	for _, c := range x.verdict.Cycle {
		e.Cycle = append(e.Cycle, serialEdge{event(c.From), event(c.To)})
	}
	if len(e.Cycle) > 0 {
		e.Execution = string(x.seq.Text())
	}
	return e
}
