package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Namespace is a kind of namespace, by its flag of clone.
type Namespace uintptr

// The namespaces. UserNamespace gives the new process the privilege to have
// the others where this process lacks it; user and group ids stay the same.
const (
	UserNamespace    Namespace = syscall.CLONE_NEWUSER
	NetworkNamespace Namespace = syscall.CLONE_NEWNET
	IPCNamespace     Namespace = syscall.CLONE_NEWIPC
	HostNamespace    Namespace = syscall.CLONE_NEWUTS
)

// String is the name as in /proc/PID/ns.
func (n Namespace) String() string {
	return map[Namespace]string{UserNamespace: "user", NetworkNamespace: "net", IPCNamespace: "ipc", HostNamespace: "uts"}[n]
}

// Isolation is what confines a tool. The zero value confines nothing.
type Isolation struct {
	// Filter installs the seccomp filter of tools.
	Filter     bool
	Namespaces []Namespace
	// Missing says what this machine does not allow and why, for reports.
	Missing string
	_       struct{}
}

// BestIsolation is the strongest isolation that this machine allows,
// determined once by trial.
var BestIsolation = sync.OnceValue(func() Isolation {
	var best Isolation
	var missing []string
	if err := (Isolation{Filter: true}).try(); err == nil {
		best.Filter = true
	} else {
		missing = append(missing, fmt.Sprintf("no seccomp filter (%v)", err))
	}
	namespaces := []Namespace{NetworkNamespace, IPCNamespace, HostNamespace}
	plain := Isolation{Filter: best.Filter, Namespaces: namespaces}
	asUser := Isolation{Filter: best.Filter, Namespaces: append([]Namespace{UserNamespace}, namespaces...)}
	if plain.try() == nil {
		best = plain
	} else if err := asUser.try(); err == nil {
		best = asUser
	} else {
		// Where a sysctl forbids namespaces, the kernel reports "no space".
		if path, ok := errors.AsType[*os.PathError](err); ok {
			err = path.Err
		}
		missing = append(missing, fmt.Sprintf("no namespaces (%v)", err))
	}
	best.Missing = strings.Join(missing, "; ")
	return best
})

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

// apply changes cmd, which is ready to be started, so that it starts isolated
// and waits for the shim's release. cmd.ExtraFiles must be empty.
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
	cmd.SysProcAttr = &attr
	if !i.Filter {
		return nil, nil
	}
	file, err := shimFile()
	if err != nil {
		return nil, err
	}
	shim, err := newShim(cmd.Path)
	if err != nil {
		return nil, err
	}
	// The shim passes on its arguments but the first.
	cmd.Args = append([]string{"shim", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = childPath(file)
	cmd.ExtraFiles = []*os.File{shim.remote}
	return shim, nil
}

// try starts an isolated process that executes nothing, and reports why that
// fails.
func (i Isolation) try() error {
	cmd := exec.Command("/proc/self/nothing")
	shim, err := i.apply(cmd)
	if err != nil {
		return err
	}
	startErr := cmd.Start()
	if startErr == nil {
		shim.release()
		startErr = cmd.Wait()
	}
	err = shim.close()
	if _, reached := errors.AsType[*executeError](err); reached || !i.Filter && errors.Is(startErr, os.ErrNotExist) {
		return nil
	}
	if err == nil && startErr == nil {
		err = errors.New("the isolated process ended without a report")
	}
	return cmp.Or(err, startErr)
}
