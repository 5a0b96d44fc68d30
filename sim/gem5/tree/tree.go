// Package tree plants changed files in a source tree, rebuilds, and puts
// everything back: the files and the binary, whatever happens in between.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ordeal/sim/sandbox"
)

// Tree is a source tree with a way to build it.
type Tree struct {
	// Dir is the root of the tree.
	Dir string
	// Rebuild is the user's own command that builds Binary, run in Dir with
	// the environment of this process.
	Rebuild []string
	// Binary is what Rebuild makes, from Dir or absolute. It is moved aside
	// meanwhile.
	Binary string
	// Timeout bounds the rebuilding; 0 means no bound.
	Timeout time.Duration

	// step, if not nil, is called between any two changes of the disk; tests
	// end the process there.
	step func()
	_    struct{}
}

// Change is a file of a tree with the contents that it gets.
type Change struct {
	File     string // from the root of the tree
	Contents []byte
}

// BuildError is a changed tree that Rebuild could not build: for a mutant,
// one that does not compile.
type BuildError struct {
	Command []string
	End     sandbox.Result
	// Output is the end of what the command printed.
	Output string
	_      struct{}
}

func (e *BuildError) Error() string {
	how := fmt.Sprintf("status %d", e.End.Code)
	switch {
	case e.End.TimedOut:
		how = "took too long"
	case e.End.Signal != 0:
		how = e.End.Signal.String()
	}
	return fmt.Sprintf("rebuild by %q: %s: %s", e.Command, how, e.Output)
}

// ErrChanged says that a file is neither as it was nor as it was made: then
// somebody else has changed it, and it is left alone.
var ErrChanged = errors.New("the file was changed by somebody else")

// With changes files of the tree, rebuilds, calls do with the path of the new
// binary, and puts the old files and binary back, also when do fails or ctx is
// done. Only one call can do this to a tree at a time, in whatever process;
// others wait. When this process is killed in the middle, the next call of
// With or Recover puts things back first.
//
// Files get their contents and permissions back, but a new time, so that every
// build system sees that they have changed again.
func (t *Tree) With(ctx context.Context, changes []Change, do func(ctx context.Context, binary string) error) (err error) {
	for _, c := range changes {
		if !filepath.IsLocal(c.File) {
			return fmt.Errorf("change %s: not a file below %s", c.File, t.Dir)
		}
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := t.recover(); err != nil {
		return err
	}
	if err := t.plant(changes); err != nil {
		return errors.Join(err, t.recover())
	}
	defer func() { err = errors.Join(err, t.recover()) }()
	if err := t.rebuild(ctx); err != nil {
		return err
	}
	return do(ctx, t.binary())
}

// Recover puts back what an earlier process left in the tree, if any. While
// another one is at work on it, Recover waits.
func (t *Tree) Recover(ctx context.Context) error {
	if _, err := os.Stat(t.own(journalFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return t.recover()
}

func (t *Tree) binary() string { return t.at(t.Binary) }

// at is a path given from the root of the tree, or an absolute one.
func (t *Tree) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.Dir, path)
}

// rebuild runs the user's command.
func (t *Tree) rebuild(ctx context.Context) error {
	if len(t.Rebuild) == 0 {
		return errors.New("rebuild: no command")
	}
	path, err := lookPath(t.Dir, t.Rebuild[0])
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	log := t.own("rebuild.txt")
	end, err := sandbox.Run(ctx, sandbox.Command{
		Path: path, Args: t.Rebuild[1:], Dir: t.Dir, Env: os.Environ(),
		Stdout: log, Stderr: t.own("rebuild-errors.txt"), Timeout: t.Timeout,
	})
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if end.Code != 0 || end.TimedOut {
		return &BuildError{Command: t.Rebuild, End: end, Output: lastBytes(log, 500) + lastBytes(t.own("rebuild-errors.txt"), 1500)}
	}
	if _, err := os.Stat(t.binary()); err != nil {
		return &BuildError{Command: t.Rebuild, End: end, Output: "it made no " + t.binary()}
	}
	return nil
}
