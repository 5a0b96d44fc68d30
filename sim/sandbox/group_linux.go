package sandbox

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// group is the processes of a command.
type group struct {
	pid     int           // of its leader, also the group's id
	exited  chan struct{} // closed when the command has ended
	usage   *usage        // nil without measured limits
	shim    *shim         // nil where the leader is the command itself
	ownPIDs bool          // the leader is the first of a pid namespace
}

// signal sends s to all processes of the group, if any are left.
func (g *group) signal(s syscall.Signal) { _ = syscall.Kill(-g.pid, s) }

// watch closes exited when the command has ended. The leader is not reaped.
func (g *group) watch() {
	defer close(g.exited)
	if g.shim != nil {
		g.shim.wait()
		return
	}
	for {
		err := unix.Waitid(unix.P_PID, g.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// end kills what is left of the group after exited is closed, and returns the
// command's status.
func (g *group) end(cmd *exec.Cmd) (syscall.WaitStatus, error) {
	if g.shim != nil && !g.ownPIDs {
		killDescendants(g.pid)
	}
	// The leader is not reaped yet, so that its id still names this group. With
	// the first process of a pid namespace all others of it end.
	g.signal(syscall.SIGKILL)
	err := cmd.Wait()
	status, known, shimErr := g.shim.close()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		err = nil
	}
	if own, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && !known {
		status = own
	}
	return status, errors.Join(shimErr, err)
}

// killDescendants kills the descendants of the process pid until none runs.
// Those whose parent has ended are its children, as it is a subreaper.
func killDescendants(pid int) {
	for range 1000 { // more than a process that forks as fast as it can survives
		running := 0
		for _, child := range descendants(pid) {
			if !zombie(child) {
				running++
				_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
			}
		}
		if running == 0 {
			return
		}
	}
}

// wait returns when the command has ended. It terminates the group when ctx is
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
	grace := cmp.Or(c.Grace, DefaultGrace)
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
			stop, grace = true, min(grace, InterruptGrace)
		}
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
