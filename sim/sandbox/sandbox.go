// Package sandbox runs the processes of simulators and of generated programs
// on Linux: a Command goes in, the Result of the process comes out. On other
// systems it compiles and runs nothing; see Supported. Each process runs
// in a process group of its own with bounded resources; its output goes to
// files, which keep what it wrote before it was killed; no process of the
// group is left behind.
//
// Processes are confined without their cooperation: by a seccomp filter that
// is in place before their first instruction and, where the kernel allows, by
// namespaces.
//
// # Generated programs
//
// A generated program needs five system calls: clone to start threads, write,
// sched_yield, exit and exit_group. Any other one ends the process by SIGSYS.
// AddGuestFilter adds the filter to the executable itself, which takes 3 µs
// here and 30 µs in the kernel, of some 750 µs for the shortest run.
//
// Namespaces would add nothing and cost more than the run: 400 µs for a user
// namespace, 450 µs for the network, 1.1 ms for all kinds, where an empty
// process takes 160 µs. A second execve, which could install the filter too,
// takes 35 µs.
//
// # Tools
//
// gem5 and other programs of third parties may read files and start processes
// as their user may, but have no capabilities and no sockets (but connected
// pairs of their own), write only below the command's directory, cannot change
// the mode, owner, times or attributes of a file, inspect other processes or
// make namespaces, and cannot change the system: such calls fail with EPERM,
// and those newer than this package with ENOSYS. Namespaces separate process
// ids, /proc, the network, System V IPC and the host name. What a kernel lacks
// of this is in Isolation.Missing.
//
// Go cannot run code between fork and exec, and executing this program once
// more costs milliseconds. So a tool starts as the shim: a static executable of
// some thousand bytes, generated here and kept in memory, that mounts /proc,
// gives up privileges (no_new_privs), restricts itself by Landlock and seccomp,
// forks, and executes the tool in the child. The shim stays as the first process
// of the pid namespace, which ends with it, or as a subreaper, whose
// descendants are killed one by one: nothing outlives a run, setsid or not.
// Signals to the group reach the tool, which is not the first process itself:
// that one gets none without a handler.
package sandbox

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// DefaultGrace is the time between SIGTERM and SIGKILL.
const DefaultGrace = 2 * time.Second

// InterruptGrace is the most of it when the context is done: who asked for that waits two seconds in all.
const InterruptGrace = time.Second

// Command is a process to run. Its standard input is /dev/null.
type Command struct {
	Path string
	Args []string // without the command's name
	// Env is the whole environment, "name=value"; nil means none.
	Env []string
	Dir string // working directory; empty means the caller's
	// Stdout and Stderr name files that receive the output, created or
	// truncated first; empty means /dev/null.
	Stdout, Stderr string
	// Timeout bounds the run in wall-clock time; 0 means no bound.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL when Timeout passes or the
	// context is done; 0 means DefaultGrace.
	Grace time.Duration
	// Isolation confines the process; the zero value does not.
	Isolation Isolation
	Limits    Limits
	// OnStart, if not nil, is called once the process runs.
	OnStart func(pid int)
	// OnTimeout, if not nil, is called when Timeout has passed, before SIGTERM,
	// while the memory of the process can still be read.
	OnTimeout func(pid int)
	_         struct{}
}

// Result is how a process ended.
type Result struct {
	Code     int            // the exit status, -1 after a signal
	Signal   syscall.Signal // that ended the process; 0 when it exited
	TimedOut bool           // Timeout passed, whatever Code and Signal are
	// Exceeded is the measured limit that the process exceeded.
	Exceeded Limit
	Elapsed  time.Duration // wall-clock time
	_        struct{}
}

// Run runs c to its end. It fails when the process could not be started or
// confined, and when ctx is done (the error wraps context.Cause(ctx)); in every
// case no process of the group is left running.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := Supported(); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Path, err)
	}
	result, err := run(ctx, c)
	if err != nil {
		return result, fmt.Errorf("run %s: %w", c.Path, err)
	}
	return result, nil
}

// WriteExecutable writes an executable file. No process is started from here
// while the file is open for writing: a child would keep it open until its own
// exec, and executing the file would fail with ETXTBSY.
func WriteExecutable(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o755)
}

// ExitFilterRefused is the exit status of a process for which the kernel
// refused the filter, before any code of its own.
const ExitFilterRefused = 120
