package host

import (
	"fmt"
	"syscall"
	"time"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/launch"
)

// outcomeOf says what the end of an executable made by package elf means.
func outcomeOf(end launch.End, timeout time.Duration) sim.Result {
	switch {
	case end.TimedOut:
		return sim.Result{
			Outcome: sim.Timeout, Title: "guest exceeded its time",
			Detail: fmt.Sprintf("the guest was ended after %v", timeout),
		}
	case end.Signal == syscall.SIGKILL:
		// Nothing in a guest can do this.
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
	switch end.Code {
	case elf.ExitPassed:
		return sim.Result{Outcome: sim.Passed}
	case elf.ExitStartBarrier:
		return deadlock("start", end.Code)
	case elf.ExitRoundBarrier:
		return deadlock("round", end.Code)
	case elf.ExitEndBarrier:
		return deadlock("end", end.Code)
	case elf.ExitCloneFailed:
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not start its threads",
			Detail: fmt.Sprintf("the guest exited with code %d: clone failed", end.Code),
		}
	case elf.ExitWriteFailed:
		return sim.Result{
			Outcome: sim.Infra, Title: "guest could not write its log",
			Detail: fmt.Sprintf("the guest exited with code %d: write failed; the disk may be full", end.Code),
		}
	}
	return sim.Result{
		Outcome: sim.Crash, Title: fmt.Sprintf("guest exited with code %d", end.Code),
		Detail: "no generated program exits with this code",
	}
}

func deadlock(barrier string, code int) sim.Result {
	return sim.Result{
		Outcome: sim.Deadlock, Title: fmt.Sprintf("guest gave up at the %s barrier", barrier),
		Detail: fmt.Sprintf("the guest exited with code %d: a thread made no progress", code),
	}
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
