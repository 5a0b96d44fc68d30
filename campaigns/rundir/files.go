package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The directories of campaigns and runs may come from others: a link in them
// could lead to any file of the user, and a pipe would never end. So everything
// below them is opened, made and removed by the functions of this file. They
// follow no symbolic link, whatever element of the path it is, and open regular
// files and directories alone. A link above a directory, which is the user's
// own, is for Resolve.

// ErrLink is the error for a path that has a symbolic link in it.
var ErrLink = errors.New("a symbolic link is on this path, and none is followed here")

// ErrIrregular is the error for what is no regular file: a directory, a device,
// a pipe or a socket.
var ErrIrregular = errors.New("it is no regular file")

// New files and directories have the permissions that the umask leaves.
const (
	filePermissions      = 0o666
	directoryPermissions = 0o777
)

// Resolve is the path of a directory that the user has named, without symbolic
// links: as it is where it has none. It need not exist.
func Resolve(dir string) string {
	fd, err := openDir(dir)
	if err == nil {
		_ = unix.Close(fd) // nothing was written
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

// explain gives the errors of the kernel about links and pipes our words.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.ELOOP):
		return ErrLink
	case errors.Is(err, unix.ENXIO): // a pipe without a reader, or a socket
		return ErrIrregular
	}
	return err
}

// again repeats a call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// openDir opens a directory to name what is in it.
func openDir(dir string) (fd int, err error) {
	err = again(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, dir, &unix.OpenHow{
			Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
		})
		return err
	})
	if err == unix.ENOSYS || err == unix.EPERM { // Linux before 5.6, and sandboxes of that time
		return walkDir(dir)
	}
	return fd, explain(err)
}

// walkDir is openDir by one element of the path after the other.
func walkDir(dir string) (fd int, err error) {
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	start := "."
	if filepath.IsAbs(dir) {
		start = "/"
	}
	if fd, err = unix.Open(start, flags, 0); err != nil {
		return -1, err
	}
	for name := range strings.SplitSeq(filepath.Clean(dir), "/") {
		if name == "" {
			continue
		}
		var st unix.Stat_t
		err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = ErrLink
		}
		next := -1
		if err == nil {
			next, err = unix.Openat(fd, name, flags|unix.O_NOFOLLOW, 0)
		}
		_ = unix.Close(fd) // it was only looked into
		if err != nil {
			return -1, err
		}
		fd = next
	}
	return fd, nil
}

// in calls do with the directory that holds a path, and the name in it. The
// error names the path.
func in(op, path string, do func(dir int, name string) error) error {
	dir, err := openDir(filepath.Dir(path))
	if err == nil {
		err = again(func() error { return do(dir, filepath.Base(path)) })
		if err == unix.ENOSPC {
			err = noSpace(dir)
		}
		_ = unix.Close(dir) // it was only looked into
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: path, Err: explain(err)}
	}
	return nil
}

// ErrInodes is the error for a file system that has space, but no inode for
// another file or directory.
var ErrInodes = errors.New("no inodes left on the file system, which has free space: remove files, or use another one")

// noSpace is the error ENOSPC where it was returned in a directory.
func noSpace(dir int) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(dir, &st); err == nil && outOfInodes(&st) {
		return ErrInodes
	}
	return unix.ENOSPC
}

// outOfInodes reports whether a file system has free blocks, and a table of
// inodes that is full.
func outOfInodes(st *unix.Statfs_t) bool { return st.Files > 0 && st.Ffree == 0 && st.Bavail > 0 }

// Explain gives an error of a program that works in a directory, as a simulator,
// the reason ErrInodes if that is why there is no space.
func Explain(dir string, err error) error {
	if !errors.Is(err, unix.ENOSPC) {
		return err
	}
	fd, openErr := openDir(filepath.Dir(dir))
	if openErr != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // it was only looked into
	if why := noSpace(fd); why == ErrInodes {
		return fmt.Errorf("%w: %w", why, err)
	}
	return err
}

// open opens a regular file.
func open(path string, flags int) (*os.File, error) {
	var f *os.File
	err := in("open", path, func(dir int, name string) error {
		// Opening a pipe would wait for its other end.
		fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, filePermissions)
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
			err = ErrIrregular
		}
		if err == nil {
			err = unix.SetNonblock(fd, false)
		}
		if err != nil {
			return errors.Join(err, unix.Close(fd))
		}
		f = os.NewFile(uintptr(fd), path)
		return nil
	})
	return f, err
}

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return open(path, unix.O_RDONLY) }

// Append opens a file, which is made if it is missing, for reading, and for
// writing at its end.
func Append(path string) (*os.File, error) {
	return open(path, unix.O_CREAT|unix.O_APPEND|unix.O_RDWR)
}

// ReadFile reads a file.
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
	f, err := open(path, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Mkdir makes a directory.
func Mkdir(path string) error {
	return in("mkdir", path, func(dir int, name string) error { return unix.Mkdirat(dir, name, directoryPermissions) })
}

// MkdirAll makes a directory and those above it that are missing.
func MkdirAll(path string) error {
	fd, err := openDir(path)
	if err == nil {
		return unix.Close(fd)
	}
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
	return &fs.PathError{Op: "mkdir", Path: path, Err: err}
}

// Rename gives what is at one path another, and replaces a file there.
func Rename(from, to string) error {
	return in("rename", from, func(fromDir int, fromName string) error {
		return in("rename to", to, func(toDir int, toName string) error {
			return unix.Renameat(fromDir, fromName, toDir, toName)
		})
	})
}

// Remove removes a file, a link or an empty directory.
func Remove(path string) error {
	return in("remove", path, func(dir int, name string) error {
		err := unix.Unlinkat(dir, name, 0)
		if err == unix.EISDIR {
			err = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		}
		return err
	})
}

// RemoveAll removes what is at a path, with all that is below it, if there is
// anything.
func RemoveAll(path string) error {
	err := in("remove", path, func(int, string) error { return nil })
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

// directory returns an error unless path is a directory.
func directory(path string) error {
	fd, err := openDir(path)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return unix.Close(fd)
}

// Lstat describes what is at a path.
func Lstat(path string) (fs.FileInfo, error) {
	if err := in("lstat", path, func(int, string) error { return nil }); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// Exists reports whether there is anything at a path, be it a link.
func Exists(path string) bool {
	_, err := Lstat(path)
	return err == nil
}
