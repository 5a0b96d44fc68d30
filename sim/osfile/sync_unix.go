//go:build unix && !linux

package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll flushes all file systems.
func SyncAll(f *os.File) error {
	if err := unix.Sync(); err != nil {
		return err
	}
	return f.Sync()
}
