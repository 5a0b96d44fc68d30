package launch

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// group is a running process group.
type group struct {
	pid   int           // of its leader, which is the group's number too
	ended chan struct{} // closed when the leader has ended
}

// signal sends s to all processes of the group; that none is left is fine.
func (g *group) signal(s syscall.Signal) { _ = syscall.Kill(-g.pid, s) }

// watch closes ended when the leader has ended, and leaves it uncollected.
func (g *group) watch() {
	const pPID, wExited, wNoWait = 1, 4, 0x1000000
	defer close(g.ended)
	var info [128]byte // siginfo_t
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(g.pid),
			uintptr(unsafe.Pointer(&info)), wExited|wNoWait, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// wait returns when the leader has ended, of itself or because ctx is done,
// time is up or stop is set; it reports whether time was up.
func (g *group) wait(ctx context.Context, c Command, stop bool) (timedOut bool) {
	var expired <-chan time.Time
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		expired = timer.C
	}
	if !stop {
		select {
		case <-g.ended:
			return false
		case <-expired:
			timedOut = true
			if c.Expired != nil {
				c.Expired(g.pid)
			}
		case <-ctx.Done():
		}
	}
	grace := c.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	g.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-g.ended:
	case <-timer.C:
		g.signal(syscall.SIGKILL)
		<-g.ended
	}
	return timedOut
}

// limit sets both values of a resource limit of a process.
func limit(pid, resource int, value uint64) error {
	rlimit := syscall.Rlimit{Cur: value, Max: value}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource),
		uintptr(unsafe.Pointer(&rlimit)), 0, 0, 0)
	if errno != 0 && !errors.Is(errno, syscall.ESRCH) {
		return fmt.Errorf("set resource limit %d to %d: %w", resource, value, errno)
	}
	return nil
}

func limitUnlessZero(pid, resource int, value uint64) error {
	if value == 0 {
		return nil
	}
	return limit(pid, resource, value)
}
