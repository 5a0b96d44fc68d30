// Package launch runs the processes of simulators on Linux: each in a process
// group of its own, with limits, its output kept in files as far as it got,
// and surely gone afterwards.
package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"ordeal/sim/launch/jail"
)

// DefaultGrace is the time between SIGTERM and SIGKILL.
const DefaultGrace = 2 * time.Second

// Command is a process to run. Its standard input is /dev/null.
type Command struct {
	Path string
	Args []string // without the command's name
	// Env is the whole environment, "name=value"; nil means none.
	Env []string
	Dir string // working directory; empty means the caller's
	// Stdout and Stderr name files that receive the output, created or
	// truncated first; empty means /dev/null. What a process wrote before it
	// was killed is there.
	Stdout, Stderr string
	// Timeout bounds the run in wall-clock time; 0 means no bound.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL when the process
	// exceeds Timeout or the context is done; 0 means DefaultGrace.
	Grace time.Duration
	// Jail confines the process; the zero value does not. In a jail with a
	// filter the limits are set before the first instruction.
	Jail   jail.Jail
	Limits Limits
	// CPUs are the processors that the process may run on; empty means
	// those of the caller.
	CPUs []int
	// Started, if not nil, is called once the process runs, before waiting
	// for it.
	Started func(pid int)
	// Expired, if not nil, is called when Timeout has passed, before SIGTERM:
	// the last chance to look into the process.
	Expired func(pid int)
	_       struct{}
}

// End is how a process ended.
type End struct {
	Code int // the exit status, -1 after a signal
	// Signal is the signal that ended the process, 0 when it exited.
	Signal syscall.Signal
	// TimedOut says that Timeout passed, whatever Code and Signal are.
	TimedOut bool
	// Exceeded is the limit for which the process was ended, or that it had
	// exceeded when it ended.
	Exceeded     Limit
	Elapsed      time.Duration // wall-clock time
	User, System time.Duration // processor time
	_            struct{}
}

// Run runs c to its end. An error means that the process could not be started
// or that ctx is done (then it wraps context.Cause(ctx)); in every case
// nothing of the process group is left running.
func Run(ctx context.Context, c Command) (End, error) {
	if err := ctx.Err(); err != nil {
		return End{}, fmt.Errorf("run %s: %w", c.Path, context.Cause(ctx))
	}
	// The death of the thread that started a process counts as the death of
	// its parent (Pdeathsig), and processor affinity belongs to a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append([]string{}, c.Env...) // nil would mean our own
	cmd.Dir = c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	for _, output := range []struct {
		path string
		set  func(*os.File)
	}{
		{c.Stdout, func(f *os.File) { cmd.Stdout = f }},
		{c.Stderr, func(f *os.File) { cmd.Stderr = f }},
	} {
		if output.path == "" {
			continue
		}
		f, err := os.Create(output.path)
		if err != nil {
			return End{}, fmt.Errorf("run %s: %w", c.Path, err)
		}
		defer f.Close() // written by the process, not by us
		output.set(f)
	}

	if cmd.Err != nil {
		return End{}, fmt.Errorf("run %s: %w", c.Path, cmd.Err)
	}
	entry, err := c.Jail.Enter(cmd)
	if err != nil {
		return End{}, fmt.Errorf("run %s: %w", c.Path, err)
	}
	meter := newMeter(&c)
	begin := time.Now()
	startErr, restoreErr := onCPUs(c.CPUs, cmd.Start)
	if startErr != nil {
		return End{}, fmt.Errorf("run %s: %w", c.Path, errors.Join(startErr, restoreErr, entry.End()))
	}
	g := group{pid: cmd.Process.Pid, ended: make(chan struct{}), meter: meter}
	setupErr := errors.Join(restoreErr, c.Limits.set(g.pid, c.Jail.Has(jail.User)))
	entry.Admit()
	if c.Started != nil && setupErr == nil {
		c.Started(g.pid)
	}
	go g.watch()
	end := g.wait(ctx, c, setupErr != nil)
	// Nobody has collected the process yet, so that its group's number cannot
	// be anybody else's.
	g.signal(syscall.SIGKILL)
	waitErr := cmd.Wait()
	entryErr := entry.End()
	end.Elapsed = time.Since(begin)
	switch exited := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return end, fmt.Errorf("run %s: %w", c.Path, context.Cause(ctx))
	case setupErr != nil:
		return end, fmt.Errorf("run %s: %w", c.Path, setupErr)
	case entryErr != nil:
		return end, fmt.Errorf("run %s: %w", c.Path, entryErr)
	case waitErr != nil && !errors.As(waitErr, &exited):
		return end, fmt.Errorf("run %s: %w", c.Path, waitErr)
	}
	end.fill(cmd.ProcessState)
	if end.Exceeded == Unlimited && meter.disk() {
		end.Exceeded = Disk // in its last moments
	}
	return end, nil
}

func (e *End) fill(state *os.ProcessState) {
	e.Code = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	e.User, e.System = state.UserTime(), state.SystemTime()
}

// WriteExecutable writes a file that is about to be run. While it is open for
// writing no other process is started from here: a child would hold it open
// until its own exec, and running the file would fail with ETXTBSY.
func WriteExecutable(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o755)
}
