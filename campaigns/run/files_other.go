//go:build !linux

package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ordeal/sim/osfile"
)

// noLinks returns an error if an element of a path is a symbolic link.
func noLinks(op, path string) error {
	for at := filepath.Clean(path); ; {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &fs.PathError{Op: op, Path: path, Err: ErrLink}
		}
		above := filepath.Dir(at)
		if above == at {
			return nil
		}
		at = above
	}
}

// inspect returns an error unless the directory that a path is in exists and is
// reached by no link.
func inspect(path string) error { return directory(filepath.Dir(path)) }

// directory returns an error unless path is a directory.
func directory(path string) error {
	if err := noLinks("open", path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a directory")}
	}
	return err
}

// Explain gives an error of a program that works in a directory its reason: on
// Linux, that no inodes are left.
func Explain(_ string, err error) error { return err }

// open opens a regular file.
func open(path string, flags int) (*os.File, error) {
	if err := noLinks("open", path); err != nil {
		return nil, err
	}
	// Opening a pipe would wait for its other end.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return osfile.Open(path, flags, filePermissions)
}

// openExisting opens a file or directory to flush it.
func openExisting(path string) (*os.File, error) {
	if err := noLinks("open", path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Mkdir makes a directory.
func Mkdir(path string) error {
	if err := inspect(path); err != nil {
		return err
	}
	return os.Mkdir(path, directoryPermissions)
}

// Rename gives what is at one path another, and replaces a file there.
func Rename(from, to string) error {
	if err := errors.Join(inspect(from), inspect(to)); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Remove removes a file, a link or an empty directory.
func Remove(path string) error {
	if err := inspect(path); err != nil {
		return err
	}
	return os.Remove(path)
}

// LockedBy names the process that has locked a file; nothing here, where it is not known.
func LockedBy(*os.File) string { return "" }
