package cluster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// Program is the copy of this program that the jobs run: a build that replaces
// the original while jobs wait changes nothing for them.
func (d Dir) Program() string { return d.path("ordeal") }

// copyProgram makes the copy of the program at a path. One that is there must be
// the same: a campaign is not continued by another build, and what others may
// have put there is not executed.
func (d Dir) copyProgram(from string) error {
	to := d.Program()
	switch same, err := run.SameContents(from, to); {
	case errors.Is(err, fs.ErrNotExist):
		if err := copyExecutable(from, to); err != nil {
			return err
		}
	case err != nil:
		return err
	case !same:
		return fmt.Errorf("%s, which the jobs of this campaign run, is another build than %s: submit with that program, or remove it to continue with this one", to, from)
	}
	if err := osfile.Executable(to); err != nil {
		return fmt.Errorf("%s cannot be executed, maybe as its file system is mounted noexec: %w; use another --dir", to, err)
	}
	return nil
}

// copyExecutable copies a file, whole or not at all, for all to execute who may
// read it.
func copyExecutable(from, to string) (err error) {
	in, err := run.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := run.Temporary(to)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = out.Close()
			_ = run.Remove(out.Name())
		}
	}()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy %s to %s: %w", from, to, err)
	}
	info, err := out.Stat()
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	if err := errors.Join(out.Chmod(mode|mode&0o444>>2), out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("copy %s to %s: %w", from, to, err)
	}
	if err := run.Rename(out.Name(), to); err != nil {
		return err
	}
	return run.Flush(filepath.Dir(to))
}
