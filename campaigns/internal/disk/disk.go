// Package disk flushes files and directories to the disk. It is the one place
// that does, so that tests can tell what a crash would leave.
package disk

import (
	"fmt"
	"os"
	"sync/atomic"

	"ordeal/sim/osfile"
)

var observer atomic.Pointer[func(f *os.File)]

// Sync flushes an open file or directory: what a file contains, which names a
// directory has. A new file is on the disk when it and the directories on its
// path are.
func Sync(f *os.File) error {
	if err := osfile.Sync(f); err != nil {
		return fmt.Errorf("flush %s: %w", f.Name(), err)
	}
	if observe := observer.Load(); observe != nil {
		(*observe)(f)
	}
	return nil
}

// Observe calls a function after each Sync, until stop is called. It is for
// tests, one at a time.
func Observe(synced func(f *os.File)) (stop func()) {
	observer.Store(&synced)
	return func() { observer.Store(nil) }
}
