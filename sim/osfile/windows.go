//go:build windows

package osfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// NoWait are no flags here: pipes have names of their own.
const NoWait = 0

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

// Open is os.OpenFile for files that are renamed while they are open, which the
// flags of os.OpenFile forbid on Windows. It makes and opens files only as flags
// of this project ask.
func Open(name string, flags int, _ fs.FileMode) (*os.File, error) {
	fail := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return fail(err)
	}
	var access uint32
	switch flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) {
	case os.O_RDONLY:
		access = windows.GENERIC_READ
	case os.O_WRONLY:
		access = windows.GENERIC_WRITE
	default:
		access = windows.GENERIC_READ | windows.GENERIC_WRITE
	}
	if flags&os.O_APPEND != 0 {
		access = access&^windows.GENERIC_WRITE | windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES | windows.SYNCHRONIZE
	}
	var create uint32
	switch {
	case flags&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		create = windows.CREATE_NEW
	case flags&(os.O_CREATE|os.O_TRUNC) == os.O_CREATE|os.O_TRUNC:
		create = windows.CREATE_ALWAYS
	case flags&os.O_CREATE != 0:
		create = windows.OPEN_ALWAYS
	case flags&os.O_TRUNC != 0:
		create = windows.TRUNCATE_EXISTING
	default:
		create = windows.OPEN_EXISTING
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(path, access, share, nil, create, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return fail(err)
	}
	return os.NewFile(uintptr(h), name), nil
}

// Sync flushes an open file to the disk. Windows flushes no directories.
func Sync(f *os.File) error {
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil
	}
	return f.Sync()
}

// SyncAll flushes an open file; there is no call for all of a file system.
func SyncAll(f *os.File) error { return f.Sync() }

// WritableByOthers is false: files have access lists here, which are not read.
func WritableByOthers(string) (bool, error) { return false, nil }

// Executable returns no error: files have no such permission here.
func Executable(string) error { return nil }

// MakePipe returns an error.
func MakePipe(path string) error {
	return &fs.PathError{Op: "make pipe", Path: path, Err: errors.ErrUnsupported}
}
