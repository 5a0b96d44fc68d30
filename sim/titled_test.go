package sim_test

import (
	"testing"

	"ordeal/sim"
)

func TestTitled(t *testing.T) {
	for _, tt := range []struct {
		outcome     sim.Outcome
		title, want string
	}{
		{sim.Deadlock, "deadlock: L1Cache is busy in IS", "deadlock: L1Cache is busy in IS"},
		{sim.Deadlock, "deadlock", "deadlock"},
		{sim.Deadlock, "no core completes an access", "deadlock: no core completes an access"},
		{sim.Deadlock, "deadlocked cores", "deadlock: deadlocked cores"},
		{sim.Violation, "deadlock: odd", "violation: deadlock: odd"},
		{sim.Timeout, "", "timeout"},
	} {
		if got := tt.outcome.Titled(tt.title); got != tt.want {
			t.Errorf("%v %q: %q, want %q", tt.outcome, tt.title, got, tt.want)
		}
	}
}
