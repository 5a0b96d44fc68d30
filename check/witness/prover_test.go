package witness

import (
	"math/rand/v2"

	"ordeal/check/model"
	"ordeal/parse"
)

// prover is a naive complete prover for small histories. It offers the
// checker every edge that the checker accepts, saturates, and splits cases
// until every leaf has a cycle; so it refutes as much as Verify can be made to
// accept. With invalid edges it makes refutations that must be turned down.
type prover struct {
	rules
	rng     *rand.Rand // nil: no chance
	n       int        // operations; Init of location x is node n+x
	invalid []Edge
	ref     *Refutation
	// onlyA leaves rule B out.
	onlyA bool
	// leak makes lemmas of one case available in the other.
	leak bool
}

// graph is what is known in a case: the edge between two nodes, if any.
type graph [][]*Edge

func (g graph) clone() graph {
	c := make(graph, len(g))
	for i := range g {
		c[i] = append([]*Edge(nil), g[i]...)
	}
	return c
}

func newProver(rng *rand.Rand, h *parse.History, m model.Model) *prover {
	return &prover{rules: rules{h: h, m: m}, rng: rng, n: len(h.Ops)}
}

// perm is an order to try n things in: any, or without random numbers 0 … n-1.
func (p *prover) perm(n int) []int {
	if p.rng != nil {
		return p.rng.Perm(n)
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// node is the node of an edge's end.
func (p *prover) node(id parse.OpID, e Edge) int {
	if id == parse.Init {
		return p.n + int(p.edgeLoc(e))
	}
	return int(id)
}

// static is the graph of all edges that need no lemma. With own, reads-from
// inside a thread is one of them.
func (p *prover) static(only func(Rule) bool) graph {
	g := make(graph, p.n+len(p.h.Locations))
	for i := range g {
		g[i] = make([]*Edge, len(g))
	}
	for from := parse.Init; int(from) < p.n; from++ {
		for to := parse.Init; int(to) < p.n; to++ {
			for rule := PPO; rule <= StoreOrder; rule++ {
				for via := parse.NoOp; int(via) < p.n; via++ {
					e := Edge{From: from, To: to, Rule: rule, Via: via, Lemma: -1}
					if only(rule) && p.applies(e) {
						p.put(g, e)
					}
				}
			}
		}
	}
	for _, e := range p.invalid {
		p.put(g, e)
	}
	return g
}

// put adds an edge, or replaces one by chance.
func (p *prover) put(g graph, e Edge) {
	a, b := p.node(e.From, e), p.node(e.To, e)
	if g[a][b] == nil || p.rng != nil && p.rng.IntN(3) == 0 && e.Lemma < 0 {
		g[a][b] = &e
	}
}

// path finds a path of one or more edges by breadth-first search, trying
// nodes in random order.
func (p *prover) path(g graph, from, to int) []Edge {
	prev := make([]*Edge, len(g))
	at := make([]int, len(g))
	queue := []int{from}
	perm := p.perm(len(g))
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		for _, b := range perm {
			if g[a][b] == nil || prev[b] != nil {
				continue
			}
			prev[b], at[b] = g[a][b], a
			if b == to {
				var out []Edge
				for {
					out = append([]Edge{*prev[b]}, out...)
					if b = at[b]; b == from {
						return out
					}
				}
			}
			queue = append(queue, b)
		}
	}
	return nil
}

// saturate applies rules A and B until nothing is new or limit tries are made.
// Whatever the checker lets them conclude is tried, not only what is sensible.
func (p *prover) saturate(g graph, limit int) {
	for changed := true; changed; {
		changed = false
		for _, r := range p.perm(p.n) {
			read := p.op(parse.OpID(r))
			if read == nil {
				continue
			}
			for w := range p.n {
				if p.loc(parse.OpID(w)) != read.Loc && p.n > 12 {
					continue
				}
				for v := parse.Init; int(v) < p.n; v++ {
					if v != read.RF && p.n > 12 {
						continue
					}
					a := Edge{From: parse.OpID(w), To: v, Rule: DerivedA, Via: parse.OpID(r)}
					b := Edge{From: parse.OpID(r), To: parse.OpID(w), Rule: DerivedB, Via: v}
					if p.concludes(a) && p.derive(g, a, w, r) || !p.onlyA && p.concludes(b) && p.derive(g, b, p.node(v, b), w) {
						changed = true
					}
				}
				if limit--; limit == 0 {
					return
				}
			}
		}
	}
}

func (p *prover) derive(g graph, e Edge, from, to int) bool {
	if g[p.node(e.From, e)][p.node(e.To, e)] != nil {
		return false
	}
	premise := p.path(g, from, to)
	if premise == nil {
		return false
	}
	e.Lemma = int32(len(p.ref.Lemmas))
	p.ref.Lemmas = append(p.ref.Lemmas, Lemma{Edge: e, Premise: premise})
	p.put(g, e)
	return true
}

// cycle finds a cycle through a random node that has one, or else a shortest.
func (p *prover) cycle(g graph) []Edge {
	var best []Edge
	for _, a := range p.perm(len(g)) {
		if c := p.path(g, a, a); c != nil && (best == nil || len(c) < len(best)) {
			best = c
			if p.rng != nil {
				break
			}
		}
	}
	return best
}

// prove returns a refutation, or nil when there is none to be found. With
// splits false it is a single leaf.
func (p *prover) prove(splits bool) *Refutation {
	p.ref = &Refutation{}
	g := p.static(func(Rule) bool { return true })
	if p.m.Deps {
		p.own = true
		air := p.static(func(r Rule) bool { return r == Dependency || r == ReadsFrom })
		p.own = false
		if c := p.cycle(air); c != nil && p.invalid == nil {
			p.ref.Root = &Node{Cycle: c}
			return p.ref
		}
	}
	if p.ref.Root = p.tree(g, splits); p.ref.Root == nil {
		return nil
	}
	return p.ref
}

func (p *prover) tree(g graph, splits bool) *Node {
	p.saturate(g, -1)
	if c := p.cycle(g); c != nil {
		return &Node{Cycle: c}
	}
	if !splits {
		return nil
	}
	for _, a := range p.perm(p.n) {
		for b := range p.n {
			if !p.writesOfOneLocation(parse.OpID(a), parse.OpID(b)) || p.path(g, a, b) != nil || p.path(g, b, a) != nil {
				continue
			}
			n := &Node{From: parse.OpID(a), To: parse.OpID(b)}
			first, second := g.clone(), g.clone()
			first[a][b] = &Edge{From: n.From, To: n.To, Rule: Assumed, Via: parse.NoOp, Lemma: -1}
			second[b][a] = &Edge{From: n.To, To: n.From, Rule: Assumed, Via: parse.NoOp, Lemma: -1}
			n.First = p.tree(first, true)
			if n.First == nil {
				return nil
			}
			if p.leak {
				second = first
			}
			n.Second = p.tree(second, true)
			if n.Second == nil {
				return nil
			}
			return n
		}
	}
	return nil
}
