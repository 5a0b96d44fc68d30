//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
)

// errSystem is what everything here returns that executes programs.
var errSystem = errors.New("programs are executed on Linux only, and this is " + runtime.GOOS +
	": check, gen, explore, reports and the embedded simulator (--sim builtin) work everywhere")

// Supported reports why this system runs no processes in the sandbox; nil on
// Linux.
func Supported() error { return errSystem }

// run is not reached: see Run.
func run(context.Context, Command) (Result, error) { return Result{}, errSystem }

// BestIsolation is the strongest isolation that this machine allows: none.
func BestIsolation() Isolation { return Isolation{Missing: "no isolation on " + runtime.GOOS} }

// AddGuestFilter returns an error: the filter is one of Linux.
func AddGuestFilter([]byte) ([]byte, error) { return nil, errSystem }

// GuestFilterError is why this machine cannot run what AddGuestFilter makes.
func GuestFilterError() error { return errSystem }

// CPUs returns an error: where a process may run is known on Linux.
func CPUs() ([]int, error) { return nil, errSystem }

// Pin returns an error.
func Pin(tid, cpu int) error { return errSystem }
