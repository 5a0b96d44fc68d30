package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ordeal/campaigns/journal"
)

// asideName is the form of names of directories of runs that are set aside: a
// number, and another one where the run was set aside before.
var asideName = regexp.MustCompile(`^[0-9]{6,9}(-[0-9]{1,9})?$`)

// copyAsides copies the directories of runs that could not be made, or are
// beyond the end of a campaign. One whose name is taken is there already.
func (j *merging) copyAsides(ctx context.Context, into *os.Root) error {
	for _, aside := range journal.Asides() {
		for i, s := range j.sources {
			if j.own && i == 0 {
				continue
			}
			names, err := asides(s.root, aside)
			if err != nil {
				return fmt.Errorf("merge %s: %w", s.name, err)
			}
			for _, name := range names {
				if err := ctx.Err(); err != nil {
					return err
				}
				if _, err := os.Lstat(filepath.Join(j.Dir, aside, name)); err == nil {
					continue
				}
				if _, err := into.Lstat(aside + "-" + name); err == nil {
					continue
				}
				if err := copyTree(s.root, aside+"/"+name, into, aside+"-"+name, 0, nil); err != nil {
					return fmt.Errorf("merge %s: %w", s.name, err)
				}
			}
		}
	}
	return nil
}

// asides lists the directories of runs in one of the directories for those.
func asides(root *os.Root, aside string) ([]string, error) {
	info, err := root.Lstat(aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "copy", Path: aside, Err: errors.New("not a directory")}
	}
	d, err := root.Open(aside)
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(-1)
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && asideName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// publishAsides gives what copyAsides copied its places.
func (j *merging) publishAsides(staging string) error {
	entries, err := os.ReadDir(staging)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, aside := range journal.Asides() {
			name := e.Name()
			if len(name) <= len(aside) || name[:len(aside)+1] != aside+"-" {
				continue
			}
			place := filepath.Join(j.Dir, aside)
			if err := os.MkdirAll(place, 0o755); err != nil {
				return err
			}
			if err := os.Rename(filepath.Join(staging, name), filepath.Join(place, name[len(aside)+1:])); err != nil {
				return err
			}
		}
	}
	return nil
}
