package builtin

import (
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestTimer gives the caches of the small protocol a TimerTable: each line that
// a store is performed on is counted down, and evicted lines are as well.
func TestTimer(t *testing.T) {
	path := edited(t, "cache.sm",
		"    PutAck;\n  }", "    PutAck;\n    Timeout;\n  }",
		"  TBETable TBEs, ", `  structure(TimerTable, inport="yes", external="yes") {
    Addr nextAddress();
    void set(Addr, Tick);
    void unset(Addr);
    bool isSet(Addr);
  }
  TimerTable timers;
  TBETable TBEs, `,
		"  in_port(orderPort, ", `  in_port(timerPort, Addr, timers) {
    if (timerPort.isReady(clockEdge())) {
      Addr over := timers.nextAddress();
      assert(timers.isSet(over));
      trigger(Event:Timeout, over, getCacheEntry(over), TBEs[over]);
    }
  }
  in_port(orderPort, `,
		`  action(a_allocate, "a") {`, `  action(ti_start, "ti") {
    if (timers.isSet(address) == false) {
      timers.set(address, clockEdge() + cyclesToTicks(issue_latency));
    }
  }
  action(to_stop, "to") {
    timers.unset(address);
  }
  action(a_allocate, "a") {`,
		"  transition(M, Store) {", "  transition({I, M, IM, MI, II}, Timeout) {\n    to_stop;\n  }\n  transition(M, Store) {\n    ti_start;",
		"  Tick clockEdge();", "  Tick clockEdge();\n  Tick cyclesToTicks(Cycles c);")
	for _, end := range []struct {
		edit    string
		outcome sim.Outcome
		title   string
	}{
		{"", sim.Passed, ""},
		{"twice", sim.Crash, "timer table: unset of a line that is not set"},
	} {
		if end.edit != "" {
			replaceIn(t, path, "cache.sm", "    timers.unset(address);", "    timers.unset(address);\n    timers.unset(address);")
		}
		r := newRunner(t, Options{SLICC: path, Core: core.TSO})
		report := ends(t, r, sim.Job{Program: randomProgram(t, 1, 3), Rounds: 20, Seed: 1}, end.outcome, end.title)
		var timeouts, stores uint64
		for _, c := range report.Coverage {
			switch c.Event {
			case "Timeout":
				timeouts += c.Count
			case "Store":
				if c.State == "M" {
					stores += c.Count
				}
			}
		}
		if timeouts == 0 || timeouts > stores {
			t.Errorf("%d timeouts, %d stores", timeouts, stores)
		}
	}
}
