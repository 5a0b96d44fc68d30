//go:build unix

package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenData opens what may be a pipe or a terminal for reading: it does not wait
// for the other end, and a terminal does not become that of this process.
func OpenData(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

// Lock locks a file until it is closed, by flock: no other open file can lock
// it. It does not wait; the error is ErrLocked or that of a file system without
// locks.
func Lock(f *os.File) error { return lock(f, unix.LOCK_EX) }

// LockShared locks a file until it is closed against Lock of others.
func LockShared(f *os.File) error { return lock(f, unix.LOCK_SH) }

func lock(f *os.File, kind int) error {
	err := unix.Flock(int(f.Fd()), kind|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
