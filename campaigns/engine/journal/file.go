package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// lock opens the journal of a campaign directory for appending, and locks it so
// that no other process runs or rewrites the campaign.
func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, RunsFile)
	for {
		f, err := run.Append(path)
		if err != nil {
			return nil, err
		}
		if err := lockSoon(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: another process runs this campaign%s: %w", path, run.LockedBy(f), err), f.Close())
		}
		if current(f, path) {
			return f, nil
		}
		if err := f.Close(); err != nil { // it was replaced since it was opened
			return nil, err
		}
	}
}

// lockSoon locks a file, also where Running of another process holds it for a moment.
func lockSoon(f *os.File) error {
	for try := 0; ; try++ {
		err := osfile.Lock(f)
		if !errors.Is(err, osfile.ErrLocked) || try == 3 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Running reports whether a process runs the campaign in a directory, or rewrites it.
// The error may be that of a file system without locks.
func Running(dir string) (bool, error) {
	f, err := run.Open(filepath.Join(dir, RunsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // killed before its first run
	} else if err != nil {
		return false, err
	}
	err = osfile.LockShared(f)
	if closed := f.Close(); err == nil {
		return false, closed
	}
	if errors.Is(err, osfile.ErrLocked) {
		return true, nil
	}
	return false, err
}

// current reports whether a path still names an open file.
func current(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := run.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

// replacement is a journal that is written to take the place of another.
type replacement struct {
	dir string
	*os.File
	out   *bufio.Writer
	known transitions
}

// replace begins a new journal in a temporary file.
func replace(dir string) (*replacement, error) {
	f, err := run.Temporary(filepath.Join(dir, RunsFile))
	if err != nil {
		return nil, err
	}
	return &replacement{dir, f, bufio.NewWriter(f), make(transitions)}, nil
}

// add writes a line, in terms of those before.
func (r *replacement) add(e *Entry) error {
	r.known.encode(e)
	line, err := e.encode()
	if err != nil {
		return err
	}
	if _, err := r.out.Write(line); err != nil {
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	return nil
}

// commit replaces the old journal, which it closes, by the new one, locked, and
// returns the file that is now the journal: the old one if it fails.
func (r *replacement) commit(old *os.File) (*os.File, error) {
	if err := r.install(); err != nil {
		return old, errors.Join(err, r.discard())
	}
	return r.File, errors.Join(run.Flush(r.dir), old.Close())
}

// install flushes the new journal to the disk, locks it and renames it.
func (r *replacement) install() error {
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	if err := run.Sync(r.File); err != nil {
		return err
	}
	if err := osfile.Lock(r.File); err != nil {
		return err
	}
	return run.Rename(r.Name(), filepath.Join(r.dir, RunsFile))
}

// discard removes the temporary file.
func (r *replacement) discard() error { return errors.Join(r.Close(), run.Remove(r.Name())) }

// removeTemporary removes the temporary files that a kill has left in a
// directory that is locked, and in its quarantine.
func removeTemporary(dir string) error {
	if err := run.RemoveTemporary(dir); err != nil {
		return err
	}
	quarantine := filepath.Join(dir, QuarantineDir)
	entries, err := run.ReadDir(quarantine)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := run.RemoveTemporary(filepath.Join(quarantine, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
