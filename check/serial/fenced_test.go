package serial

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// TestExecutionFenced is Theorem 3 for single executions: on those that are
// transaction-fenced, robustness and serializability under SC together say
// what the monitor of TSO says.
func TestExecutionFenced(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	runs := scale.Of(400, 1000, 20_000)
	var robust, classic, serializable, all int
	for range runs {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(3), Variables: 1 + rng.IntN(4), Events: 4 + rng.IntN(20),
			Read: 50, Update: rng.IntN(5), End: 20 + rng.IntN(60), Close: 100, Commit: rng.IntN(60), Drained: true,
		})
		v, err := DecideFenced(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		want := execution(t, TSO, s)
		if v.Serializable != want.Serializable {
			t.Fatalf("robust %v, then %v under SC, and %v under TSO:\n%s",
				v.Robust.Serializable, v.Classic.Serializable, want.Serializable, s.Text())
		}
		all++
		if v.Robust.Serializable {
			robust++
			if _, err := events.Parse("", v.SC.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if v.Classic.Serializable {
			classic++
		}
		if want.Serializable {
			serializable++
		}
	}
	t.Logf("%d executions: %d robust, %d serializable", all, robust, serializable)
	if robust == all {
		t.Error("every execution is robust")
	}
	if classic == robust || classic == 0 {
		t.Errorf("%d executions are classically serializable, want some, but not all of the %d robust ones", classic, robust)
	}
}

func TestFencedErrors(t *testing.T) {
	fenced := func(s *events.Sequence) error { _, err := DecideFenced(s); return err }
	under := func(rel Relation) func(s *events.Sequence) error {
		return func(s *events.Sequence) error { _, err := Decide(rel, s); return err }
	}
	for _, row := range []struct {
		decide func(*events.Sequence) error
		text   string
		want   error
	}{
		{fenced, "execution\nthreads a\nvariables x\na write x\na commit x\na read x\n", ErrUnfenced},
		{fenced, "execution\nthreads a\nvariables x\na write x\n", ErrPending},
		{fenced, "trace\nthreads a\nvariables x\na write x\n", ErrTrace},
		{under(TSO), "trace\nthreads a\nvariables x\na write x\n", ErrTrace},
		{under(SC), "execution\nthreads a\nvariables x y\na write x\na read y\na commit x\n", ErrNotSC},
	} {
		if err := row.decide(sequence(t, row.text)); !errors.Is(err, row.want) {
			t.Errorf("%q: %v, want %v", row.text, err, row.want)
		}
	}
}

// TestCheckers has the checkers of evidence refuse damaged evidence.
func TestCheckers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	refusedOrders, refusedCycles := 0, 0
	for range 300 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 3, Variables: 2, Events: 20, Read: 50, Fence: 5, End: 60, Commit: 40, Drained: true,
		})
		tx := func(i int32) int32 { return s.Events[i].Tx }
		v := execution(t, TSO, s)
		if v.Serializable {
			i := rng.IntN(len(v.Order) - 1)
			v.Order[i], v.Order[i+1] = v.Order[i+1], v.Order[i]
			conflict := false
			c := NewConflicts(s)
			for j := range int32(len(s.Events)) {
				for k := range j {
					conflict = conflict || tx(k) == v.Order[i+1] && tx(j) == v.Order[i] && c.Conflict(TSO, k, j)
				}
			}
			err := CheckOrder(TSO, s, tx, v.Order)
			if (err != nil) != conflict {
				t.Fatalf("swapped transactions that conflict (%v): %v", conflict, err)
			}
			if conflict {
				refusedOrders++
			}
			if CheckOrder(TSO, s, tx, v.Order[1:]) == nil {
				t.Fatal("an order without a transaction is accepted")
			}
			v.Order[0] = v.Order[1]
			if CheckOrder(TSO, s, tx, v.Order) == nil {
				t.Fatal("an order with a transaction twice is accepted")
			}
			continue
		}
		refusedCycles++
		if CheckCycle(TSO, s, tx, v.Cycle[1:]) == nil {
			t.Fatal("a cycle without an edge is accepted")
		}
		e := v.Cycle[0]
		if CheckCycle(TSO, s, tx, []Edge{e, {From: e.To, To: e.From}}) == nil {
			t.Fatal("an edge there and back is accepted")
		}
		if CheckCycle(TSO, s, tx, []Edge{e, e}) == nil {
			t.Fatal("an edge twice is accepted")
		}
		v.Cycle[0].From, v.Cycle[0].To = v.Cycle[0].To, v.Cycle[0].From
		if CheckCycle(TSO, s, tx, v.Cycle) == nil {
			t.Fatal("an edge backwards is accepted")
		}
		v.Cycle[0] = Edge{From: 0, To: int32(len(s.Events))}
		if CheckCycle(TSO, s, tx, v.Cycle) == nil {
			t.Fatal("an edge to no event is accepted")
		}
	}
	if refusedOrders < 10 || refusedCycles < 10 {
		t.Errorf("%d orders and %d cycles were refused", refusedOrders, refusedCycles)
	}
}
