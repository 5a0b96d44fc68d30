package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"ordeal/sim/osfile"
)

// Output is a file that the user has named for results. A regular file is
// replaced as a whole by Close, with the permissions that it had; anything else,
// as a device, a pipe or a link, is written to and stays what it is. A file that
// a link leads to loses what it had when the first bytes come.
type Output struct {
	file    *os.File
	path    string
	kind    outputKind
	emptied bool // in place: truncated, if that makes sense
}

type outputKind uint8

const (
	replaced outputKind = iota // under a temporary name until Close
	inPlace
	ours // standard output or standard error
)

// Executable is the permissions of a program that is written, and Plain those of
// any other file, before the umask.
const (
	Plain      fs.FileMode = filePermissions
	Executable fs.FileMode = 0o777
)

// CreateOutput begins an output.
func CreateOutput(path string, mode fs.FileMode) (*Output, error) {
	o := &Output{path: path}
	before, err := os.Lstat(path)
	switch {
	case err == nil && before.IsDir():
		return nil, &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case err == nil && !before.Mode().IsRegular():
		return o, o.openInPlace(mode)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	o.file, err = os.OpenFile(temporaryName(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	switch {
	case err != nil && before != nil: // a directory that is not ours to write
		return o, o.openInPlace(mode)
	case err != nil:
		return nil, renamed(err, path)
	}
	// A file without a lock is left from a kill; see RemoveTemporary. Some file
	// systems have none.
	_ = osfile.LockShared(o.file)
	if before != nil {
		if err := o.file.Chmod(before.Mode().Perm()); err != nil {
			return nil, errors.Join(err, o.Discard())
		}
	}
	return o, nil
}

// openInPlace opens what is not to be replaced. The process's own output is not
// opened anew, which would truncate a file that it goes to. A FIFO without a reader is waited for.
func (o *Output) openInPlace(mode fs.FileMode) error {
	if info, err := os.Stat(o.path); err == nil {
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if own, err := f.Stat(); err == nil && os.SameFile(own, info) {
				o.file, o.kind = f, ours
				return nil
			}
		}
	}
	o.kind = inPlace
	var err error
	if o.file, err = os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE, mode); errors.Is(err, syscall.ENXIO) { // a socket, or a device without hardware
		err = fmt.Errorf("write %s, which is no file: %w", o.path, err)
	}
	return err
}

// empty removes what a file has that is written in place.
func (o *Output) empty() error {
	if o.kind != inPlace || o.emptied {
		return nil
	}
	o.emptied = true
	if info, err := o.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return o.file.Truncate(0)
}

// renamed gives an error about a temporary file the name of the one that the
// user knows.
func renamed(err error, path string) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}

// Write writes to the output.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.empty(); err != nil {
		return 0, err
	}
	return o.file.Write(p)
}

// Close ends the output. A file has its name, and is on the disk, only now.
func (o *Output) Close() error {
	if o.kind == ours {
		return nil
	}
	if o.kind == inPlace {
		return errors.Join(o.empty(), o.file.Close())
	}
	err := o.file.Sync()
	if err == nil {
		err = os.Rename(o.file.Name(), o.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", o.path, err), o.Discard())
	}
	return o.file.Close() // and unlock it
}

// Discard gives an output up: a file that was there stays as it was.
func (o *Output) Discard() error {
	switch o.kind {
	case ours:
		return nil
	case inPlace:
		return o.file.Close()
	}
	return errors.Join(o.file.Close(), os.Remove(o.file.Name()))
}

// WriteOutput writes an Output.
func WriteOutput(path string, data []byte, mode fs.FileMode) error {
	return output(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// StreamOutput writes an Output of what write writes, which need not fit in
// memory. After an error of write a regular file is as it was.
func StreamOutput(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return output(path, mode, buffered(write))
}

func output(path string, mode fs.FileMode, write func(io.Writer) error) error {
	o, err := CreateOutput(path, mode)
	if err != nil {
		return err
	}
	if err := write(o); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), o.Discard())
	}
	return o.Close()
}
