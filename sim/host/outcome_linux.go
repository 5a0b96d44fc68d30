package host

import (
	"cmp"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/sim"
	"ordeal/sim/sandbox"
)

func outcomeOf(end sandbox.Result, timeout time.Duration) sim.Result {
	switch {
	case end.TimedOut, end.Signal == syscall.SIGXCPU:
		return sim.TimeLimit("guest exceeded its time", fmt.Sprintf("the guest was ended after %v", timeout))
	case end.Signal == syscall.SIGKILL:
		// A guest cannot do this itself.
		return sim.Result{
			Outcome: sim.Infra, Title: "guest killed from outside",
			Detail: "the guest was ended by SIGKILL; the machine may be out of memory",
		}
	case end.Signal != 0:
		return sim.Result{
			Outcome: sim.Crash, Title: "guest killed by " + cmp.Or(unix.SignalName(end.Signal), fmt.Sprintf("signal %d", int(end.Signal))),
			Detail: fmt.Sprintf("the guest was ended by signal %d (%v)", int(end.Signal), end.Signal),
		}
	}
	if end.Code == sandbox.ExitFilterRefused {
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not be confined",
			Detail: "the kernel refused the filter of system calls",
		}
	}
	result := sim.ExitResult(end.Code)
	if result.Outcome == sim.Deadlock {
		// Polls of a barrier are time of this machine, whose other threads may
		// have had no core meanwhile.
		return sim.TimeLimit(result.Title, result.Detail)
	}
	return result
}
