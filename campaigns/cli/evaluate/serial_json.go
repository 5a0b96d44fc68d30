package evaluate

import "ordeal/check/witness/certificate"

// SerialResult is what --json prints for a trace with --serializability.
type SerialResult struct {
	Trace string `json:"trace"`
	// What follows is there with proofs, which are about a history; as in a
	// certificate.
	History     string          `json:"history,omitempty"`
	Threads     int             `json:"threads,omitempty"`
	Operations  int             `json:"operations,omitempty"`
	ThreadNames []string        `json:"thread_names,omitempty"`
	Answers     []*serialAnswer `json:"serializability"`
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
	out := SerialResult{Trace: t.Place, Answers: answers}
	for _, a := range answers {
		for _, x := range a.examples {
			x.serialEvidence = x.evidence()
			if !x.oneOf {
				a.serialEvidence = x.serialEvidence
				continue
			}
			x.Execution = string(x.seq.Text())
			a.Examples = append(a.Examples, x)
		}
		if a.proof != nil {
			c := certificate.New(t.Place, t.History, nil)
			out.History, out.Threads, out.Operations, out.ThreadNames = c.History, c.Threads, c.Operations, c.ThreadNames
			a.Proof = certificate.NewSerializability(t.History, a.proof)
		}
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
