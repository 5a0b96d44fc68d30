package certificate

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/check/serial/proof"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Document is the certificate of one history, or what ordeal check --serializability
// --json printed for it in its place.
type Document struct {
	Trace
	Serializability []SerialAnswer `json:"serializability"`
}

// Verify is Trace.Verify, and checks the evidence of answers about serializability by
// package proof.
func (d *Document) Verify(h *parse.History) ([]Result, error) {
	if len(d.Serializability) == 0 {
		return d.Trace.Verify(h)
	}
	if len(d.Verdicts) > 0 {
		return nil, errors.New("the certificate has both verdicts and answers about serializability")
	}
	results := make([]Result, len(d.Serializability))
	proofs := false
	for i := range results {
		proofs = proofs || d.Serializability[i].Proof != nil
	}
	if proofs {
		if err := d.belongs(h); err != nil {
			return nil, err
		}
	}
	for i := range results {
		results[i] = d.Serializability[i].verify(h)
	}
	return results, nil
}

// SerialAnswer is what Document.Verify reads of an answer of ordeal check
// --serializability --json about a history.
type SerialAnswer struct {
	Relation string           `json:"relation"`
	Answer   string           `json:"answer"`
	Unproved string           `json:"unproved,omitempty"`
	Proof    *Serializability `json:"proof,omitempty"`
}

// Serializability is the JSON form of proof.Proof.
type Serializability struct {
	Executions []SerialExecution `json:"executions"`
	Cases      *Refutation       `json:"cases,omitempty"`
	Arguments  []SerialArgument  `json:"arguments,omitempty"`
}

// SerialExecution is the JSON form of proof.Execution.
type SerialExecution struct {
	Order        Accesses `json:"order"`
	Cycle        Arcs     `json:"cycle,omitempty"`
	Transactions Accesses `json:"transactions,omitempty"`
}

// SerialArgument is the JSON form of proof.Argument, of the leaf Node of the cases.
type SerialArgument struct {
	Node         int      `json:"node"`
	Cycle        Arcs     `json:"cycle,omitempty"`
	Transactions Accesses `json:"transactions,omitempty"`
}

// NewSerializability is the JSON form of a proof about a history.
func NewSerializability(h *parse.History, p *proof.Proof) *Serializability {
	e := encoder{h}
	out := &Serializability{}
	for i := range p.Executions {
		x := &p.Executions[i]
		cycle, transactions := e.argument(&x.Argument)
		out.Executions = append(out.Executions, SerialExecution{e.accesses(x.Order.Ops), cycle, transactions})
	}
	if p.Cases == nil {
		return out
	}
	var place map[*witness.Node]int
	out.Cases, place = e.refutation(p.Cases)
	for n, a := range p.Arguments {
		if at, ok := place[n]; ok {
			cycle, transactions := e.argument(a)
			out.Arguments = append(out.Arguments, SerialArgument{at, cycle, transactions})
		}
	}
	slices.SortFunc(out.Arguments, func(a, b SerialArgument) int { return a.Node - b.Node })
	return out
}

func (e encoder) argument(a *proof.Argument) (cycle Arcs, transactions Accesses) {
	for _, c := range a.Cycle {
		cycle = append(cycle, [2]Op{e.op(c[0]), e.op(c[1])})
	}
	return cycle, e.accesses(a.Transactions)
}

func (e encoder) accesses(ops []parse.OpID) Accesses {
	out := make(Accesses, len(ops))
	for i, id := range ops {
		out[i] = e.op(id)
	}
	return out
}

// Proof is the proof about a history that s is the JSON form of; an error if it is
// none.
func (s *Serializability) Proof(h *parse.History) (*proof.Proof, error) {
	d := decoder{h}
	p := &proof.Proof{Arguments: map[*witness.Node]*proof.Argument{}}
	for i := range s.Executions {
		x := &s.Executions[i]
		order, err := d.accesses(x.Order)
		a, err2 := d.argument(x.Cycle, x.Transactions)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("execution %d: %w", i, err)
		}
		p.Executions = append(p.Executions, proof.Execution{Order: &witness.Order{Ops: order}, Argument: *a})
	}
	if s.Cases == nil {
		return p, nil
	}
	ref, nodes, err := d.refutation(s.Cases)
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	for i := range s.Arguments {
		at := &s.Arguments[i]
		if at.Node < 0 || at.Node >= len(nodes) {
			return nil, fmt.Errorf("argument %d: there is no node %d", i, at.Node)
		}
		if p.Arguments[&nodes[at.Node]], err = d.argument(at.Cycle, at.Transactions); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	p.Cases = ref
	return p, nil
}

func (d decoder) argument(cycle Arcs, transactions Accesses) (*proof.Argument, error) {
	arcs, err := d.arcs("cycle", cycle)
	list, err2 := d.accesses(transactions)
	a := &proof.Argument{Transactions: list}
	for _, arc := range arcs {
		a.Cycle = append(a.Cycle, [2]parse.OpID{arc.From, arc.To})
	}
	return a, errors.Join(err, err2)
}

func (d decoder) accesses(list Accesses) ([]parse.OpID, error) {
	out := make([]parse.OpID, len(list))
	for i, o := range list {
		var err error
		if out[i], err = o.id(d.h); err != nil {
			return nil, fmt.Errorf("place %d: %w", i, err)
		}
	}
	return out, nil
}

// dependsAnswer is the answer that is another for two executions.
const dependsAnswer = "depends on the execution"

// Question names what the answer is about, beside the names of models.
func (a *SerialAnswer) Question() string { return "serializability " + a.Relation }

// verify checks the evidence of an answer about serializability.
func (a *SerialAnswer) verify(h *parse.History) Result {
	r := Result{Model: a.Question(), Answer: a.Answer}
	m, ok := model.ByName(a.Relation)
	switch {
	case a.Answer == witness.Unknown.String():
		r.Open = "no answer"
	case a.Proof == nil && a.Unproved != "":
		r.Open = a.Unproved
	case a.Proof == nil:
		r.Open = "no proof"
	case !ok:
		r.Err = fmt.Errorf("there is no proof about %q", a.Relation)
	default:
		r.Err = a.check(h, m, &r)
	}
	r.Proved = r.Err == nil && r.Open == ""
	return r
}

func (a *SerialAnswer) check(h *parse.History, m model.Model, r *Result) error {
	p, err := a.Proof.Proof(h)
	if err != nil {
		return err
	}
	some, all, err := proof.Check(h, m, p)
	switch {
	case err != nil:
		return err
	case a.Answer == dependsAnswer && slices.Contains(some, proof.Serializable) && slices.Contains(some, proof.NotSerializable):
		return nil
	case len(some) != 1 || a.Answer != some[0].String():
		return fmt.Errorf("the executions of the proof do not make the answer %q", a.Answer)
	case !all && a.Unproved != "":
		r.Open = a.Unproved
		return nil
	case !all:
		return errors.New("nothing shows that all executions have the answer")
	}
	return nil
}
