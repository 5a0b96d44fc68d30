package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// setAside moves a directory, or whatever bears its name, into another one, by
// its own name or one made of it that nothing bears yet.
func SetAside(path, into string) (Dir, error) {
	base := filepath.Join(into, filepath.Base(path))
	dir := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return Dir(dir), os.Rename(path, dir)
	case err == nil: // a file in the way
		err = os.Mkdir(dir, 0o755)
		return Dir(dir), errors.Join(err, os.Rename(path, filepath.Join(dir, "in-the-way")))
	case errors.Is(err, os.ErrNotExist):
		return Dir(dir), os.Mkdir(dir, 0o755)
	}
	return "", err
}

// numbered gives the number that the name of a run directory stands for.
func Numbered(name string) (int, bool) {
	if strings.Trim(name, "0123456789") != "" || len(name) > 9 {
		return 0, false
	}
	n := 0
	for _, digit := range name {
		n = 10*n + int(digit-'0')
	}
	return n, Pad(n) == name
}

// pad is the name of a run's directory.
func Pad(number int) string { return fmt.Sprintf("%06d", number) }

// reasonFile says why something is in quarantine.
const ReasonFile = "reason.txt"
