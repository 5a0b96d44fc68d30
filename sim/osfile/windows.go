//go:build windows

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// OpenData opens what may be a pipe for reading.
func OpenData(name string) (*os.File, error) { return os.Open(name) }

// Lock locks a file until it is closed: no other open file can lock it. It does
// not wait; the error is ErrLocked or that of a file system without locks.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared locks a file until it is closed against Lock of others.
func LockShared(f *os.File) error { return lock(f, 0) }

// lock locks one byte far beyond the end, as locks of Windows keep others from
// reading what they cover.
func lock(f *os.File, kind uint32) error {
	at := windows.Overlapped{Offset: 1<<32 - 2, OffsetHigh: 1<<31 - 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY|kind, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
