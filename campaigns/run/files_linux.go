package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

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

// Mkdir makes a directory.
func Mkdir(path string) error {
	return in("mkdir", path, func(dir int, name string) error { return unix.Mkdirat(dir, name, directoryPermissions) })
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

// directory returns an error unless path is a directory.
func directory(path string) error {
	fd, err := openDir(path)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return unix.Close(fd)
}

// inspect returns an error unless the directory that a path is in exists and is
// reached by no link.
func inspect(path string) error { return in("lstat", path, func(int, string) error { return nil }) }

// openExisting opens a file or directory to flush it.
func openExisting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// LockedBy names the process that has locked a file: " (process 12)"; nothing where the kernel does not tell.
func LockedBy(f *os.File) string {
	var st unix.Stat_t
	locks, err := ReadFile("/proc/locks")
	if errors.Join(err, unix.Fstat(int(f.Fd()), &st)) != nil {
		return ""
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	for line := range strings.Lines(string(locks)) {
		// As 3: FLOCK ADVISORY WRITE 12 00:1f:345 0 EOF.
		if fields := strings.Fields(line); len(fields) > 5 && fields[1] == "FLOCK" && fields[5] == file {
			return fmt.Sprintf(" (process %s)", fields[4])
		}
	}
	return ""
}
