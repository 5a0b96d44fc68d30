package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Namespace is a kind of namespace, by its flag of clone (linux/sched.h).
type Namespace uintptr

// The namespaces. UserNamespace gives the new process the privilege to have
// the others where this process lacks it; user and group ids stay the same.
// MountNamespace comes with PIDNamespace: /proc is then that of the new one.
const (
	UserNamespace    Namespace = 0x1000_0000
	PIDNamespace     Namespace = 0x2000_0000
	MountNamespace   Namespace = 0x0002_0000
	NetworkNamespace Namespace = 0x4000_0000
	IPCNamespace     Namespace = 0x0800_0000
	HostNamespace    Namespace = 0x0400_0000
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
	// Landlock is the version of Landlock by which the tool is restricted, 0 for
	// none: writing is to Command.Dir, what WritableVariable lists and
	// /dev/null, and, from version 6, signals to its own processes. It takes
	// Filter.
	Landlock   int
	Namespaces []Namespace
	// Missing says what this machine does not allow and why, for reports.
	Missing string
	_       struct{}
}

// WritableVariable is the environment variable that lists more directories
// that tools may write, separated by colons.
const WritableVariable = "ORDEAL_WRITABLE"

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
	if err := Supported(); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Path, err)
	}
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
	if i.Landlock > 0 {
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
