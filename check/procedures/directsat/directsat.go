// Package directsat decides a history by one propositional formula: the direct
// encoding that Zennou et al. (CAV 2019, Sect. 5) call X-SAT, for X the model,
// and its combinations with their partial store orders.
package directsat

import (
	"context"
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/procedures"
	"ordeal/check/procedures/precedence"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// The procedures. Procedure and X, which is the paper's name for it, give the
// solver nothing but the axioms; CCM and WSC fix what the criteria of CAV 2019
// and saturation infer, so that only pairs left open become variables. All are
// complete, and cubic in memory: without a budget they stop at ownBudget. An
// unsatisfiable formula is no refutation: see procedures.Searching.
var (
	Procedure = procedure("sat-full", "the axioms as one formula, without saturation", procedures.InferNothing, false, search.Total)
	X         = procedure("x-sat", "the same as sat-full (SC-SAT and TSO-SAT of CAV 2019)", procedures.InferNothing, false, search.Total)
	WSC       = procedure("wsc+sat", "one formula for what saturation leaves open", procedures.InferBySaturation, true, search.Total)
	CCM       = procedure("ccm+sat", "one formula for what CCM or wCCM leaves open (CAV 2019)", procedures.InferByCriterion, true,
		search.Only(model.SC, model.TSO))
)

const (
	// ownBudget bounds the memory of a formula when the caller does not.
	ownBudget = 2 << 30
	// clauseBytes is about what the solver needs for a clause of three.
	clauseBytes = 56
	// pairBytes is about what two nodes need, before any clause.
	pairBytes = 16
)

func procedure(name, summary string, infer procedures.Inference, fixed bool, supports func(model.Model) bool) search.Procedure {
	p := search.Procedure{Name: name, Summary: summary, Complete: true, Supports: supports}
	return procedures.Searching(p, infer, func(ctx context.Context, g *precedence.Graph, budget search.Limits, v *witness.Verdict) ([]parse.OpID, error) {
		budget = budget.WithDefault(ownBudget)
		f := listNodes(g)
		if err := f.build(ctx, budget, fixed); err != nil {
			return nil, err
		}
		v.Stats.Clauses = f.clauses
		if sat, err := search.Solve(ctx, f.solver); !sat || err != nil {
			return nil, err
		}
		return f.order(), nil
	})
}

// The values of formula.before that are no literals. Literals of the solver
// start at 2.
const (
	no  z.Lit = 0
	yes z.Lit = 1
)

// formula says that a total order of the nodes exists that extends the graph
// and in which reads precede the writes that overwrite what they return. There
// is a variable for each pair of nodes that is open.
type formula struct {
	g       *precedence.Graph
	solver  *gini.Gini
	nodes   []precedence.Node // accesses, and fences that order something
	index   []int             // node → index in nodes
	before  [][]z.Lit         // i before j: no, yes or a literal
	clauses int
}

// listNodes is the formula of a graph, as yet without variables.
func listNodes(g *precedence.Graph) *formula {
	f := &formula{g: g, index: make([]int, g.Nodes)}
	for v := range precedence.Node(g.Nodes) {
		if g.IsAccess(v) || int(v) >= len(g.History.Ops) {
			f.index[v] = len(f.nodes)
			f.nodes = append(f.nodes, v)
		}
	}
	return f
}

func (f *formula) pairBytes() int64 { return int64(len(f.nodes)) * int64(len(f.nodes)) * pairBytes }

// variables makes the variables; with fixed, pairs that the graph orders get
// none.
func (f *formula) variables(ctx context.Context, fixed bool) error {
	g := f.g
	n := len(f.nodes)
	f.solver = gini.NewVc(n*n/2+2, n*n/2+2)
	f.before = make([][]z.Lit, n)
	for i := range f.before {
		f.before[i] = make([]z.Lit, n)
	}
	var reach *closure.Matrix
	if fixed {
		reach = g.Matrix()
	}
	for i := range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for j := range i {
			switch {
			case fixed && reach.Has(f.nodes[i], f.nodes[j]):
				f.before[i][j], f.before[j][i] = yes, no
			case fixed && reach.Has(f.nodes[j], f.nodes[i]):
				f.before[i][j], f.before[j][i] = no, yes
			default:
				l := f.solver.Lit()
				f.before[i][j], f.before[j][i] = l, l.Not()
			}
		}
	}
	return nil
}

// triples calls visit for the nodes i, j, k of each three of which some pair
// is open, in both directions, until it returns false.
func (f *formula) triples(visit func(a, b, c z.Lit) bool) {
	n := len(f.nodes)
	for i := range n {
		for j := range i {
			ij, ji := f.before[i][j], f.before[j][i]
			for k := range j {
				jk, ki := f.before[j][k], f.before[k][i]
				if ij != no && jk != no && ki != no && !visit(ij, jk, ki) {
					return
				}
				kj, ik := f.before[k][j], f.before[i][k]
				if ji != no && kj != no && ik != no && !visit(ik, kj, ji) {
					return
				}
			}
		}
	}
}

// bytes estimates the memory of the formula. It stops counting beyond most.
func (f *formula) bytes(ctx context.Context, most int64) (int64, error) {
	n := int64(len(f.nodes))
	if n*n*n/3 < 1<<20 {
		return f.pairBytes() + n*n*n/3*clauseBytes, nil
	}
	clauses := int64(0)
	f.triples(func(a, b, c z.Lit) bool {
		clauses++
		return clauses*clauseBytes <= most && (clauses%4096 != 0 || ctx.Err() == nil)
	})
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return f.pairBytes() + clauses*clauseBytes, nil
}

// build makes the variables and adds the clauses, unless they need more memory
// than the budget has.
func (f *formula) build(ctx context.Context, budget search.Limits, fixed bool) error {
	if err := budget.Check(f.pairBytes()); err != nil {
		return err
	}
	if err := f.variables(ctx, fixed); err != nil {
		return err
	}
	need, err := f.bytes(ctx, budget.MemoryBytes)
	if err == nil {
		err = budget.Check(need)
	}
	if err != nil {
		return err
	}
	// The graph.
	for _, v := range f.nodes {
		for _, a := range f.g.Out(v) {
			f.not(f.before[f.index[a.To]][f.index[v]])
		}
	}
	// Reads before what overwrites: W before W' implies R before W'.
	h := f.g.History
	writes := h.Writes(nil)
	for r := range h.Ops {
		op := &h.Ops[r]
		if !op.Reads() || op.RF == parse.Init {
			continue // the graph has the arcs for initial writes
		}
		for _, w := range writes[op.Loc] {
			if int(w) != r && w != op.RF {
				f.not(f.before[f.index[op.RF]][f.index[w]], f.before[f.index[w]][f.index[r]])
			}
		}
	}
	// Transitivity: no cycle of three.
	f.triples(func(a, b, c z.Lit) bool {
		f.not(a, b, c)
		return f.clauses%4096 != 0 || ctx.Err() == nil
	})
	return ctx.Err()
}

func (f *formula) not(all ...z.Lit) {
	if slices.Contains(all, no) {
		return
	}
	f.clauses++
	for _, l := range all {
		if l != yes {
			f.solver.Add(l.Not())
		}
	}
	f.solver.Add(z.LitNull)
}

func (f *formula) order() []parse.OpID {
	n := len(f.nodes)
	at := make([]parse.OpID, n)
	for i := range n {
		place := 0
		for j := range n {
			if l := f.before[j][i]; j != i && (l == yes || l != no && f.solver.Value(l)) {
				place++
			}
		}
		at[place] = parse.OpID(f.nodes[i])
	}
	return slices.DeleteFunc(at, func(id parse.OpID) bool { return !f.g.IsAccess(precedence.Node(id)) })
}
