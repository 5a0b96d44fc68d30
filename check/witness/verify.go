package witness

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// Verify checks the evidence of Forbidden. A nil error means that model m
// forbids h: every edge of the refutation that is used holds in every memory
// order that m allows for h (soundness of the rules is argued in rules.go),
// every case split covers both orders of two writes, and every leaf is a cycle.
//
// Verify reads h where the refutation points and keeps no tables of its size.
// Each lemma and each leaf is checked once, with the assumptions that it rests
// on; a leaf may stand in several places of the tree, where it costs as much as
// it has assumptions. So the time is linear in the refutation and in these sets,
// which are limited (maxAssumptions). It trusts that h is well formed
// (parse.History.Validate), and nothing about the refutation, whose tree may
// share leaves but not splits. Faults name lemma and operations.
//
// Under the closures wSC, wTSO and wPSO a refutation is a single leaf and
// otherwise follows the rules of SC, TSO and PSO. The other causal models use
// few rules, and lemmas in a certain shape only: see shape.go.
//
// Attributes and dependencies that the model does not know do not count (model.Model.View).
func Verify(h *parse.History, m model.Model, refutation *Refutation) error {
	return VerifyCases(h, m, refutation, nil)
}

// VerifyCases checks a tree of case splits like Verify, in which some cases need not
// be refuted: for each place of a leaf without a cycle it calls open, which
// says what is wrong with it, with what the splits above assume: a precedes b. A nil
// error means that every execution of h that m allows falls under one of the open
// leaves.
func VerifyCases(h *parse.History, m model.Model, refutation *Refutation, open func(leaf *Node, assumed func(a, b parse.OpID) bool) error) error {
	h = m.View(h)
	if refutation == nil || refutation.Root == nil {
		return errors.New("verify refutation: there is none")
	}
	v := &verifier{
		rules: rules{h: h, m: m}, ref: refutation, open: open,
		needs: make([][]pair, len(refutation.Lemmas)),
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
		err = v.all()
	}
	if err != nil {
		return fmt.Errorf("verify refutation: %w", err)
	}
	return nil
}

func (n *Node) leaf() bool { return n.First == nil && n.Second == nil }

// pair is an assumption: the first write precedes the second.
type pair [2]parse.OpID

// maxAssumptions bounds how many assumptions the lemmas and leaves of a
// refutation may rest on, each counted with all of its own. Real refutations
// have a few for each leaf.
const maxAssumptions = 1 << 26

// verifier checks lemmas, then walks the tree of case splits.
type verifier struct {
	rules
	ref   *Refutation
	needs [][]pair // lemma → what it rests on, sorted; nil for nothing
	spent int      // assumptions in all sets so far
	// open checks a leaf without a cycle; nil where there must be none.
	open func(leaf *Node, assumed func(a, b parse.OpID) bool) error
}

func (v *verifier) all() error {
	for i := range v.ref.Lemmas {
		l := &v.ref.Lemmas[i]
		err := v.derived(l)
		if err == nil {
			v.needs[i], err = v.run(l.Premise, i)
		}
		if err != nil {
			return fmt.Errorf("lemma %d: %w", i, err)
		}
	}
	return v.tree()
}

// visit is a step of the walk: into a node under one more assumption, or back
// from it.
type visit struct {
	node   *Node
	branch pair
	back   bool
}

// tree checks that every leaf is a cycle that needs no more than the cases
// above it assume.
func (v *verifier) tree() error {
	leaves := map[*Node][]pair{}
	splits := map[*Node]bool{}
	assumed := map[pair]int{}
	var path []pair
	for todo := []visit{{node: v.ref.Root}}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at.back {
			assumed[at.branch]--
			path = path[:len(path)-1]
			continue
		}
		if at.node != v.ref.Root {
			assumed[at.branch]++
			path = append(path, at.branch)
			todo = append(todo, visit{branch: at.branch, back: true})
		}
		n := at.node
		if n.leaf() {
			if err := v.leafHolds(n, leaves, assumed); err != nil {
				return v.where(path, err)
			}
			continue
		}
		if err := v.split(n); err != nil {
			return v.where(path, err)
		}
		if splits[n] {
			return v.where(path, fmt.Errorf("the case split on %s and %s stands twice", name(v.h, n.From, -1), name(v.h, n.To, -1)))
		}
		splits[n] = true
		todo = append(todo, visit{node: n.Second, branch: pair{n.To, n.From}}, visit{node: n.First, branch: pair{n.From, n.To}})
	}
	return nil
}

// where adds the cases to a fault, those nearest to the root first; at most
// eight.
func (v *verifier) where(path []pair, err error) error {
	for _, p := range slices.Backward(path[:min(len(path), 8)]) {
		err = fmt.Errorf("where %s precedes %s: %w", name(v.h, p[0], -1), name(v.h, p[1], -1), err)
	}
	return err
}

func (v *verifier) split(n *Node) error {
	if n.First == nil || n.Second == nil || len(n.Cycle) > 0 {
		return errors.New("a case split needs both cases and no cycle of its own")
	}
	if !v.writesOfOneLocation(n.From, n.To) {
		return fmt.Errorf("a case split on the order of %s and %s: not two writes to one location",
			name(v.h, n.From, -1), name(v.h, n.To, -1))
	}
	return nil
}

// leafHolds checks a leaf under the assumptions in force. What it needs is
// worked out where it stands first.
func (v *verifier) leafHolds(n *Node, leaves map[*Node][]pair, assumed map[pair]int) error {
	if v.open != nil && len(n.Cycle) == 0 {
		return v.open(n, func(a, b parse.OpID) bool { return assumed[pair{a, b}] > 0 })
	}
	needs, known := leaves[n]
	if !known {
		var err error
		if needs, err = v.cycle(n.Cycle); err != nil {
			return err
		}
		leaves[n] = needs
	}
	for _, p := range needs {
		if assumed[p] == 0 {
			return fmt.Errorf("cycle: %s precedes %s: nothing assumes that here", name(v.h, p[0], -1), name(v.h, p[1], -1))
		}
	}
	return nil
}

func (v *verifier) cycle(edges []Edge) ([]pair, error) {
	if len(edges) == 0 {
		return nil, errors.New("a leaf without a cycle")
	}
	last := edges[len(edges)-1]
	if err := v.meets(last, edges[0]); err != nil {
		return nil, fmt.Errorf("cycle: edge %d: %w", len(edges)-1, err)
	}
	v.own = v.dataflow() && onlyDataflow(edges)
	defer func() { v.own = false }()
	needs, err := v.run(edges, len(v.needs))
	if err != nil {
		return nil, fmt.Errorf("cycle: %w", err)
	}
	return needs, nil
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
// It returns the assumptions that they rest on.
func (v *verifier) run(edges []Edge, limit int) (needs []pair, err error) {
	own := true // needs is not shared with a lemma
	for i, e := range edges {
		if i > 0 {
			if err := v.meets(edges[i-1], e); err != nil {
				return nil, fmt.Errorf("edge %d: %w", i-1, err)
			}
		}
		more, err := v.edge(e, limit)
		if err != nil {
			return nil, fmt.Errorf("edge %d: %w", i, err)
		}
		switch {
		case len(more) == 0:
		case len(needs) == 0:
			needs, own = more, false
		default:
			if !own {
				needs, own = slices.Clone(needs), true
			}
			needs = append(needs, more...)
			v.spent += len(more)
		}
		if v.spent > maxAssumptions {
			return nil, fmt.Errorf("the lemmas rest on more than %d assumptions, each counted with all of its own", maxAssumptions)
		}
	}
	if own && len(needs) > 1 {
		slices.SortFunc(needs, func(a, b pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		needs = slices.Compact(needs)
	}
	return needs, nil
}

// edge checks one edge and returns the assumptions that it rests on.
func (v *verifier) edge(e Edge, limit int) (needs []pair, err error) {
	switch e.Rule {
	case DerivedA, DerivedB:
		if e.Lemma < 0 || int(e.Lemma) >= limit {
			return nil, fmt.Errorf("lemma %d may not be used here", e.Lemma)
		}
		if v.ref.Lemmas[e.Lemma].Edge != e {
			return nil, fmt.Errorf("lemma %d proves another edge", e.Lemma)
		}
		return v.needs[e.Lemma], nil
	case Assumed:
		if !v.writesOfOneLocation(e.From, e.To) || e.Via != parse.NoOp || e.Lemma != -1 {
			return nil, v.fault(e)
		}
		return []pair{{e.From, e.To}}, nil
	default:
		if e.Lemma != -1 {
			return nil, fmt.Errorf("rule %v has no lemma", e.Rule)
		}
		return nil, v.holds(e)
	}
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
