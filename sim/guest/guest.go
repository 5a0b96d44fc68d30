// Package guest says what it means when an executable made by package elf
// ends, wherever it ran.
package guest

import (
	"fmt"

	"ordeal/gen/wire"
	"ordeal/sim"
)

// Exited is the outcome of a run whose executable exited with a code; log and
// time are the caller's.
func Exited(code int) sim.Result {
	switch code {
	case wire.ExitPassed:
		return sim.Result{Outcome: sim.Passed}
	case wire.ExitStartBarrier:
		return deadlock("start", code)
	case wire.ExitRoundBarrier:
		return deadlock("round", code)
	case wire.ExitEndBarrier:
		return deadlock("end", code)
	case wire.ExitCloneFailed:
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not start its threads",
			Detail: fmt.Sprintf("the guest exited with code %d: clone failed", code),
		}
	case wire.ExitWriteFailed:
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not write its log",
			Detail: fmt.Sprintf("the guest exited with code %d: write failed; the disk may be full", code),
		}
	}
	return sim.Result{
		Outcome: sim.Crash, Title: fmt.Sprintf("guest exited with code %d", code),
		Detail: "no generated program exits with this code",
	}
}

func deadlock(barrier string, code int) sim.Result {
	return sim.Result{
		Outcome: sim.Deadlock, Title: fmt.Sprintf("guest gave up at the %s barrier", barrier),
		Detail: fmt.Sprintf("the guest exited with code %d: a thread made no progress", code),
	}
}
