package witness

import (
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/parse"
)

// decoder makes a refutation of bytes: nearly every input is one.
type decoder struct {
	data []byte
	ops  int
}

func (d *decoder) next(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

func (d *decoder) edges() []Edge {
	out := make([]Edge, d.next(6))
	for i := range out {
		out[i] = Edge{
			From: parse.OpID(d.next(d.ops+3) - 2), To: parse.OpID(d.next(d.ops+3) - 2), Rule: Rule(d.next(int(StoreOrder) + 2)),
			Via: parse.OpID(d.next(d.ops+3) - 2), Lemma: int32(d.next(6) - 1),
		}
		if i > 0 && d.next(2) == 0 {
			out[i].From = out[i-1].To
		}
	}
	return out
}

func (d *decoder) node(depth int) *Node {
	switch k := d.next(8); {
	case k == 0:
		return nil
	case k < 3 && depth > 0:
		return &Node{
			From: parse.OpID(d.next(d.ops)), To: parse.OpID(d.next(d.ops)),
			First: d.node(depth - 1), Second: d.node(depth - 1),
		}
	default:
		return &Node{Cycle: d.edges()}
	}
}

// FuzzVerify gives Verify arbitrary refutations of the named cases: it must not
// panic, nor accept one where brute force allows.
func FuzzVerify(f *testing.F) {
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		f.Fatal(err)
	}
	models := append(append(totals, closures...), weak...)
	allowed := map[[2]string]bool{}
	decide := func(c cases.Case, m model.Model) bool {
		key := [2]string{c.Name, m.Name}
		if _, ok := allowed[key]; !ok {
			allowed[key] = brute.Allowed(c.History, m)
		}
		return allowed[key]
	}
	f.Add([]byte{0, 0, 1, 3, 2, 5, 1, 3, 4, 1, 0, 0, 0})
	f.Add([]byte{7, 1, 0, 7, 1, 2, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &decoder{data: data}
		c := all[d.next(len(all))]
		m := models[d.next(len(models))]
		d.ops = len(c.History.Ops)
		ref := &Refutation{Lemmas: make([]Lemma, d.next(4))}
		for i := range ref.Lemmas {
			premise := d.edges()
			edge := Edge{
				From: parse.OpID(d.next(d.ops+2) - 1), To: parse.OpID(d.next(d.ops+2) - 1),
				Rule: DerivedA + Rule(d.next(2)), Via: parse.OpID(d.next(d.ops+2) - 1), Lemma: int32(i),
			}
			ref.Lemmas[i] = Lemma{Edge: edge, Premise: premise}
		}
		ref.Root = d.node(3)
		if Verify(c.History, m, ref) == nil && decide(c, m) {
			t.Fatalf("%s: %s: accepted: %+v", c.Name, m.Name, ref)
		}
	})
}
