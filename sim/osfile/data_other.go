//go:build !linux

package osfile

import (
	"io"
	"os"
)

// NextData is the rest of a file from an offset on, as if it had no holes. At the end
// the error is io.EOF.
func NextData(f *os.File, at int64) (begin, end int64, err error) {
	info, err := f.Stat()
	if err == nil && at >= info.Size() {
		err = io.EOF
	}
	if err != nil {
		return 0, 0, err
	}
	return at, info.Size(), nil
}
