package launch

import (
	"context"
	"syscall"
	"time"
	"unsafe"
)

// group is a running process group.
type group struct {
	pid   int           // of its leader, which is the group's number too
	ended chan struct{} // closed when the leader has ended
	meter *meter
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
// time is up, a limit is exceeded or stop is set; it reports which of them.
func (g *group) wait(ctx context.Context, c Command, stop bool) (end End) {
	var expired, look <-chan time.Time
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		expired = timer.C
	}
	if g.meter != nil {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	for watching := !stop; watching; {
		select {
		case <-g.ended:
			return end
		case <-look:
			if end.Exceeded = g.meter.exceeded(g.pid); end.Exceeded != Unlimited {
				// It goes on exceeding it while it ends in its own way.
				g.signal(syscall.SIGKILL)
				<-g.ended
				return end
			}
		case <-expired:
			end.TimedOut, watching = true, false
			if c.Expired != nil {
				c.Expired(g.pid)
			}
		case <-ctx.Done():
			watching = false
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
	return end
}
