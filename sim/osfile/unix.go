//go:build unix

package osfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// NoWait are the flags of os.OpenFile by which it does not wait for the other end of a pipe, and a
// terminal does not become that of this process.
const NoWait = unix.O_NONBLOCK | unix.O_NOCTTY

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

// Open is os.OpenFile for files that are renamed while they are open.
func Open(name string, flags int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, mode)
}

// Sync flushes an open file or directory to the disk.
func Sync(f *os.File) error { return f.Sync() }

// WritableByOthers reports whether users other than this one and root own a
// file, or may write to it.
func WritableByOthers(path string) (bool, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return false, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Uid != uint32(os.Getuid()) && st.Uid != 0 || st.Mode&0o022 != 0, nil
}

// Executable returns an error unless this process may execute a file.
func Executable(path string) error { return unix.Access(path, unix.X_OK) }

// MakePipe makes a named pipe for this user.
func MakePipe(path string) error { return unix.Mkfifo(path, 0o600) }
