// Package jail confines processes on Linux, without help of theirs: by a
// filter of system calls (seccomp) that is in place before their first
// instruction and, where the kernel allows, by namespaces of their own.
//
// # Guests
//
// A generated program is straight machine code that needs five system calls:
// clone to start threads, write, sched_yield, exit and exit_group. Anything
// else is a fault of the generator, or of whoever put a file in its place, and
// ends the process by SIGSYS: it cannot open a file, make a socket, start or
// execute a program, send a signal or map memory. Guard adds the filter to the
// executable itself; that takes 3 µs here and 30 µs in the kernel, of some 750
// for the shortest run.
//
// Namespaces would add nothing to that and cost more than the run. Of processor
// time, on a machine where starting and collecting a process that does nothing
// takes 160 µs, a user namespace takes 400 µs more, one for the network 450 µs,
// all kinds together 1.1 ms; another execve before the guest's own, which could
// install the filter too, takes 35 µs.
//
// # Tools
//
// gem5 is somebody else's large program. It may open files and start processes
// as its user may, but has no network (no sockets but those of the local kind,
// and a network namespace of its own, where nobody listens to those either),
// cannot look into other processes, and cannot change the system. What is not
// allowed fails with EPERM. The namespaces are those of network, System V IPC
// and host name. A mount namespace without mounts of its own confines nothing.
// A pid namespace would change what is tested: its first process gets no
// signals that it has no handler for, so that neither abort nor SIGTERM ends a
// gem5 there as elsewhere.
//
// Go runs no code of its own between fork and exec, and to execute this program
// again to have it there costs milliseconds. So a tool starts as the door: a
// static executable of some hundred bytes, made here and kept in memory, that
// gives up privileges (no_new_privs), installs the filter and executes the
// tool's own file.
package jail

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Guests tells why this machine cannot run what Guard makes; nil when it can. It
// is found out once, by trying.
var Guests = sync.OnceValue(tryGuard)

// Namespace is a kind of namespace, by its flag of clone.
type Namespace uintptr

// The namespaces. User, where the others need privileges that this process
// lacks, gives the new process the privilege to have them; its user and group
// stay.
const (
	User    Namespace = syscall.CLONE_NEWUSER
	Network Namespace = syscall.CLONE_NEWNET
	IPC     Namespace = syscall.CLONE_NEWIPC
	Host    Namespace = syscall.CLONE_NEWUTS
)

var namespaceNames = map[Namespace]string{User: "user", Network: "net", IPC: "ipc", Host: "uts"}

// String is the name as in /proc/PID/ns.
func (n Namespace) String() string { return namespaceNames[n] }

// Jail is what confines a tool. The zero value confines nothing.
type Jail struct {
	// Filter installs the filter of system calls.
	Filter     bool
	Namespaces []Namespace
	// Missing says what this machine does not allow, and why; empty when
	// nothing is missing.
	Missing string
	_       struct{}
}

// Tools is the best jail that this machine allows. It is found out once, by
// trying.
var Tools = sync.OnceValue(func() Jail {
	var j Jail
	var missing []string
	if err := (Jail{Filter: true}).try(); err == nil {
		j.Filter = true
	} else {
		missing = append(missing, fmt.Sprintf("no filter of system calls (%v)", err))
	}
	spaces := []Namespace{Network, IPC, Host}
	plain := Jail{Filter: j.Filter, Namespaces: spaces}
	asUser := Jail{Filter: j.Filter, Namespaces: append([]Namespace{User}, spaces...)}
	if plain.try() == nil {
		j = plain
	} else if err := asUser.try(); err == nil {
		j = asUser
	} else {
		// The kernel says that there is no space where a sysctl forbids them.
		if path := (*os.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		missing = append(missing, fmt.Sprintf("no namespaces (%v)", err))
	}
	j.Missing = strings.Join(missing, "; ")
	return j
})

// String is what confines, for people.
func (j Jail) String() string {
	var parts []string
	if j.Filter {
		parts = append(parts, "seccomp")
	}
	if len(j.Namespaces) > 0 {
		var names []string
		for _, n := range j.Namespaces {
			names = append(names, n.String())
		}
		parts = append(parts, "namespaces "+strings.Join(names, " "))
	}
	if j.Missing != "" {
		parts = append(parts, j.Missing)
	}
	if len(parts) == 0 {
		return "limits only"
	}
	return strings.Join(parts, ", ")
}

// Has reports whether the jail has a namespace of a kind.
func (j Jail) Has(n Namespace) bool { return slices.Contains(j.Namespaces, n) }

// Enter changes cmd, which is ready to be started, such that it starts in jail
// and waits to be admitted. cmd.ExtraFiles must be empty.
func (j Jail) Enter(cmd *exec.Cmd) (*Entry, error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	for _, n := range j.Namespaces {
		attr.Cloneflags |= uintptr(n)
	}
	if j.Has(User) {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	cmd.SysProcAttr = &attr
	if !j.Filter {
		return new(Entry), nil
	}
	file, err := door()
	if err != nil {
		return nil, err
	}
	entry, err := newEntry(cmd.Path)
	if err != nil {
		return nil, err
	}
	// The door passes on its arguments but the first.
	cmd.Args = append([]string{"door", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = childPath(file)
	cmd.ExtraFiles = []*os.File{entry.doors}
	return entry, nil
}

// try starts a process in jail that executes nothing, and reports what is in
// the way.
func (j Jail) try() error {
	cmd := exec.Command("/proc/self/nothing")
	entry, err := j.Enter(cmd)
	if err != nil {
		return err
	}
	startErr := cmd.Start()
	if startErr == nil {
		entry.Admit()
		startErr = cmd.Wait()
	}
	missing := (*executeError)(nil)
	switch err := entry.End(); {
	case errors.As(err, &missing): // it got that far
		return nil
	case err != nil:
		return err
	case !j.Filter && errors.Is(startErr, os.ErrNotExist):
		return nil
	case startErr == nil:
		return errors.New("the process in jail ended without a word")
	}
	return startErr
}
