package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Supported reports why this system runs no processes in the sandbox; nil on
// Linux.
func Supported() error { return nil }

// run is Run.
func run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	// Pdeathsig is sent when the starting thread ends, not the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append([]string{}, c.Env...) // nil would mean our own
	cmd.Dir = c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if c.Stdout != "" {
		f, err := os.Create(c.Stdout)
		if err != nil {
			return Result{}, err
		}
		defer f.Close() // written by the process only
		cmd.Stdout = f
	}
	if c.Stderr != "" {
		f, err := os.Create(c.Stderr)
		if err != nil {
			return Result{}, err
		}
		defer f.Close() // written by the process only
		cmd.Stderr = f
	}
	if cmd.Err != nil {
		return Result{}, cmd.Err
	}
	shim, err := c.Isolation.apply(cmd)
	if err != nil {
		return Result{}, err
	}
	usage := newUsage(&c)
	begin := time.Now()
	startErr := cmd.Start()
	if err := errors.Join(startErr, shim.started()); err != nil {
		if startErr == nil {
			_ = cmd.Process.Kill() // its end is not of interest
			_ = cmd.Wait()
		}
		_, _, closeErr := shim.close()
		return Result{}, errors.Join(err, closeErr)
	}
	g := group{pid: cmd.Process.Pid, exited: make(chan struct{}), usage: usage, shim: shim, ownPIDs: c.Isolation.Has(PIDNamespace)}
	setupErr := c.Limits.apply(g.pid, c.Isolation)
	if setupErr == nil {
		shim.release()
		if c.OnStart != nil {
			c.OnStart(g.pid)
		}
	}
	go g.watch()
	result := g.wait(ctx, c, setupErr != nil)
	status, err := g.end(cmd)
	result.Elapsed = time.Since(begin)
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	if err := errors.Join(setupErr, err); err != nil {
		return result, err
	}
	result.Code = status.ExitStatus()
	if status.Signaled() {
		result.Signal = status.Signal()
	}
	if result.Exceeded == NoLimit && usage.diskExceeded() {
		result.Exceeded = DiskLimit // since the last measurement
	}
	return result, nil
}
