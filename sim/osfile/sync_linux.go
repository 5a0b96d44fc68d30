package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll flushes the file system that an open file is on.
func SyncAll(f *os.File) error { return unix.Syncfs(int(f.Fd())) }
