package protocols

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/sim/osfile"
	"ordeal/sim/slicc/syntax"
)

// errIrregular is the error for what is no regular file.
var errIrregular = errors.New("it is no regular file")

// OnDisk are the texts in the directory of a protocol's root file, and the name
// of that file among them. In a tree of gem5, those of its directory of
// protocols are there as well, which gem5's compiler looks in for what it does
// not find beside the including file (slicc/parser.py). The path may come from a campaign file that others
// wrote, and so may what it includes: regular files alone are read, a pipe is
// not waited for, and of a file at most what a protocol can have.
func OnDisk(path string) (texts fs.FS, root string) {
	dir := filepath.Dir(path)
	return disk{dir, base(dir)}, filepath.Base(path)
}

// interfaces is the file of gem5's directory of protocols that every protocol
// includes.
const interfaces = "RubySlicc_interfaces.slicc"

// base finds the directory of protocols of the gem5 tree that a directory is
// in: the nearest one above, or src/mem/ruby/protocol of one above. Without a
// tree it is the directory itself.
func base(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for {
		for _, candidate := range []string{at, filepath.Join(at, "src/mem/ruby/protocol")} {
			if info, err := os.Stat(filepath.Join(candidate, interfaces)); err == nil && info.Mode().IsRegular() {
				return candidate
			}
		}
		above := filepath.Dir(at)
		if above == at {
			return dir
		}
		at = above
	}
}

// LoadFile reads the protocol whose root file has that path.
func LoadFile(path string) (*syntax.File, error) {
	texts, root := OnDisk(path)
	file, err := syntax.Load(texts, root)
	if err != nil {
		return nil, Explain(path, err)
	}
	return file, nil
}

// Explain gives an error about the text of the protocol whose root file has that
// path the lines of the source, each with a caret below what is wrong. The names
// of files become paths. Other errors stay as they are.
func Explain(path string, err error) error {
	faults, ok := errors.AsType[syntax.Faults](err)
	if _, done := errors.AsType[*sourceError](err); done || !ok || path == "" {
		return err
	}
	texts, _ := OnDisk(path)
	shown := faults.Excerpt(filepath.Dir(path), func(file string) ([]byte, error) { return fs.ReadFile(texts, file) })
	before, after, _ := strings.Cut(err.Error(), faults.Error())
	return &sourceError{err, strings.TrimPrefix(strings.TrimSuffix(before, " ")+"\n", "\n") + shown + after}
}

// sourceError is an error with lines of the source.
type sourceError struct {
	err  error
	text string
}

func (e *sourceError) Error() string { return e.text }

func (e *sourceError) Unwrap() error { return e.err }

// disk is a directory, and another one for the files that it does not have.
type disk struct{ dir, base string }

// find is the path of a file.
func (d disk) find(name string) string {
	path := filepath.Join(d.dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && d.base != d.dir {
		if other := filepath.Join(d.base, name); exists(other) {
			return other
		}
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Open opens a regular file.
func (d disk) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	// Opening a pipe would wait for its other end.
	f, err := osfile.OpenData(d.find(name))
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

// ReadDir lists a directory.
func (d disk) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.ReadDir(filepath.Join(d.dir, name))
}

// Stat describes what is there without opening it.
func (d disk) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	return os.Stat(d.find(name))
}
