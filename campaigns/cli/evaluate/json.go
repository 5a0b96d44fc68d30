package evaluate

import (
	"ordeal/check/model"
	"ordeal/check/witness/certificate"
)

// TraceResult is what --json prints for a trace: its certificate, and what else
// was asked for.
type TraceResult struct {
	*certificate.Trace
	// Unused lists by model what of the trace its answer does not take into
	// account (see check.Unused), NotRead what of the file the trace leaves out.
	Unused  map[string][]string `json:"not_used,omitempty"`
	NotRead []string            `json:"not_read,omitempty"`
	// With --model all: the strongest models that allow the trace, the
	// weakest that forbid it, and those that are unknown.
	Strongest []string `json:"strongest_allowing,omitempty"`
	Weakest   []string `json:"weakest_forbidding,omitempty"`
	Open      []string `json:"unknown,omitempty"`
	Kernel    string   `json:"kernel,omitempty"`
	// Linearization is evidence about a history in which values repeat.
	Linearization *Linearization `json:"linearization,omitempty"`
	// Sequential has, under sc, an order that keeps each client's own; of a forbidden
	// history it is empty.
	Sequential *Linearization `json:"sequential,omitempty"`
}

func (c *evaluate) printJSON(t *Trace, r *result) error {
	out := TraceResult{Trace: certificate.New(t.Place, t.History, r.verdicts), NotRead: t.Notes, Kernel: r.kernel, Linearization: r.linear[model.Linearizable.Name].json(), Sequential: r.linear[model.SC.Name].json()}
	if r.class != nil {
		out.Strongest, out.Weakest, out.Open = r.class.Strongest, r.class.Weakest, r.class.Open
	}
	if t.Err != nil && r.linear == nil {
		out.Error = t.Err.Error()
	}
	for i := range r.verdicts {
		if list := unused(t.History, &r.verdicts[i]); list != nil {
			if out.Unused == nil {
				out.Unused = map[string][]string{}
			}
			out.Unused[r.verdicts[i].Model] = list
		}
	}
	return c.PrintJSONLine(&out)
}
