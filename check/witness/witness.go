// Package witness defines the evidence of verdicts, and checks it without
// sharing code with the procedures that found it: Replay executes an order on
// an operational machine, Verify replays a refutation step by step.
package witness

import (
	"iter"

	"ordeal/parse"
)

// Order is the evidence that a model allows a history: every operation that
// is not a fence, once, in the order in which it took effect in memory. A
// write takes effect when it leaves its thread's store buffer. A read that is
// forwarded from the store buffer may stand before the write it reads.
type Order struct {
	Ops []parse.OpID
	_   struct{}
}

// Rule says why an edge of a refutation holds.
type Rule uint8

// The rules. From and To are the ends of the edge, accesses to memory; x is
// their location. "Precedes" is about the order in which operations take
// effect in memory (see Order), so that a read may precede the own write that
// was forwarded to it. parse.Init may be an end where the rule says so: it
// precedes every write to its location, so an edge into it closes a cycle.
// Via is parse.NoOp and Lemma -1 where a rule has no use for them.
const (
	RuleUnknown Rule = iota
	// PPO: To follows From in program order, and the model keeps their
	// order: by Model.PPO, an RMW being both load and store; or both access
	// x and To writes (and From reads, or both write), or both read and the
	// model has LoadLoadSameLoc. Under the causal models that have
	// program order (all but wCCM, wTSO and wPSO): To follows From.
	PPO
	// FenceOrder: a fence of the thread lies between From and To and one of
	// its components orders them. Via is the fence, or NoOp to have it
	// searched for.
	FenceOrder
	// Dependency: a chain of dependencies leads from From to To. Only under
	// models with Deps and those that keep loads before all that follows.
	Dependency
	// ReadsFrom: To reads from From, a write of another thread (any thread
	// under SC, and when To is an RMW, whose read is never forwarded). From
	// is never Init. Under models that know Dependency From may be of To's thread in a
	// leaf of nothing but Dependency and ReadsFrom edges: such a cycle is a
	// value out of thin air.
	ReadsFrom
	// OwnStore: From is an earlier own write of some read's thread to x and
	// To, another write, is what that read returned (coWR, with To possibly
	// Init). Via is the read.
	OwnStore
	// Coherence: From and To are writes to x that one thread's accesses
	// order (uniproc), where To follows in program order Via, a read of From
	// (coRW; From and To are the same write when a read returns a value that
	// its own thread stores later: a cycle of one edge), or Via is NoOp and
	// From precedes To in program order (coWW). Under models with Rules also:
	// Via is a read of To, possibly Init, that follows in program order a read
	// of From (coRR).
	Coherence
	// FromInit: From is Init, To any write to its location x.
	FromInit
	// FromRead: From reads Init and To is a write to x other than From.
	FromRead
	// FinalWrite: To is the write whose value x held at the end, possibly
	// Init; From is another write to x.
	FinalWrite
	// DerivedA: From and To=rf(Via) are different writes to x (To possibly
	// Init), and the premise shows that From precedes the read Via.
	DerivedA
	// DerivedB: From reads x from Via (possibly Init), and the premise
	// shows that Via precedes To, a write to x other than Via and From.
	DerivedB
	// Assumed: a case split on the path to the root assumes it. Both From
	// and To are writes to x.
	Assumed
	// StoreOrder: From precedes To in the history's known StoreOrder of x.
	StoreOrder
	// RealTime: From returns before To is called. Only under models with
	// RealTime.
	RealTime
	// Pipeline: To follows From in program order, and between them stands
	// something that depends on From (see model.Rules): a branch or an access
	// whose address does, where To is a store; the store that To reads from;
	// an instruction barrier Via behind a branch or such an access. Only under
	// models with Rules.Pipeline.
	Pipeline
)

// Edge says that From precedes To in every global memory order.
type Edge struct {
	From, To parse.OpID
	Rule     Rule
	// Via is the third operation of a rule that has one, else parse.NoOp.
	Via parse.OpID
	// Lemma is the index in Refutation.Lemmas of the lemma that proves a
	// DerivedA or DerivedB edge, else -1.
	Lemma int32
}

// Lemma proves Edge, whose Lemma field is the lemma's own index, by its
// premise: a path of one or more edges, each To being the next one's From.
// For DerivedA it leads from From to Via, for DerivedB from Via to To. Where a
// path goes through Init, both edges are about the same location. A premise
// may use edges with smaller Lemma numbers only.
type Lemma struct {
	Edge    Edge
	Premise []Edge
}

// Refutation is the evidence that a model forbids a history: a tree of case
// splits with a cycle at every leaf. Most refutations are one leaf; those of
// causal models always are. Verify says what it accepts.
type Refutation struct {
	Lemmas []Lemma
	Root   *Node
	_      struct{}
}

// Nodes yields every node of the tree once, a split before its cases.
func (r *Refutation) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		seen := map[*Node]bool{nil: true}
		var visit func(n *Node) bool
		visit = func(n *Node) bool {
			if seen[n] {
				return true
			}
			seen[n] = true
			return yield(n) && visit(n.First) && visit(n.Second)
		}
		visit(r.Root)
	}
}

// Edges yields the edges of lemmas, their premises and the cycles of leaves.
func (r *Refutation) Edges() iter.Seq[*Edge] {
	return func(yield func(*Edge) bool) {
		all := func(edges []Edge) bool {
			for i := range edges {
				if !yield(&edges[i]) {
					return false
				}
			}
			return true
		}
		for i := range r.Lemmas {
			if l := &r.Lemmas[i]; !yield(&l.Edge) || !all(l.Premise) {
				return
			}
		}
		for n := range r.Nodes() {
			if !all(n.Cycle) {
				return
			}
		}
	}
}

// Node is a leaf (Cycle non-empty) or a case split on the order of two
// different writes to one location: First holds when From precedes To is
// assumed, Second when To precedes From is. A leaf leaves the fields of a
// split zero, and a split those of a leaf. Lemmas used below a split may rest
// on its assumption, and on those of the splits above.
type Node struct {
	Cycle         []Edge // edges, each To the next From, the last To the first From
	From, To      parse.OpID
	First, Second *Node
}
