package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/lazyregexp"
)

// asideName matches the directories of runs that were set aside: the number of
// the run, and a counter if it was set aside before.
var asideName = lazyregexp.New(`^[0-9]{6,9}(-[0-9]{1,9})?$`)

// protocolName matches the directories of copies of protocols: the first half of a hash.
var protocolName = lazyregexp.New(`^[0-9a-f]{16}$`)

// asideDirs are the directories whose directories are copied beside those of runs.
func asideDirs() []string { return append(journal.AsideDirs(), run.ProtocolDir) }

// copyAsides copies the runs in quarantine and those after the stop of a
// campaign, and the copies of its protocols. One whose name exists was copied before.
func (j *merging) copyAsides(ctx context.Context, into *os.Root) error {
	for _, aside := range asideDirs() {
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
				if _, err := run.Lstat(filepath.Join(j.Dir, aside, name)); err == nil {
					continue
				}
				if _, err := into.Lstat(aside + "-" + name); err == nil {
					continue
				}
				if err := copyTree(ctx, s, aside+"/"+name, into, aside+"-"+name, nil); err != nil {
					return fmt.Errorf("merge %s: %w", s.name, err)
				}
			}
		}
	}
	return nil
}

// asides lists what is to be copied of a directory.
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
	entries, err := fs.ReadDir(root.FS(), aside)
	if err != nil {
		return nil, err
	}
	pattern := asideName()
	if aside == run.ProtocolDir {
		pattern = protocolName()
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && pattern.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// publishAsides moves the copies of copyAsides to their places.
func (j *merging) publishAsides(staging string) error {
	entries, err := run.ReadDir(staging)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, aside := range asideDirs() {
			name, ok := strings.CutPrefix(e.Name(), aside+"-")
			if !ok {
				continue
			}
			place := filepath.Join(j.Dir, aside)
			if err := run.MkdirAll(place); err != nil {
				return err
			}
			if err := run.Rename(filepath.Join(staging, e.Name()), filepath.Join(place, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
