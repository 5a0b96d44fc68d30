package osfile

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// NextData finds the first bytes of a file at an offset or behind it that are not in
// a hole: those from begin to end. At the end of the file, and where only a hole
// follows, the error is io.EOF. The file's own offset changes.
func NextData(f *os.File, at int64) (begin, end int64, err error) {
	if begin, err = f.Seek(at, unix.SEEK_DATA); errors.Is(err, unix.ENXIO) {
		return 0, 0, io.EOF
	} else if err != nil {
		return 0, 0, err
	}
	end, err = f.Seek(begin, unix.SEEK_HOLE)
	return begin, end, err
}
