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

// Source is a protocol in files: its root file and what else belongs to it.
type Source struct {
	Root string
	// Builtins is the file that says what functions do which the protocol only declares;
	// empty if there is none. See syntax.ParseBuiltins.
	Builtins string
	// Path are folders to look in for files that are included, after those of the tree.
	Path []string
}

// Texts are the texts in the folder of a protocol's root file, and the names of that
// file and of the builtins among them. In a tree of gem5, those of its directory of
// protocols are there as well, which gem5's compiler looks in for what it does
// not find beside the including file (slicc/parser.py). The paths may come from a campaign file that others
// wrote, and so may what it includes: regular files alone are read, a pipe is
// not waited for, of a file at most what a protocol can have, and no link is followed out
// of the tree, or of the directory where there is no tree.
func (s Source) Texts() (texts fs.FS, root, builtins string) {
	d := s.disk()
	if s.Builtins != "" {
		builtins = filepath.Base(s.Builtins)
	}
	return d, filepath.Base(s.Root), builtins
}

func (s Source) disk() disk {
	d := disk{folders: near(filepath.Dir(s.Root))}
	for _, dir := range s.Path {
		d.folders = append(d.folders, folder{dir, ".", dir})
	}
	if s.Builtins != "" {
		dir, name := filepath.Split(s.Builtins)
		d.builtins, d.builtinsIn = name, folder{filepath.Clean(dir), ".", filepath.Clean(dir)}
	}
	return d
}

// Where is the path of a file of the protocol, from where the user stands.
func (s Source) Where(file string) string {
	named := filepath.Join(filepath.Dir(s.Root), filepath.FromSlash(file))
	_ = s.disk().in("stat", file, func(_ *os.Root, _ string, in folder) error { // a file that is not there is one of the root's folder
		named = filepath.Join(in.named, filepath.FromSlash(file))
		return nil
	})
	return named
}

// interfaces is the file of gem5's directory of protocols that every protocol
// includes.
const interfaces = "RubySlicc_interfaces.slicc"

// near are the folders in which the files of a root file in dir are looked for: dir and the
// folder of protocols of the gem5 tree that it is in, which is the nearest one above that
// has the interfaces, or a folder of protocols of one above.
func near(dir string) []folder {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs) // the directory is named by the user
	}
	if err != nil {
		return []folder{{dir, ".", dir}} // which shows when a file is opened
	}
	for at := abs; ; at = filepath.Dir(at) {
		for _, name := range append([]string{"."}, Folders[:2]...) {
			candidate := filepath.Join(at, filepath.FromSlash(name))
			if info, err := os.Stat(filepath.Join(candidate, interfaces)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			tree := at
			for _, known := range Folders {
				if root, in := strings.CutSuffix(at, string(filepath.Separator)+filepath.FromSlash(known)); in {
					tree = root
				}
			}
			own, err := filepath.Rel(tree, abs)
			base, err2 := filepath.Rel(tree, candidate)
			from, err3 := filepath.Rel(abs, candidate)
			switch {
			case err != nil || err2 != nil || err3 != nil:
			case own == base:
				return []folder{{tree, own, dir}}
			default:
				return []folder{{tree, own, dir}, {tree, base, filepath.Join(dir, from)}}
			}
		}
		if filepath.Dir(at) == at {
			return []folder{{abs, ".", dir}}
		}
	}
}

// LoadFile reads the protocol whose root file has that path.
func LoadFile(path string) (*syntax.File, error) { return Source{Root: path}.Load() }

// Load reads the protocol.
func (s Source) Load() (*syntax.File, error) {
	file, err := syntax.LoadWith(s.Texts())
	if err != nil {
		return nil, s.Explain(err)
	}
	return file, nil
}

// Explain gives an error about the text of the protocol the lines of the source, each
// with a caret below what is wrong. The names of files become paths. Other errors stay as
// they are.
func (s Source) Explain(err error) error {
	faults, ok := errors.AsType[syntax.Faults](err)
	if _, done := errors.AsType[*sourceError](err); done || !ok || s.Root == "" {
		return err
	}
	texts := s.disk()
	shown := faults.Excerpt(s.Where, func(file string) ([]byte, error) { return fs.ReadFile(texts, file) })
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

// folder is a folder from a root that no link leads out of; named is its path as the user
// names it.
type folder struct{ root, dir, named string }

// disk are folders, of which later ones have what the earlier ones have not, and a file
// of builtins, which may be anywhere; its name is empty if there is none.
type disk struct {
	folders    []folder
	builtins   string
	builtinsIn folder
}

// in calls do with the root and the name of a file from there, and the folder that it is in:
// the first that has it, or the first of all.
func (d disk) in(op, name string, do func(root *os.Root, name string, in folder) error) (err error) {
	f := d.folders[0]
	defer func() {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Op, e.Path = op, filepath.Join(f.named, filepath.FromSlash(name))
		}
	}()
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	list := d.folders
	if d.builtins == name && name != "" {
		list = []folder{d.builtinsIn}
	}
	var root *os.Root
	for i := range list {
		next, err := osfile.OpenRoot(list[i].root)
		if err != nil && i > 0 {
			return fmt.Errorf("folder of slicc-path: %w", err)
		}
		if err != nil {
			f = list[i]
			return err
		}
		defer next.Close()
		_, err = next.Lstat(filepath.Join(list[i].dir, filepath.FromSlash(name)))
		found := err == nil || !errors.Is(err, fs.ErrNotExist)
		if i == 0 || found {
			root, f = next, list[i]
		}
		if found {
			break
		}
	}
	return do(root, filepath.Join(f.dir, filepath.FromSlash(name)), f)
}

// Folders are where files are looked for, for messages.
func (d disk) Folders() []string {
	var list []string
	for _, f := range d.folders {
		list = append(list, f.named)
	}
	return list
}

// Open opens a regular file.
func (d disk) Open(name string) (file fs.File, err error) {
	err = d.in("open", name, func(root *os.Root, at string, in folder) error {
		// Opening a pipe would wait for its other end.
		f, err := osfile.Regular(root.OpenFile(at, os.O_RDONLY|osfile.NoWait, 0))
		if info, lerr := root.Lstat(at); err != nil && lerr == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrNotExist) {
			err = &fs.PathError{Err: fmt.Errorf("a symbolic link leads out of %s, and is not followed", in.root)}
		}
		if err == nil {
			file = f
		}
		return err
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
	err = d.in("open", name, func(root *os.Root, _ string, in folder) error {
		list, err = fs.ReadDir(root.FS(), path.Join(filepath.ToSlash(in.dir), name))
		return err
	})
	return list, err
}

// Stat describes what is there without opening it. A link that leads out of the root is there: opening it fails
// by name.
func (d disk) Stat(name string) (info fs.FileInfo, err error) {
	err = d.in("stat", name, func(root *os.Root, at string, in folder) error {
		if info, err = root.Stat(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			info, err = root.Lstat(at)
		}
		return err
	})
	return info, err
}
