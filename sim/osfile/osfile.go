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
)

// ErrLocked is the error for a lock that another process, or another open file
// of this one, holds.
var ErrLocked = errors.New("another process uses it")

// ErrIrregular is the error for a directory, a device, a pipe or a socket.
var ErrIrregular = errors.New("it is no regular file")

// ReadRegular reads an open file, which must have been opened with NoWait, if it is regular and has at most limit bytes.
func ReadRegular(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: ErrIrregular}
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(data)) > limit {
		err = fmt.Errorf("%s: longer than %d bytes", f.Name(), limit)
	}
	return data, err
}
