package sandbox

import (
	"cmp"
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
	if best.Filter {
		best.Landlock = landlockABI()
	}
	if best.Landlock == 0 {
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

// apply changes cmd, which is ready to be started, so that it starts isolated,
// in a group of its own, without the files that this process has inherited, and waits for
// the shim's release. cmd.ExtraFiles must be empty.
func (i Isolation) apply(cmd *exec.Cmd) (*shim, error) {
	if err := inheritNothing(); err != nil {
		return nil, err
	}
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
	file, err := shimFile(shimKind{mounts: i.Has(MountNamespace), landlock: i.Landlock > 0})
	if err != nil {
		return nil, err
	}
	var writable []string
	if i.Landlock > 0 {
		writable = append(filepath.SplitList(os.Getenv(WritableVariable)), cmp.Or(cmd.Dir, "."))
	}
	shim, err := newShim(cmd.Path, i.Landlock, writable)
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
