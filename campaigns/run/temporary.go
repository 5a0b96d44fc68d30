package run

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/sim/osfile"
)

// Files are written under temporary names: a dot, the name that they will have,
// another dot and randomChars characters of randomAlphabet.
const (
	randomChars    = 10
	randomAlphabet = "abcdefghijklmnopqrstuvwxyz234567" // rand.Text, lower-case
)

func temporaryName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strings.ToLower(rand.Text()[:randomChars]))
}

// Temporary makes a new file beside path, under a temporary name, for reading,
// and for writing at its end.
func Temporary(path string) (*os.File, error) {
	return open(temporaryName(path), os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_RDWR)
}

// IsTemporary reports whether a name is a temporary one.
func IsTemporary(name string) bool {
	end := len(name) - randomChars
	return end > 2 && name[0] == '.' && name[end-1] == '.' && strings.Trim(name[end:], randomAlphabet) == ""
}

// RemoveTemporary removes the temporary files in a directory that a kill has
// left. Outputs that a process still writes stay; of other files the caller is
// the only writer.
func RemoveTemporary(dir string) error {
	names, err := Names(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if IsTemporary(name) {
			if err := removeUnlocked(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeUnlocked removes a regular file unless another process has locked it.
func removeUnlocked(path string) error {
	f, err := Open(path)
	if errors.Is(err, ErrLink) || errors.Is(err, ErrIrregular) || errors.Is(err, fs.ErrNotExist) {
		return nil // not a file of ours, or its writer is done
	} else if err != nil {
		return err
	}
	if errors.Is(osfile.Lock(f), osfile.ErrLocked) {
		return f.Close()
	}
	return errors.Join(Remove(path), f.Close())
}
