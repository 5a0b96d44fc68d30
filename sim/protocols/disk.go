package protocols

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ordeal/sim/osfile"
	"ordeal/sim/slicc/syntax"
)

// OnDisk are the texts in the directory of a protocol's root file, and the name
// of that file among them. In a tree of gem5, those of its directory of
// protocols are there as well, which gem5's compiler looks in for what it does
// not find beside the including file (slicc/parser.py). The path may come from a campaign file that others
// wrote, and so may what it includes: regular files alone are read, a pipe is
// not waited for, of a file at most what a protocol can have, and no link is followed out
// of the tree, or of the directory where there is no tree.
func OnDisk(file string) (texts fs.FS, root string) {
	return newDisk(filepath.Dir(file)), filepath.Base(file)
}

// interfaces is the file of gem5's directory of protocols that every protocol
// includes.
const interfaces = "RubySlicc_interfaces.slicc"

// newDisk finds the directory of protocols of the gem5 tree that a directory is
// in: the nearest one above, or the one in the tree of which it is a part.
func newDisk(dir string) disk {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs) // the directory is named by the user
	}
	if err != nil {
		return disk{dir, ".", ".", dir} // which shows when a file is opened
	}
	for at := abs; ; at = filepath.Dir(at) {
		for _, candidate := range []string{at, filepath.Join(at, Folder)} {
			if info, err := os.Stat(filepath.Join(candidate, interfaces)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			tree := at
			if root, in := strings.CutSuffix(at, string(filepath.Separator)+filepath.FromSlash(Folder)); in {
				tree = root
			}
			d, err := filepath.Rel(tree, abs)
			base, err2 := filepath.Rel(tree, candidate)
			if err == nil && err2 == nil {
				return disk{tree, d, base, dir}
			}
		}
		if filepath.Dir(at) == at {
			return disk{abs, ".", ".", dir}
		}
	}
}

// LoadFile reads the protocol whose root file has that path.
func LoadFile(name string) (*syntax.File, error) {
	texts, root := OnDisk(name)
	file, err := syntax.Load(texts, root)
	if err != nil {
		return nil, Explain(name, err)
	}
	return file, nil
}

// Explain gives an error about the text of the protocol whose root file has that
// path the lines of the source, each with a caret below what is wrong. The names
// of files become paths. Other errors stay as they are.
func Explain(root string, err error) error {
	faults, ok := errors.AsType[syntax.Faults](err)
	if _, done := errors.AsType[*sourceError](err); done || !ok || root == "" {
		return err
	}
	texts, _ := OnDisk(root)
	shown := faults.Excerpt(filepath.Dir(root), func(file string) ([]byte, error) { return fs.ReadFile(texts, file) })
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

// disk is a directory, and another one for the files that it does not have. Both are given from
// a root that no link leads out of; named is the directory as the user named it, for messages.
type disk struct{ root, dir, base, named string }

// in calls do with the root and the name of a file from there.
func (d disk) in(op, name string, do func(root *os.Root, name string) error) (err error) {
	defer func() {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Op, e.Path = op, filepath.Join(d.named, filepath.FromSlash(name))
		}
	}()
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return err
	}
	defer root.Close()
	at := filepath.Join(d.dir, filepath.FromSlash(name))
	if _, err := root.Lstat(at); errors.Is(err, fs.ErrNotExist) && d.base != d.dir {
		if other := filepath.Join(d.base, filepath.FromSlash(name)); exists(root, other) {
			at = other
		}
	}
	return do(root, at)
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// Open opens a regular file.
func (d disk) Open(name string) (file fs.File, err error) {
	err = d.in("open", name, func(root *os.Root, at string) error {
		// Opening a pipe would wait for its other end.
		f, err := root.OpenFile(at, os.O_RDONLY|osfile.NoWait, 0)
		if info, lerr := root.Lstat(at); err != nil && lerr == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrNotExist) {
			err = &fs.PathError{Err: fmt.Errorf("a symbolic link leads out of %s, and is not followed", d.root)}
		}
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: name, Err: osfile.ErrIrregular}
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		file = f
		return nil
	})
	return file, err
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
func (d disk) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = d.in("open", name, func(root *os.Root, _ string) error {
		list, err = fs.ReadDir(root.FS(), path.Join(filepath.ToSlash(d.dir), name))
		return err
	})
	return list, err
}

// Stat describes what is there without opening it. A link that leads out of the root is there: opening it fails
// by name.
func (d disk) Stat(name string) (info fs.FileInfo, err error) {
	err = d.in("stat", name, func(root *os.Root, at string) error {
		if info, err = root.Stat(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			info, err = root.Lstat(at)
		}
		return err
	})
	return info, err
}
