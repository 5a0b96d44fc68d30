// Package osfile is what operating systems do in different ways with files:
// opening without waiting, locks between processes, flushing. Names go in, open
// files come out; unix.go and windows.go have the calls.
package osfile

import "errors"

// ErrLocked is the error for a lock that another process, or another open file
// of this one, holds.
var ErrLocked = errors.New("another process uses it")
