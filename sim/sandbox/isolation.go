package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Namespace is a kind of namespace, by its flag of clone.
type Namespace uintptr

// The namespaces. UserNamespace gives the new process the privilege to have
// the others where this process lacks it; user and group ids stay the same.
// MountNamespace comes with PIDNamespace: /proc is then that of the new one.
const (
	UserNamespace    Namespace = syscall.CLONE_NEWUSER
	PIDNamespace     Namespace = syscall.CLONE_NEWPID
	MountNamespace   Namespace = syscall.CLONE_NEWNS
	NetworkNamespace Namespace = syscall.CLONE_NEWNET
	IPCNamespace     Namespace = syscall.CLONE_NEWIPC
	HostNamespace    Namespace = syscall.CLONE_NEWUTS
)

// String is the name as in /proc/PID/ns.
func (n Namespace) String() string {
	return map[Namespace]string{
		UserNamespace: "user", PIDNamespace: "pid", MountNamespace: "mnt", NetworkNamespace: "net", IPCNamespace: "ipc", HostNamespace: "uts",
	}[n]
}

// Isolation is what confines a tool. The zero value confines nothing.
type Isolation struct {
	// Filter has the tool start by way of the shim: without capabilities, under
	// the seccomp filter of tools, and with all of its descendants killed at
	// the end.
	Filter bool
	// Landlock restricts writing to Command.Dir, what WritableVariable lists and
	// /dev/null, and signals to the tool's own processes. It takes Filter.
	Landlock   bool
	Namespaces []Namespace
	// Missing says what this machine does not allow and why, for reports.
	Missing string
	_       struct{}
}

// WritableVariable is the environment variable that lists more directories
// that tools may write, separated by colons.
const WritableVariable = "ORDEAL_WRITABLE"

// outer are the namespaces that need no shim, inner those that do.
var (
	outer = []Namespace{NetworkNamespace, IPCNamespace, HostNamespace}
	inner = []Namespace{PIDNamespace, MountNamespace}
)

// candidates are the choices of namespaces, the best first.
func candidates(filter bool) [][]Namespace {
	user := []Namespace{UserNamespace}
	weaker := [][]Namespace{outer, slices.Concat(user, outer)}
	if !filter {
		return weaker
	}
	return append([][]Namespace{slices.Concat(inner, outer), slices.Concat(user, inner, outer)}, weaker...)
}

// BestIsolation is the strongest isolation that this machine allows,
// determined once by trial. Where the tool could see this process, whose memory
// it could then change, this process becomes undumpable.
var BestIsolation = sync.OnceValue(func() Isolation {
	var best Isolation
	var missing []string
	if err := (Isolation{Filter: true}).try(); err == nil {
		best.Filter = true
	} else {
		missing = append(missing, fmt.Sprintf("no seccomp filter (%v)", err))
	}
	var first error
	for _, namespaces := range candidates(best.Filter) {
		i := Isolation{Filter: best.Filter, Namespaces: namespaces}
		err := i.try()
		if err == nil {
			best = i
			break
		}
		if i.Has(UserNamespace) { // what every user may try
			first = cmp.Or(first, err)
		}
	}
	// Where a sysctl forbids namespaces, the kernel reports "no space".
	if path, ok := errors.AsType[*os.PathError](first); ok {
		first = path.Err
	}
	switch {
	case len(best.Namespaces) == 0:
		missing = append(missing, fmt.Sprintf("no namespaces (%v)", first))
	case best.Filter && !best.Has(PIDNamespace):
		missing = append(missing, fmt.Sprintf("no pid namespace (%v)", first))
	}
	if best.Filter && landlockABI() > 0 {
		best.Landlock = true
	} else {
		missing = append(missing, "no Landlock")
	}
	if !best.Has(PIDNamespace) && !best.Has(UserNamespace) {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			missing = append(missing, fmt.Sprintf("memory of Ordeal not protected (%v)", err))
		}
	}
	best.Missing = strings.Join(missing, "; ")
	return best
})

// UnconfinedVariable is the environment variable by which a user has programs
// run where nothing confines them.
const UnconfinedVariable = "ORDEAL_UNCONFINED"

// Unconfined reports whether the user has set UnconfinedVariable to "1".
func Unconfined() bool { return os.Getenv(UnconfinedVariable) == "1" }

// Confines reports why i is too weak for programs of others; nil when it is not.
func (i Isolation) Confines() error {
	if i.Filter || i.Has(UserNamespace) {
		return nil
	}
	return fmt.Errorf("this machine confines no programs (%s); with %s=1 they run all the same", cmp.Or(i.Missing, "no isolation"), UnconfinedVariable)
}

// RunTool runs a tool of third parties: like Run, with the strongest isolation
// and with ToolEnvironment. It refuses where nothing confines unless the user
// allows it; see Unconfined.
func RunTool(ctx context.Context, c Command) (Result, error) {
	c.Isolation, c.Env = BestIsolation(), ToolEnvironment()
	if err := c.Isolation.Confines(); err != nil && !Unconfined() {
		return Result{}, fmt.Errorf("run %s: %w", c.Path, err)
	}
	return Run(ctx, c)
}

// String lists what confines and what is missing.
func (i Isolation) String() string {
	var parts []string
	if i.Filter {
		parts = append(parts, "seccomp")
	}
	if len(i.Namespaces) > 0 {
		names := "namespaces"
		for _, n := range i.Namespaces {
			names += " " + n.String()
		}
		parts = append(parts, names)
	}
	if i.Landlock {
		parts = append(parts, "Landlock")
	}
	if i.Missing != "" {
		parts = append(parts, i.Missing)
	}
	if len(parts) == 0 {
		return "limits only"
	}
	return strings.Join(parts, ", ")
}

// Has reports whether the process gets a namespace of kind n.
func (i Isolation) Has(n Namespace) bool { return slices.Contains(i.Namespaces, n) }

// apply changes cmd, which is ready to be started, so that it starts isolated,
// in a group of its own, and waits for the shim's release. cmd.ExtraFiles must be empty.
func (i Isolation) apply(cmd *exec.Cmd) (*shim, error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	for _, n := range i.Namespaces {
		attr.Cloneflags |= uintptr(n)
	}
	if i.Has(UserNamespace) {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	attr.Setpgid = true
	cmd.SysProcAttr = &attr
	if !i.Filter {
		return nil, nil
	}
	file, err := shimFile(shimKind{mounts: i.Has(MountNamespace), landlock: i.Landlock})
	if err != nil {
		return nil, err
	}
	var writable []string
	if i.Landlock {
		writable = append(filepath.SplitList(os.Getenv(WritableVariable)), cmp.Or(cmd.Dir, "."))
	}
	shim, err := newShim(cmd.Path, writable)
	if err != nil {
		return nil, err
	}
	// The shim passes on its arguments but the first.
	cmd.Args = append([]string{"shim", cmd.Path}, cmd.Args[1:]...)
	if i.Has(UserNamespace) {
		// Other users than root lose their capabilities in the new namespace by
		// exec. The shim mounts /proc with them, and drops them.
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	}
	cmd.Path = childPath(file)
	cmd.ExtraFiles = shim.files()
	return shim, nil
}

// try starts an isolated process that executes nothing, and reports why that
// fails.
func (i Isolation) try() error {
	cmd := exec.Command("/proc/self/nothing")
	_, err := i.start(cmd)
	if _, reached := errors.AsType[*executeError](err); reached || !i.Filter && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return cmp.Or(err, errors.New("the isolated process ended without a report"))
}

// start runs cmd isolated to its end, without limits, and returns its status.
func (i Isolation) start(cmd *exec.Cmd) (syscall.WaitStatus, error) {
	shim, err := i.apply(cmd)
	if err != nil {
		return 0, err
	}
	startErr := cmd.Start()
	if err := shim.started(); err != nil {
		return 0, err
	}
	if startErr != nil {
		_, _, err := shim.close()
		return 0, errors.Join(startErr, err)
	}
	shim.release()
	g := group{pid: cmd.Process.Pid, exited: make(chan struct{}), shim: shim, ownPIDs: i.Has(PIDNamespace)}
	g.watch()
	return g.end(cmd)
}
