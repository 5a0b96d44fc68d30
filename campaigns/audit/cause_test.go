package audit

import (
	"fmt"
	"testing"

	"ordeal/sim"
)

// TestCauses takes titles that end alike and need the same for one cause, and others
// for causes of their own.
func TestCauses(t *testing.T) {
	r := &Report{Findings: []*Finding{
		{Title: "deadlock: A is busy in X", Outcome: "deadlock", Needs: []string{needDevices, "held locks"}},                                                                                                                           // 1
		{Title: "invalid transition (S, Load) of A", Failure: sim.Failure{Kind: sim.KindInvalidTransition, Row: sim.Row{Machine: "A", State: "S", Event: "Load"}}, Outcome: "crash", Needs: []string{needPrefetches}},                  // 2
		{Title: "deadlock: A is busy in Y", Outcome: "deadlock", Needs: []string{needTransactions, needDevices}},                                                                                                                       // 1
		{Title: "invalid transition (S, Store) of A", Failure: sim.Failure{Kind: sim.KindInvalidTransition, Row: sim.Row{Machine: "A", State: "S", Event: "Store"}}, Outcome: "crash", Needs: []string{"wrong paths", needPrefetches}}, // 2
		{Title: "invalid transition (S, Store) of B", Failure: sim.Failure{Kind: sim.KindInvalidTransition, Row: sim.Row{Machine: "B", State: "S", Event: "Store"}}, Outcome: "crash", Needs: []string{needPrefetches}},                // 3: another machine
		{Title: "stale copy in A(S)", Outcome: "violation"},                                                                  // 4
		{Title: "value lost after Inv in A", Outcome: "violation", Needs: []string{needDevices}},                             // 5: not what needs nothing
		{Title: "value lost after Inv in B", Outcome: "violation", Needs: []string{"late stores"}},                           // 4: nothing unusual
		{Title: "failed assertion in A.f: x", Outcome: "crash", Needs: []string{needDevices}},                                // 6
		{Title: "failed assertion in A.f: y", Outcome: "crash", Needs: []string{needDevices}},                                // 7
		{Title: "value lost after Put in A", Outcome: "violation", Needs: []string{needParameter + "A.x=1"}},                 // 8
		{Title: "value lost after Put in B", Outcome: "violation", Needs: []string{needParameter + "A.x=1", needPrefetches}}, // 8
		{Title: "deadlock: A is busy in Z", Outcome: "deadlock", Needs: []string{needPrefetches}},                            // 9
		{Title: "invalid transition (T, Load) of A", Failure: sim.Failure{Kind: sim.KindInvalidTransition, Row: sim.Row{Machine: "A", State: "T", Event: "Load"}}, Outcome: "crash", Needs: []string{needPrefetches, "linked loads", "x", "yy"}}, // 2: the same event
		{Title: "functional read finds no data: A in state X", Failure: sim.Failure{Kind: sim.KindNoData, Row: sim.Row{Machine: "A", State: "X"}}, Outcome: "crash", Needs: []string{needFunctional}},                                            // 10
		{Title: "functional read finds no data: A in state Y", Failure: sim.Failure{Kind: sim.KindNoData, Row: sim.Row{Machine: "A", State: "Y"}}, Outcome: "crash", Needs: []string{needFunctional}},                                            // 10
	}}
	r.setCauses()
	got := ""
	for _, f := range r.Findings {
		got += fmt.Sprint(f.Cause % 10)
	}
	if want := "1212345467889200"; got != want {
		t.Errorf("causes %s, want %s", got, want)
	}
	if n := len(r.Causes()); n != 10 || len(r.Causes()[1]) != 3 {
		t.Errorf("%d causes, %d findings of the second", n, len(r.Causes()[1]))
	}
}
