// Package osfile is what operating systems do in different ways with files:
// opening without waiting, locks between processes, flushing. Names go in, open
// files come out; unix.go and windows.go have the calls.
package osfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked is the error for a lock that another process, or another open file
// of this one, holds.
var ErrLocked = errors.New("another process uses it")

// ErrIrregular is the error for a directory, a device, a pipe or a socket.
var ErrIrregular = errors.New("it is no regular file")

// OpenRegular opens a regular file for reading, and waits for no other end of a pipe.
func OpenRegular(name string) (*os.File, error) {
	return Regular(os.OpenFile(name, os.O_RDONLY|NoWait, 0))
}

// Regular passes on what was opened with NoWait, if it is a regular file.
func Regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrIrregular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenRoot is os.OpenRoot, which would wait for the other end of a pipe that has the name.
func OpenRoot(dir string) (*os.Root, error) { return os.OpenRoot(dir + string(filepath.Separator)) }

// ReadFile reads a regular file of at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := OpenRegular(name)
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(f, limit)
	return data, errors.Join(err, f.Close())
}

// ReadAll reads an open file of at most limit bytes.
func ReadAll(f *os.File, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(data)) > limit {
		err = fmt.Errorf("%s: longer than %d bytes", f.Name(), limit)
	}
	return data, err
}
