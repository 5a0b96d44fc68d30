package possible

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/serial/internal/seqgen"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// runAtRandom runs a program under SC, one transaction after the other or an
// operation at a time, and returns the order of its threads' steps.
func runAtRandom(rng *rand.Rand, p seqgen.Program, variables int, serial bool) *events.Sequence {
	var choices []int
	at := make([]int, len(p))
	left := 0
	for _, steps := range p {
		left += len(steps)
	}
	for left > 0 {
		t := rng.IntN(len(p))
		for first := true; at[t] < len(p[t]) && (first || serial && !p[t][at[t]].First); first = false {
			choices = append(choices, t)
			if p[t][at[t]].Kind == events.Write {
				choices = append(choices, ^t)
			}
			at[t]++
			left--
		}
	}
	return p.Run(variables, choices)
}

// permute is the history with its threads in another order: order[i] is what
// thread i of the result was.
func permute(h *parse.History, order []int) *parse.History {
	out := &parse.History{Start: []parse.OpID{0}, Locations: h.Locations}
	moved := make([]parse.OpID, len(h.Ops))
	for _, t := range order {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			moved[id] = parse.OpID(len(out.Ops))
			out.Ops = append(out.Ops, h.Ops[id])
		}
		out.Start = append(out.Start, parse.OpID(len(out.Ops)))
		out.ThreadNames = append(out.ThreadNames, h.ThreadNames[t])
		for tx := range h.Blocks(t) {
			first := moved[tx.First]
			out.Transactions = append(out.Transactions, parse.Transaction{First: first, End: first + tx.End - tx.First})
		}
	}
	for i := range out.Ops {
		op := &out.Ops[i]
		if op.RF >= 0 {
			op.RF = moved[op.RF]
		}
		if op.Writes() {
			op.Write += gen.Value(len(h.Ops)) // a name, too
		}
	}
	for i := range out.Ops {
		if op := &out.Ops[i]; op.RF >= 0 {
			op.Read = out.Ops[op.RF].Write
		}
	}
	return out
}

// TestThreadsAreNames: the order of the threads changes no answer, and a history
// of transactions that were run one after the other is never called not
// serializable.
func TestThreadsAreNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	runs, depends := 150, 0
	for n := range runs {
		threads, variables := 3+rng.IntN(2), 1+rng.IntN(3)
		p := seqgen.RandomProgram(rng, seqgen.Shape{
			Threads: threads, Variables: variables, Events: 12 + rng.IntN(14),
			Read: 40, Fence: rng.IntN(8), Update: rng.IntN(8), End: 20 + rng.IntN(60),
		})
		oneByOne := rng.IntN(2) == 0
		h := historyOf(runAtRandom(rng, p, variables, oneByOne), p, variables, false, false)
		permuted := permute(h, rng.Perm(threads))
		for _, q := range []Question{SerializableSC, SerializableTSO, Robust} {
			a, _ := decideHistory(t, h, q)
			b, _ := decideHistory(t, permuted, q)
			if (a.Holds == nil) != (b.Holds == nil) || (a.Fails == nil) != (b.Fails == nil) {
				t.Fatalf("history %d, %s: with other threads first the answers are others\n%v", n, q, h.Ops)
			}
			if oneByOne && q != Robust && a.Holds == nil {
				t.Fatalf("history %d: transactions that follow each other are not serializable: %s\n%v", n, q, h.Ops)
			}
			if a.Holds != nil && a.Fails != nil {
				depends++
			}
		}
	}
	t.Logf("%d histories, %d answers depend on the execution", runs, depends)
	if depends < runs/4 {
		t.Error("the histories are too uniform for a test")
	}
}
