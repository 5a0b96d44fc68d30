package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/lazyregexp"
)

// keptRun is a run whose directory stays in the merged campaign.
type keptRun struct {
	source       int32  // that has the directory; 0: it is there
	program, log string // hashes of its files
}

// copyRuns copies the new run directories to the staging directory, and refuses
// those that differ from the journal.
func (j *merging) copyRuns(ctx context.Context, staging string) error {
	j.step = "copy"
	var errs []error
	for _, number := range slices.Sorted(maps.Keys(j.kept)) {
		k := j.kept[number]
		if k.source == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s := j.sources[k.source-1]
		j.progress(s.name, number)
		if err := k.copy(ctx, s.archive.Run(number), filepath.Join(staging, run.Name(number))); err != nil {
			errs = append(errs, fmt.Errorf("merge %s: run %d: %w", s.name, number, err))
		}
	}
	if more := len(errs) - maxShown; more > 0 {
		errs = append(errs[:maxShown], fmt.Errorf("%d more runs cannot be copied", more))
	}
	return errors.Join(errs...)
}

// copy copies the directory of the run to a new one.
func (k *keptRun) copy(ctx context.Context, from run.Dir, to string) error {
	if err := copyTree(ctx, string(from), to); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the journal records that its directory was kept: %w", err)
	} else if err != nil {
		return err
	}
	for _, file := range []struct{ name, recorded string }{
		{run.ProgramFile, k.program}, {run.LogFile, k.log}, {run.SpecFile, ""}, {run.ResultFile, ""},
	} {
		sum, err := sumOf(run.Dir(to).Path(file.name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && file.name != run.LogFile:
			return fmt.Errorf("its directory has no %s", file.name)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case file.recorded != "" && sum != file.recorded:
			return fmt.Errorf("%s differs from the journal: its hash is %q, recorded is %q", file.name, sum, file.recorded)
		}
	}
	return nil
}

// sumOf returns the SHA-256 sum of a file in hexadecimal.
func sumOf(path string) (string, error) {
	f, err := run.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// copyTree copies a directory to a new one: its files and directories, except
// temporary files of the directory itself. It refuses anything else.
func copyTree(ctx context.Context, from, to string) error {
	entries, err := run.ReadDir(from)
	if err != nil {
		return err
	}
	if err := run.MkdirAll(to); err != nil {
		return err
	}
	return copyEntries(ctx, from, to, entries, true)
}

func copyEntries(ctx context.Context, from, to string, entries []fs.DirEntry, top bool) error {
	for _, e := range entries {
		in, out := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		err := ctx.Err()
		switch {
		case err != nil:
		case top && journal.Temporary(e.Name()):
		case e.IsDir():
			below, readErr := run.ReadDir(in)
			if err = errors.Join(readErr, run.Mkdir(out)); err == nil {
				err = copyEntries(ctx, in, out, below, false)
			}
		default:
			err = copyFile(in, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a regular file to a new one, which is executable if it is.
func copyFile(from, to string) (err error) {
	in, err := run.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := run.Append(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if executable := info.Mode().Perm() & 0o111; executable != 0 {
		if err := out.Chmod(0o644 | executable); err != nil {
			return err
		}
	}
	_, err = io.Copy(out, in)
	return err
}

// publish moves the copied run directories to their places, over those of a
// merge that was killed.
func (j *merging) publish(staging string) error {
	for n, k := range j.kept {
		if k.source == 0 {
			continue
		}
		place := filepath.Join(j.Dir, run.Name(n))
		if err := run.RemoveAll(place); err != nil {
			return err
		}
		if err := run.Rename(filepath.Join(staging, run.Name(n)), place); err != nil {
			return err
		}
	}
	return nil
}

// asideName matches the directories of runs that were set aside: the number of
// the run, and a counter if it was set aside before.
var asideName = lazyregexp.New(`^[0-9]{6,9}(-[0-9]{1,9})?$`)

// protocolName matches the directories of copies of protocols: the first half of a hash.
var protocolName = lazyregexp.New(`^[0-9a-f]{16}$`)

// copyAsides copies the runs in quarantine and those after the stop of a
// campaign, and the copies of its protocols, each to the staging directory and
// then to its place. One whose name exists was copied before.
func (j *merging) copyAsides(ctx context.Context, staging string) error {
	for _, aside := range append(journal.AsideDirs(), run.ProtocolDir) {
		pattern := asideName()
		if aside == run.ProtocolDir {
			pattern = protocolName()
		}
		for _, s := range j.sources {
			entries, err := run.ReadDir(s.archive.Path(aside))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("merge %s: %w", s.name, err)
			}
			for _, e := range entries {
				place := filepath.Join(j.Dir, aside, e.Name())
				if !e.IsDir() || !pattern.MatchString(e.Name()) || run.Exists(place) {
					continue
				}
				part := filepath.Join(staging, aside+"-"+e.Name())
				err := copyTree(ctx, filepath.Join(s.archive.Path(aside), e.Name()), part)
				if err == nil {
					err = run.MkdirAll(filepath.Dir(place))
				}
				if err == nil {
					err = run.Rename(part, place)
				}
				if err != nil {
					return fmt.Errorf("merge %s: %w", s.name, err)
				}
			}
		}
	}
	return nil
}
