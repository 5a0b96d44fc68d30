// Package scratch makes temporary directories. Those of a process that was killed
// are removed by the next one that makes some.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ordeal/sim/osfile"
)

const (
	prefix   = "ordeal-scratch-"
	lockFile = "lock"
	// attempts is how often a directory is made that another process takes for one
	// that was left, before it is locked.
	attempts = 10
)

// swept has the directories of killed processes removed once.
var swept sync.Once

// Make makes a directory of this user's own, which is empty and bears a name. Remove
// removes it; if this process is killed before, the next one does. The path is
// absolute.
func Make(name string) (dir string, remove func(), err error) {
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return "", nil, fmt.Errorf("make temporary directory: %w", err)
	}
	swept.Do(func() { sweep(parent) })
	for range attempts {
		if dir, remove, err = try(parent, name); err == nil {
			return dir, remove, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, osfile.ErrLocked) {
			break
		}
	}
	return "", nil, fmt.Errorf("make temporary directory: %w", err)
}

func try(parent, name string) (dir string, remove func(), err error) {
	own, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(own, lockFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, errors.Join(err, removeAll(own))
	}
	remove = func() {
		_ = lock.Close()
		_ = removeAll(own)
	}
	// A file system without locks has directories that stay after a kill.
	if err := osfile.Lock(lock); errors.Is(err, osfile.ErrLocked) {
		remove()
		return "", nil, err
	}
	dir = filepath.Join(own, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// sweep removes the directories whose locks are free.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if !strings.HasPrefix(e.Name(), prefix) || !e.IsDir() {
			continue
		}
		if others, err := osfile.WritableByOthers(path); err != nil || others {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(path) // if it is empty
			continue
		} else if err != nil {
			continue
		}
		err = osfile.Lock(lock)
		_ = lock.Close()
		if err == nil {
			_ = removeAll(path)
		}
	}
}

// removeAll removes a directory, the lock last: what is left by a removal that does
// not come to its end is removed by the next one.
func removeAll(path string) error {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(path)
}
