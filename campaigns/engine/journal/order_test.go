package journal

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
)

// recorder returns an Order of a number of runs, and the numbers that it has
// committed.
func recorder(runs int, fail func(number int) error) (*Order, *[]int) {
	var committed []int
	o := NewOrder(slices.Repeat([]bool{true}, runs), func(e *Entry) (bool, error) {
		committed = append(committed, e.Number)
		return true, fail(e.Number)
	})
	return o, &committed
}

func never(int) error { return nil }

// TestOrder adds runs in random order; they are committed by number.
func TestOrder(t *testing.T) {
	const runs = 100
	o, committed := recorder(runs, never)
	o.Skip(3)
	var want []int
	for n := range runs {
		if n != 3 {
			want = append(want, n)
		}
	}
	for _, n := range rand.New(rand.NewPCG(1, 2)).Perm(runs) {
		if n == 3 {
			continue
		}
		must.Succeed(t, o.Add(&Entry{Number: n}))
		if got := len(o.Missing([]int{n, 3})); got != 0 {
			t.Errorf("run %d is missing after it has ended", n)
		}
	}
	if diff := cmp.Diff(want, *committed); diff != "" {
		t.Errorf("committed runs (-want +got):\n%s", diff)
	}
	if n := o.Left(); n != 0 {
		t.Errorf("%d runs are left", n)
	}
}

// TestOrderEnds requires that nothing is committed after an error, that Discard
// returns what waits, and that Flush commits across gaps.
func TestOrderEnds(t *testing.T) {
	stop := errors.New("stop")
	o, committed := recorder(10, func(n int) error {
		if n == 2 {
			return stop
		}
		return nil
	})
	for _, n := range []int{4, 1, 3, 0} {
		must.Succeed(t, o.Add(&Entry{Number: n}))
	}
	if err := o.Add(&Entry{Number: 2}); !errors.Is(err, stop) {
		t.Errorf("error of commit: %v", err)
	}
	if err := o.Flush(); !errors.Is(err, stop) {
		t.Errorf("error of Flush: %v", err)
	}
	if !o.MustWait(3) {
		t.Error("a run need not wait although none is committed any more")
	}
	var waiting []int
	for _, e := range o.Discard() {
		waiting = append(waiting, e.Number)
	}
	if diff := cmp.Diff([][]int{{0, 1, 2}, {3, 4}}, [][]int{*committed, waiting}); diff != "" {
		t.Errorf("committed and waiting runs (-want +got):\n%s", diff)
	}

	o, committed = recorder(10, never)
	for _, n := range []int{7, 0, 5} {
		must.Succeed(t, o.Add(&Entry{Number: n}))
	}
	must.Succeed(t, o.Flush())
	if diff := cmp.Diff([]int{0, 5, 7}, *committed); diff != "" {
		t.Errorf("flushed runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 6, 8, 9}, o.Missing([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})); diff != "" {
		t.Errorf("missing runs (-want +got):\n%s", diff)
	}
}

// TestOrderUnrecorded requires that a run that cannot be recorded stays with
// those that wait.
func TestOrderUnrecorded(t *testing.T) {
	full := errors.New("disk full")
	o := NewOrder([]bool{true, true}, func(*Entry) (bool, error) { return false, full })
	if err := o.Add(&Entry{Number: 0}); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
	if !o.Waits(0) || o.Done(0) {
		t.Errorf("run 0 waits: %v, is done: %v", o.Waits(0), o.Done(0))
	}
}

// TestWaitForSlot requires that no further run starts while maxWaiting runs
// wait for an earlier one, except that one itself.
func TestWaitForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := recorder(maxWaiting+10, never)
		for n := 1; n <= maxWaiting; n++ {
			must.Succeed(t, o.Add(&Entry{Number: n}))
		}
		o.WaitForSlot(t.Context(), 0)
		started := false
		go func() {
			o.WaitForSlot(t.Context(), maxWaiting+1)
			started = true
		}()
		synctest.Wait()
		if started {
			t.Errorf("a run starts while %d wait", maxWaiting)
		}
		must.Succeed(t, o.Add(&Entry{Number: 0}))
		synctest.Wait()
		if !started {
			t.Error("a run does not start although none waits")
		}
	})
}
