package witness

import (
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

// Verify checks the evidence of Forbidden. A nil error means that model m
// forbids h: every edge of the refutation that is used holds in every memory
// order that m allows for h (soundness of the rules is argued in rules.go),
// every case split covers both orders of two writes, and every leaf is a cycle.
//
// Verify reads h where the refutation points and keeps no tables of its size;
// it takes time in proportion to the refutation, times the depth of the tree
// for lemmas that rest on assumptions. Lemmas that no leaf uses are not
// looked at. It trusts that h is well formed (parse.History.Validate), and
// nothing about the refutation. Faults name lemma and operations.
//
// Under the closures wSC, wTSO and wPSO a refutation is a single leaf and
// otherwise follows the rules of SC, TSO and PSO. The other causal models use
// few rules, and lemmas in a certain shape only: see shape.go.
func Verify(h *parse.History, m model.Model, refutation *Refutation) error {
	if refutation == nil || refutation.Root == nil {
		return errors.New("verify refutation: there is none")
	}
	v := &verifier{
		rules: rules{h: h, m: m}, ref: refutation,
		lemmas:  make([]lemmaState, len(refutation.Lemmas)),
		assumed: map[[2]parse.OpID]int{},
		path:    []int{0},
	}
	var err error
	switch {
	case m.Family == model.FamilyUnknown:
		err = fmt.Errorf("model %q is unknown", m.Name)
	case m.Family == model.Causal && !refutation.Root.leaf():
		err = fmt.Errorf("model %s is refuted by one cycle, not by case splits", m.Name)
	case m.Family == model.Causal:
		err = v.shape()
	}
	if err == nil {
		err = v.node(refutation.Root)
	}
	if err != nil {
		return fmt.Errorf("verify refutation: %w", err)
	}
	return nil
}

func (n *Node) leaf() bool { return n.First == nil && n.Second == nil }

// lemmaState remembers where a lemma was found to hold: below the node that
// stood at level of the path and had this serial number. Level 0 is the root,
// where nothing is assumed. A lemma that needs no assumption holds everywhere.
type lemmaState struct {
	sound  bool // rules and path are checked; they do not change
	holds  bool
	level  int
	serial int
}

// verifier walks the tree of case splits.
type verifier struct {
	rules
	ref    *Refutation
	lemmas []lemmaState
	// assumed gives the level of the split that assumes an order of two
	// writes, for the assumptions in force.
	assumed map[[2]parse.OpID]int
	// path[l] is the serial number of the node at level l above the present
	// one; serials are never used twice.
	path   []int
	serial int
}

func (v *verifier) node(n *Node) error {
	if n.leaf() {
		return v.cycle(n.Cycle)
	}
	if n.First == nil || n.Second == nil || len(n.Cycle) > 0 {
		return errors.New("a case split needs both cases and no cycle of its own")
	}
	if !v.writesOfOneLocation(n.From, n.To) {
		return fmt.Errorf("a case split on the order of %s and %s: not two writes to one location",
			name(v.h, n.From, -1), name(v.h, n.To, -1))
	}
	if err := v.assume(n.From, n.To, n.First); err != nil {
		return err
	}
	return v.assume(n.To, n.From, n.Second)
}

// assume checks the tree below n under the assumption that from precedes to.
func (v *verifier) assume(from, to parse.OpID, n *Node) error {
	v.serial++
	v.path = append(v.path, v.serial)
	edge := [2]parse.OpID{from, to}
	_, again := v.assumed[edge]
	if !again {
		v.assumed[edge] = len(v.path) - 1
	}
	if err := v.node(n); err != nil {
		return fmt.Errorf("where %s precedes %s: %w", name(v.h, from, -1), name(v.h, to, -1), err)
	}
	if !again {
		delete(v.assumed, edge)
	}
	v.path = v.path[:len(v.path)-1]
	return nil
}

func (v *verifier) cycle(edges []Edge) error {
	if len(edges) == 0 {
		return errors.New("a leaf without a cycle")
	}
	last := edges[len(edges)-1]
	if err := v.meets(last, edges[0]); err != nil {
		return fmt.Errorf("cycle: edge %d: %w", len(edges)-1, err)
	}
	v.own = v.dataflow() && onlyDataflow(edges)
	defer func() { v.own = false }()
	if _, err := v.run(edges, len(v.lemmas)); err != nil {
		return fmt.Errorf("cycle: %w", err)
	}
	return nil
}

// onlyDataflow reports whether a cycle has the form of a value out of thin
// air: dependencies and reads-from, which may then be inside a thread.
func onlyDataflow(edges []Edge) bool {
	for _, e := range edges {
		if e.Rule != Dependency && e.Rule != ReadsFrom {
			return false
		}
	}
	return true
}

// run checks that edges form a path and hold, using lemmas below limit only.
// It returns the deepest level whose assumption they need.
func (v *verifier) run(edges []Edge, limit int) (level int, err error) {
	for i, e := range edges {
		if i > 0 {
			if err := v.meets(edges[i-1], e); err != nil {
				return 0, fmt.Errorf("edge %d: %w", i-1, err)
			}
		}
		l, err := v.edge(e, limit)
		if err != nil {
			return 0, fmt.Errorf("edge %d: %w", i, err)
		}
		level = max(level, l)
	}
	return level, nil
}

// edge checks one edge and returns the level whose assumption it needs.
func (v *verifier) edge(e Edge, limit int) (level int, err error) {
	switch e.Rule {
	case DerivedA, DerivedB:
		if e.Lemma < 0 || int(e.Lemma) >= limit {
			return 0, fmt.Errorf("lemma %d may not be used here", e.Lemma)
		}
		if v.ref.Lemmas[e.Lemma].Edge != e {
			return 0, fmt.Errorf("lemma %d proves another edge", e.Lemma)
		}
		return v.lemma(int(e.Lemma))
	case Assumed:
		level, ok := v.assumed[[2]parse.OpID{e.From, e.To}]
		if !ok || e.Via != parse.NoOp || e.Lemma != -1 {
			return 0, fmt.Errorf("%s precedes %s: nothing assumes that here",
				name(v.h, e.From, -1), name(v.h, e.To, -1))
		}
		return level, nil
	default:
		if e.Lemma != -1 {
			return 0, fmt.Errorf("rule %v has no lemma", e.Rule)
		}
		return 0, v.holds(e)
	}
}

// lemma checks that lemma i holds under the present assumptions and returns
// the level of the deepest that it needs.
func (v *verifier) lemma(i int) (level int, err error) {
	s := &v.lemmas[i]
	if s.holds && s.level < len(v.path) && v.path[s.level] == s.serial {
		return s.level, nil
	}
	l := &v.ref.Lemmas[i]
	if !s.sound {
		if err := v.derived(l); err != nil {
			return 0, fmt.Errorf("lemma %d: %w", i, err)
		}
	}
	level, err = v.run(l.Premise, i)
	if err != nil {
		return 0, fmt.Errorf("lemma %d: %w", i, err)
	}
	*s = lemmaState{sound: true, holds: true, level: level, serial: v.path[level]}
	return level, nil
}

// derived checks what rules A and B say about a lemma, and that its premise
// leads from and to the right operations.
func (v *verifier) derived(l *Lemma) error {
	e := l.Edge
	if !v.concludes(e) {
		return v.fault(e)
	}
	if len(l.Premise) == 0 {
		return errors.New("no premise")
	}
	start, end := e.From, e.Via // rule A
	if e.Rule == DerivedB {
		start, end = e.Via, e.To
	}
	first, last := l.Premise[0], l.Premise[len(l.Premise)-1]
	if first.From != start || last.To != end || start == parse.Init && v.edgeLoc(first) != v.edgeLoc(e) {
		return errors.New("the premise leads elsewhere")
	}
	return nil
}

func (r *rules) concludes(e Edge) bool {
	switch e.Rule {
	case DerivedA:
		return r.writes(e.From) && r.readsFrom(e.Via, e.To) && r.loc(e.From) == r.loc(e.Via) && e.From != e.To
	case DerivedB:
		return r.writes(e.To) && r.readsFrom(e.From, e.Via) && r.loc(e.From) == r.loc(e.To) &&
			e.To != e.Via && e.To != e.From
	default:
		return false
	}
}

func (v *verifier) meets(a, b Edge) error {
	if a.To != b.From || a.To == parse.Init && v.edgeLoc(a) != v.edgeLoc(b) {
		return fmt.Errorf("the next edge starts at %s, not at %s",
			name(v.h, b.From, v.edgeLoc(b)), name(v.h, a.To, v.edgeLoc(a)))
	}
	return nil
}
