package witness

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// Explain prints a refutation as text: first the operations that matter,
// each with a letter, in columns by thread where they fit; then the lemmas,
// each with what it concludes, why, and its premise; then the cycle. Case
// splits are indented, and a lemma that rests on an assumption is printed where
// that is made. Run it on a history shrunk to the operations that matter; it
// works on any. It refuses what Verify refuses.
func Explain(w io.Writer, h *parse.History, m model.Model, refutation *Refutation) error {
	if err := Verify(h, m, refutation); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	u := usesOf(h, refutation).withSources()
	x := &explainer{
		h: h, ref: refutation, u: u, needs: needsOf(u),
		letter: map[parse.OpID]string{}, number: map[int32]int{}, shown: map[int32]bool{},
	}
	for i, id := range u.list {
		x.letter[id] = Letters(i)
	}
	for i, l := range u.lemmas {
		x.number[l] = i + 1
	}
	x.operations()
	x.finals()
	x.node(refutation.Root, nil, "")
	_, err := w.Write(x.out.Bytes())
	return err
}

type explainer struct {
	h      *parse.History
	ref    *Refutation
	u      *uses
	letter map[parse.OpID]string
	number map[int32]int                    // of a lemma, from 1
	shown  map[int32]bool                   // lemmas printed in this case or around it
	needs  map[int32]map[[2]parse.OpID]bool // assumptions by lemma
	out    bytes.Buffer
}

func (x *explainer) operations() {
	var columns [][]string
	for t := range x.h.Threads() {
		var column []string
		for _, id := range x.u.list {
			if x.h.Start[t] <= id && id < x.h.Start[t+1] {
				column = append(column, fmt.Sprintf("%s: %s", x.letter[id], opText(x.h, id)))
			}
		}
		if column != nil {
			columns = append(columns, append([]string{"thread " + x.h.ThreadNames[t]}, column...))
		}
	}
	Columns(&x.out, columns)
}

func (x *explainer) finals() {
	if x.h.Final == nil {
		return
	}
	for loc, id := range x.h.Final {
		if x.u.finals[int32(loc)] {
			value := "0"
			if id != parse.Init {
				value = fmt.Sprint(x.h.Ops[id].Write)
			}
			fmt.Fprintf(&x.out, "final M[%s] == %s\n", x.h.Locations[loc], value)
		}
	}
}

// node prints the tree below n, where assumed holds.
func (x *explainer) node(n *Node, assumed []Edge, indent string) {
	var shown []int32
	for _, l := range UsedLemmas(x.h, x.ref, n) {
		if !x.shown[l] && x.rests(l, assumed) {
			x.shown[l] = true
			shown = append(shown, l)
			x.lemma(l, indent)
		}
	}
	if n.leaf() {
		x.out.WriteString("\n" + indent + "Cycle:\n")
		x.path(n.Cycle, indent+"  ")
	} else {
		x.split(n.From, n.To, n.First, assumed, indent)
		x.split(n.To, n.From, n.Second, assumed, indent)
	}
	for _, l := range shown {
		delete(x.shown, l)
	}
}

func (x *explainer) split(from, to parse.OpID, n *Node, assumed []Edge, indent string) {
	fmt.Fprintf(&x.out, "\n%sCase %s → %s:\n", indent, x.letter[from], x.letter[to])
	x.node(n, append(assumed[:len(assumed):len(assumed)], Edge{From: from, To: to}), indent+"  ")
}

// rests reports whether lemma l rests on no assumption but the given ones.
func (x *explainer) rests(l int32, assumed []Edge) bool {
	for pair := range x.needs[l] {
		if !slices.ContainsFunc(assumed, func(a Edge) bool { return a.From == pair[0] && a.To == pair[1] }) {
			return false
		}
	}
	return true
}

func needsOf(u *uses) map[int32]map[[2]parse.OpID]bool {
	needs := make(map[int32]map[[2]parse.OpID]bool, len(u.lemmas))
	for _, l := range u.lemmas { // ascending: premises first
		all := map[[2]parse.OpID]bool{}
		for _, e := range u.ref.Lemmas[l].Premise {
			if e.Rule == Assumed {
				all[[2]parse.OpID{e.From, e.To}] = true
			} else if e.Lemma >= 0 {
				maps.Copy(all, needs[e.Lemma])
			}
		}
		needs[l] = all
	}
	return needs
}

func (x *explainer) lemma(l int32, indent string) {
	e := x.ref.Lemmas[l].Edge
	from, to, via := x.end(e.From, e), x.end(e.To, e), x.end(e.Via, e)
	var why string
	if e.Rule == DerivedA {
		why = fmt.Sprintf("%s → %s, and %s reads %s", from, via, via, to)
	} else {
		why = fmt.Sprintf("%s reads %s, and %s → %s", from, via, via, to)
	}
	fmt.Fprintf(&x.out, "\n%sL%d: %s → %s, since %s:\n", indent, x.number[l], from, to, why)
	x.path(x.ref.Lemmas[l].Premise, indent+"  ")
}

func (x *explainer) path(edges []Edge, indent string) {
	lines := make([][2]string, len(edges))
	for i, e := range edges {
		lines[i] = [2]string{x.end(e.From, e) + " → " + x.end(e.To, e), x.reason(e)}
	}
	Reasons(&x.out, indent, lines)
}

func (x *explainer) end(id parse.OpID, e Edge) string {
	if id == parse.Init {
		r := rules{h: x.h}
		return fmt.Sprintf("init M[%s]", x.h.Locations[r.edgeLoc(e)])
	}
	return x.letter[id]
}

func (x *explainer) reason(e Edge) string {
	from, to, via := x.end(e.From, e), x.end(e.To, e), x.letter[e.Via]
	switch e.Rule {
	case FenceOrder:
		if e.Via == parse.NoOp {
			via = x.letter[x.u.fence(e)]
		}
		return "fence " + via
	case ReadsFrom:
		return to + " reads " + from
	case OwnStore:
		return fmt.Sprintf("%s follows %s in its thread, and reads %s", via, from, to)
	case Coherence:
		if e.Via != parse.NoOp && e.From != e.To && x.h.Ops[e.Via].RF == e.To {
			return fmt.Sprintf("%s reads %s, after a read of %s in its thread", via, to, from)
		}
		if e.Via != parse.NoOp {
			return fmt.Sprintf("%s reads %s, and %s follows it in its thread", via, from, to)
		}
	case FromRead:
		return from + " reads the initial value"
	case FinalWrite:
		return to + " is the final value"
	case RealTime:
		return fmt.Sprintf("%s returns at %d, %s is called at %d", from, x.h.Times[e.From].Return, to, x.h.Times[e.To].Call)
	case DerivedA, DerivedB:
		return fmt.Sprintf("L%d", x.number[e.Lemma])
	}
	return ruleTexts[e.Rule].reason
}
