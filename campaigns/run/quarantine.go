package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

// ReasonFile says in a quarantined directory why it was moved there.
const ReasonFile = "reason.txt"

// Name is the name of the directory of a run in its campaign.
func Name(number int) string { return fmt.Sprintf("%06d", number) }

// Number returns the number of the run whose directory has a name; ok is false
// if it is not the name of a run directory.
func Number(name string) (number int, ok bool) {
	n, err := strconv.ParseUint(name, 10, 31)
	return int(n), err == nil && Name(int(n)) == name
}

// MoveAside moves a directory, or a file that has its name, into another
// directory, where it keeps its name or gets a suffix. A missing one is
// created there, empty.
func MoveAside(path, into string) (Dir, error) {
	base := filepath.Join(into, filepath.Base(path))
	dir := base
	for n := 2; ; n++ {
		if _, err := Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
	if err := MkdirAll(into); err != nil {
		return "", err
	}
	info, err := Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return Dir(dir), Rename(path, dir)
	case err == nil: // a file where the directory should be
		err = Mkdir(dir)
		return Dir(dir), errors.Join(err, Rename(path, filepath.Join(dir, "in-the-way")))
	case errors.Is(err, fs.ErrNotExist):
		return Dir(dir), Mkdir(dir)
	}
	return "", err
}
