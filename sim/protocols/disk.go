package protocols

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ordeal/sim/slicc/syntax"
)

// errIrregular is the error for what is no regular file.
var errIrregular = errors.New("it is no regular file")

// OnDisk are the texts in the directory of a protocol's root file, and the name
// of that file among them. The path may come from a campaign file that others
// wrote, and so may what it includes: regular files alone are read, a pipe is
// not waited for, and of a file at most what a protocol can have.
func OnDisk(path string) (texts fs.FS, root string) {
	return disk(filepath.Dir(path)), filepath.Base(path)
}

// LoadFile reads the protocol whose root file has that path.
func LoadFile(path string) (*syntax.File, error) {
	texts, root := OnDisk(path)
	file, err := syntax.Load(texts, root)
	if err != nil {
		return nil, fmt.Errorf("load protocol %s: %w", path, err)
	}
	return file, nil
}

// disk is a directory.
type disk string

// Open opens a regular file.
func (d disk) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	// Opening a pipe would wait for its other end.
	f, err := os.OpenFile(filepath.Join(string(d), name), os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadFile reads a file, one byte more than syntax.MaxText at most.
func (d disk) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, syntax.MaxText+1))
}

// Stat describes what is there without opening it.
func (d disk) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	return os.Stat(filepath.Join(string(d), name))
}
