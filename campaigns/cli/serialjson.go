package cli

import "encoding/json"

// serialOutput is what --json prints for a trace with --serializability.
type serialOutput struct {
	Trace   string       `json:"trace"`
	Answers []serialItem `json:"serializability"`
}

type serialItem struct {
	Relation     string `json:"relation"`
	Answer       string `json:"answer"`
	Reason       string `json:"reason,omitempty"`
	Source       string `json:"source,omitempty"`
	Threads      int    `json:"threads"`
	Transactions int    `json:"transactions"`
	Events       int    `json:"events"`
	// Order names the transactions in an order of serialization.
	Order []string     `json:"order,omitempty"`
	Cycle []serialEdge `json:"cycle,omitempty"`
	// Execution is the text of what the cycle is in.
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

func (c *evaluate) printSerialJSON(t *trace, answers []*serialAnswer) error {
	out := serialOutput{Trace: t.place}
	for _, a := range answers {
		item := serialItem{Relation: a.question, Answer: a.answer, Reason: a.reason, Order: a.order()}
		if s := a.seq; s != nil {
			item.Source = a.source()
			item.Threads, item.Transactions, item.Events = len(s.Threads), len(s.Transactions), len(s.Events)
			event := func(i int32) serialEvent {
				return serialEvent{i + 1, s.TxName(s.Events[i].Tx), s.EventText(i)}
			}
			for _, e := range a.verdict.Cycle {
				item.Cycle = append(item.Cycle, serialEdge{event(e.From), event(e.To)})
			}
			if len(item.Cycle) > 0 {
				item.Execution = string(s.Text())
			}
		}
		out.Answers = append(out.Answers, item)
	}
	return json.NewEncoder(c.stdout).Encode(&out)
}
