package host

import (
	"fmt"
	"syscall"
	"time"

	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// outcomeOf classifies the end of a generated executable.
func outcomeOf(end sandbox.Result, timeout time.Duration) sim.Result {
	switch {
	case end.TimedOut, end.Signal == syscall.SIGXCPU:
		return sim.Result{
			Outcome: sim.Timeout, Title: "guest exceeded its time",
			Detail: fmt.Sprintf("the guest was ended after %v", timeout),
		}
	case end.Signal == syscall.SIGKILL:
		// A guest cannot do this itself.
		return sim.Result{
			Outcome: sim.Infra, Title: "guest killed from outside",
			Detail: "the guest was ended by SIGKILL; the machine may be out of memory",
		}
	case end.Signal != 0:
		return sim.Result{
			Outcome: sim.Crash, Title: "guest killed by " + signalName(end.Signal),
			Detail: fmt.Sprintf("the guest was ended by signal %d (%v)", int(end.Signal), end.Signal),
		}
	}
	if end.Code == sandbox.ExitFilterRefused {
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not be confined",
			Detail: "the kernel refused the filter of system calls",
		}
	}
	return sim.ExitResult(end.Code)
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGILL: "SIGILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS",
	syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP", syscall.SIGXFSZ: "SIGXFSZ",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
