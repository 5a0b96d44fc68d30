// Package tree changes files of a source tree, rebuilds its binary, and
// restores both afterwards, even if the process is killed in between.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ordeal/sim/osfile"
	"ordeal/sim/sandbox"
)

// Tree is a source tree with a way to build it.
type Tree struct {
	// Dir is the root of the tree.
	Dir string
	// Rebuild is the user's own command that builds Binary, run in Dir with
	// the environment of a tool: see sandbox.ToolEnvironment.
	Rebuild []string
	// Binary is the output of Rebuild, absolute or from Dir; it comes from the user. It is moved aside
	// meanwhile.
	Binary string
	// Timeout bounds the rebuilding; 0 means no bound.
	Timeout time.Duration

	// step, if not nil, is called between any two changes of the disk; tests
	// end the process there.
	step func()
	_    struct{}
}

// Change is a file of a tree with its new contents.
type Change struct {
	File     string // from the root of the tree
	Contents []byte
}

// BuildError is a changed tree that Rebuild could not build: for a mutant,
// one that does not compile.
type BuildError struct {
	Command []string
	Result  sandbox.Result
	// Output is the end of the command's output.
	Output string
	_      struct{}
}

func (e *BuildError) Error() string {
	how := fmt.Sprintf("status %d", e.Result.Code)
	switch {
	case e.Result.TimedOut:
		how = "took too long"
	case e.Result.Signal != 0:
		how = e.Result.Signal.String()
	}
	return fmt.Sprintf("rebuild by %q: %s: %s", e.Command, how, e.Output)
}

// ErrChanged says that a file has neither its original nor its changed
// contents. It is left alone.
var ErrChanged = errors.New("the file was edited meanwhile")

// With changes files of the tree, rebuilds, calls do with the path of the new
// binary, and restores the old files and binary, also when do fails or ctx is
// done. Only one call, in whatever process, can change a tree at a time; others
// wait. If this process is killed meanwhile, the next call of With or Recover
// restores the tree first.
//
// Files get their contents and permissions back, but a new time, so that every
// build system notices the change.
func (t *Tree) With(ctx context.Context, changes []Change, do func(ctx context.Context, binary string) error) (err error) {
	for _, c := range changes {
		if !filepath.IsLocal(c.File) {
			return fmt.Errorf("change %s: not a file below %s", c.File, t.Dir)
		}
	}
	p, err := t.open()
	if err != nil {
		return fmt.Errorf("change tree: %w", err)
	}
	defer p.close()
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := p.restore(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.restore()) }()
	if err := p.apply(changes); err != nil {
		return fmt.Errorf("change tree: %w", err)
	}
	if err := p.rebuild(ctx); err != nil {
		return err
	}
	return do(ctx, p.binary())
}

// Recover restores the tree if an earlier process was killed while it had
// changed it, and waits while another process has.
func (t *Tree) Recover(ctx context.Context) error {
	p, err := t.open()
	if err != nil {
		return nil // without a tree, or a folder of state, nothing was changed
	}
	defer p.close()
	if _, err := os.Stat(p.own(journalFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return p.restore()
}

func (p *place) binary() string { return p.at(p.Binary) }

// at is a path given from the root of the tree, or an absolute one.
func (p *place) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.real, path)
}

// lock waits until no other process changes the tree. The lock ends with the
// process.
func (p *place) lock(ctx context.Context) (unlock func(), err error) {
	err = os.MkdirAll(p.state, 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(p.own(lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	const between = 100 * time.Millisecond
	for {
		err := osfile.Lock(f)
		if err == nil {
			return func() { _ = f.Close() }, nil // the lock ends with the file
		}
		if !errors.Is(err, osfile.ErrLocked) {
			return nil, fmt.Errorf("lock tree %s: %w", p.real, errors.Join(err, f.Close()))
		}
		select {
		case <-ctx.Done():
			err := errors.Join(context.Cause(ctx), f.Close())
			return nil, fmt.Errorf("lock tree %s: another process is changing it: %w", p.real, err)
		case <-time.After(between):
		}
	}
}

func (p *place) rebuild(ctx context.Context) error {
	if len(p.Rebuild) == 0 {
		return errors.New("rebuild: no command")
	}
	path := p.Rebuild[0]
	if strings.Contains(path, "/") {
		path = p.at(path)
	}
	path, err := exec.LookPath(path)
	if err == nil {
		path, err = filepath.Abs(path) // the command runs in another folder
	}
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	out, errs := p.own("rebuild.txt"), p.own("rebuild-errors.txt")
	result, err := sandbox.Run(ctx, sandbox.Command{
		Path: path, Args: p.Rebuild[1:], Dir: p.real, Env: sandbox.ToolEnvironment(),
		Stdout: out, Stderr: errs, Timeout: p.Timeout,
	})
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if result.Code != 0 || result.TimedOut {
		return &BuildError{Command: p.Rebuild, Result: result, Output: lastBytes(out, 500) + lastBytes(errs, 1500)}
	}
	if _, err := os.Stat(p.binary()); err != nil {
		return &BuildError{Command: p.Rebuild, Result: result, Output: "it made no " + p.binary()}
	}
	return nil
}

// lastBytes is the end of a file, as far as it can be read.
func lastBytes(path string, n int) string {
	data, _ := os.ReadFile(path)
	return string(data[max(0, len(data)-n):])
}
