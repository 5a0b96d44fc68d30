package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"ordeal/sim/osfile"
)

var syncObserver atomic.Pointer[func(f *os.File)]

// Sync flushes an open file or directory to the disk: what a file contains, which
// names a directory has. A new file is on the disk when it and the directories on
// its path are. It is the one place that flushes, so that tests can tell what a
// crash would leave.
func Sync(f *os.File) error {
	if err := osfile.Sync(f); err != nil {
		return fmt.Errorf("flush %s: %w", f.Name(), err)
	}
	if observe := syncObserver.Load(); observe != nil {
		(*observe)(f)
	}
	return nil
}

// ObserveSync calls a function after each Sync, until stop is called. It is for
// tests, one at a time.
func ObserveSync(synced func(f *os.File)) (stop func()) {
	syncObserver.Store(&synced)
	return func() { syncObserver.Store(nil) }
}

// held are the directories that this process has locked; a lock ends with the process.
var held []*os.File

// LockDir makes a directory if it is missing, and locks it against other processes until this one ends. A file system
// without locks has none.
func LockDir(dir string) error {
	if err := MakeDurable(dir); err != nil {
		return err
	}
	f, err := openExisting(dir)
	if err != nil {
		return err
	}
	if err := osfile.Lock(f); errors.Is(err, osfile.ErrLocked) {
		return errors.Join(fmt.Errorf("%s: another process works in this directory%s", dir, LockedBy(f)), f.Close())
	}
	held = append(held, f)
	return nil
}

// Flush flushes a file or directory to the disk. The name of it is on the disk
// when the directory that it is in is flushed, too.
func Flush(path string) error {
	if err := inspect(path); err != nil {
		return err
	}
	f, err := openExisting(path)
	if err != nil {
		return err
	}
	return errors.Join(Sync(f), f.Close())
}

// FlushTree flushes a directory with all that is below it, and then its name.
func FlushTree(dir string) error {
	if err := flushBelow(dir); err != nil {
		return err
	}
	return Flush(filepath.Dir(dir))
}

func flushBelow(dir string) error {
	entries, err := ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = flushBelow(path)
		case e.Type().IsRegular():
			// A program may leave files that it alone could read.
			if err = Flush(path); errors.Is(err, fs.ErrPermission) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	return Flush(dir)
}

// MakeDurable makes a directory and those above it that are missing, and flushes
// their names.
func MakeDurable(path string) error {
	parent := filepath.Dir(path)
	if !Exists(path) && parent != path {
		if err := MakeDurable(parent); err != nil {
			return err
		}
	}
	if err := MkdirAll(path); err != nil {
		return err
	}
	// Flushing a directory takes the permission to list it, which that above the
	// user's own may not give.
	if err := Flush(parent); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
