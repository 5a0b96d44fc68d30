package sandbox

import (
	"context"
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

type group struct {
	pid    int           // of its leader, also the group's id
	exited chan struct{} // closed when the leader has exited
	usage  *usage        // nil without measured limits
}

// signal sends s to all processes of the group, if any are left.
func (g *group) signal(s syscall.Signal) { _ = syscall.Kill(-g.pid, s) }

// watch closes exited when the leader has exited, but does not reap it.
func (g *group) watch() {
	defer close(g.exited)
	for {
		err := unix.Waitid(unix.P_PID, g.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// wait returns when the leader has exited. It terminates the group when ctx is
// done, the timeout passes, a measured limit is exceeded, or stop is set.
func (g *group) wait(ctx context.Context, c Command, stop bool) (result Result) {
	var timeout, measure <-chan time.Time
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	if g.usage != nil {
		ticker := time.NewTicker(measureInterval)
		defer ticker.Stop()
		measure = ticker.C
	}
	for !stop {
		select {
		case <-g.exited:
			return result
		case <-measure:
			if result.Exceeded = g.usage.exceeded(g.pid); result.Exceeded != NoLimit {
				// No grace: it would go on exceeding the limit.
				g.signal(syscall.SIGKILL)
				<-g.exited
				return result
			}
		case <-timeout:
			result.TimedOut, stop = true, true
			if c.OnTimeout != nil {
				c.OnTimeout(g.pid)
			}
		case <-ctx.Done():
			stop = true
		}
	}
	grace := c.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	g.signal(syscall.SIGTERM)
	select {
	case <-g.exited:
	case <-time.After(grace):
		g.signal(syscall.SIGKILL)
		<-g.exited
	}
	return result
}
