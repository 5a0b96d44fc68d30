package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ordeal/sim/machine"
	"ordeal/sim/osfile"
)

// The directories of campaigns and runs may come from others: a link in them
// could lead to any file of the user, and a pipe would never end. So everything
// below them is opened, made and removed by the functions of this file. They
// follow no symbolic link, whatever element of the path it is, and open regular
// files and directories alone. A link above a directory, which is the user's
// own, is for Resolve. files_linux.go opens each element of a path from the one
// before; files_other.go inspects the elements first, which protects from a
// directory as it was sent, and not from one that changes meanwhile.

// ErrLink is the error for a path that has a symbolic link in it.
var ErrLink = errors.New("a symbolic link is on this path, and none is followed here")

// ErrIrregular is the error for what is no regular file: a directory, a device,
// a pipe or a socket.
var ErrIrregular = osfile.ErrIrregular

// New files and directories have the permissions that the umask leaves.
const (
	filePermissions      = 0o666
	directoryPermissions = 0o777
)

// Resolve is the path of a directory that the user has named, without symbolic
// links: as it is where it has none, and where a link lies in a record, which may
// come from others, so that it is not followed. It need not exist.
func Resolve(dir string) string {
	if directory(dir) == nil || linkInRecord(dir) {
		return dir
	}
	real, err := filepath.EvalSymlinks(dir)
	switch parent := filepath.Dir(dir); {
	case err == nil:
		return real
	case errors.Is(err, fs.ErrNotExist) && parent != dir && Resolve(parent) != parent:
		return filepath.Join(Resolve(parent), filepath.Base(dir))
	}
	return dir
}

// recordFiles are in the directories of campaigns, also on clusters, of runs and of
// explorations.
var recordFiles = []string{"campaign.json", "runs.jsonl", "cluster.json", SpecFile, "exploration.json"}

// InRecord reports whether a path is that of something in a directory of a campaign,
// a run or an exploration, which may come from others.
func InRecord(path string) bool {
	parent := filepath.Dir(path)
	return slices.ContainsFunc(recordFiles, func(name string) bool {
		_, err := os.Lstat(filepath.Join(parent, name))
		return err == nil && filepath.Base(path) != name
	})
}

// linkInRecord reports whether an element of a path is a symbolic link in a record.
func linkInRecord(path string) bool {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 && InRecord(path) {
			return true
		}
		if filepath.Dir(path) == path {
			return false
		}
	}
}

// ErrInodes is the error for a file system that has space, but no inode for
// another file or directory.
var ErrInodes = errors.New("no inodes left on the file system, which has free space: remove files, or use another one")

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY) }

// Append opens a file, which is made if it is missing, for reading, and for
// writing at its end.
func Append(path string) (*os.File, error) {
	return open(path, os.O_CREATE|os.O_APPEND|os.O_RDWR)
}

// unasked is the size up to which a file is read without asking what memory
// there is.
const unasked = 16 << 20

// fits returns an error if a file of the given size is longer than limit says that
// can be read in the memory of this machine. A file of others may have any
// size and take no place on the disk.
func fits(path string, size int64, limit func(memory int64) int64) error {
	if size <= unasked {
		return nil
	}
	if memory := available(); memory > 0 && size > limit(memory) {
		return fmt.Errorf("%s: %w: %d bytes, of which %d can be read in the memory of this machine", path, ErrSize, size, limit(memory))
	}
	return nil
}

// quarter leaves room for what is made of a file.
func quarter(memory int64) int64 { return memory / 4 }

// available is the memory that this process may take.
var available = machine.Memory

// ErrSize is the error for a file that is too large to be read.
var ErrSize = errors.New("the file is too large")

// ReadFile reads a file that fits into memory.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := fits(path, info.Size(), quarter); err != nil {
		return nil, err
	}
	data := make([]byte, 0, info.Size()+1) // Read sees the end in one more byte
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		} else if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// Overwrite writes a file in place: one that is cut short by a kill must not
// count.
func Overwrite(path string, data []byte) error {
	f, err := open(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// MkdirAll makes a directory and those above it that are missing.
func MkdirAll(path string) error {
	err := directory(path)
	if errors.Is(err, fs.ErrNotExist) {
		if parent := filepath.Dir(path); parent != path {
			if err := MkdirAll(parent); err != nil {
				return err
			}
		}
		if err = Mkdir(path); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil // another process has made it
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Op = "mkdir"
	}
	return err
}

// RemoveAll removes what is at a path, with all that is below it, if there is
// anything.
func RemoveAll(path string) error {
	err := inspect(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.RemoveAll(path) // which removes a link, and not what it leads to
}

// ReadDir lists a directory, sorted by name.
func ReadDir(path string) ([]fs.DirEntry, error) {
	if err := directory(path); err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}

// Names lists the names in a directory in any order.
func Names(path string) ([]string, error) {
	if err := directory(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Lstat describes what is at a path.
func Lstat(path string) (fs.FileInfo, error) {
	if err := inspect(path); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// Exists reports whether there is anything at a path, be it a link.
func Exists(path string) bool {
	_, err := Lstat(path)
	return err == nil
}
