package bugs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
)

// WorkTree stands for the files of a clone's work tree in place of a commit.
const WorkTree = "the working tree"

// Against returns the change since the history of HEAD and of a commit parted, or, for A..B, that of B and A: what the
// commit alone has since then is no part of it. HEAD stands for the work tree if that has changes of protocols that
// are not committed.
func (c *Clone) Against(ctx context.Context, revision string) (*Commit, error) {
	from, to, ranged := strings.Cut(revision, "..")
	if to = strings.TrimPrefix(to, "."); to == "" {
		to = "HEAD"
	}
	first, err := c.Commit(ctx, from)
	last, lerr := c.Commit(ctx, to)
	shallow, serr := c.shallow(ctx)
	if serr != nil {
		return nil, serr
	}
	if err = errors.Join(err, lerr); err == nil {
		var out []byte
		if out, err = c.git(ctx, nil, "merge-base", first, last); err == nil {
			first = strings.TrimSpace(string(out))
		} else if ctx.Err() == nil {
			err = fmt.Errorf("%s and %s have no commit in common: the history was rewritten, or they are of two repositories", from, to)
		}
	}
	if err != nil && shallow {
		err = fmt.Errorf("%w; the clone is shallow: git fetch --unshallow gets the rest of its history", err)
	}
	if err != nil {
		return nil, err
	}
	list, err := c.revisions(ctx, "--max-count=1", last)
	if err != nil {
		return nil, err
	}
	x := list[0]
	x.Parents, x.Cut = []string{first}, false
	if ranged || !c.tree {
		return x, nil
	}
	was, err := c.protocols(ctx, last)
	if err != nil {
		return nil, err
	}
	now, err := c.protocols(ctx, WorkTree)
	if err != nil {
		return nil, err
	}
	if changed := Differing(was, now); len(changed) > 0 {
		x.ID, x.Subject = WorkTree, fmt.Sprintf("with uncommitted changes of %s, on %.10s: %s", strings.Join(changed, ", "), last, x.Subject)
	}
	return x, nil
}

// protocols reads the protocols of a commit, if there are any.
func (c *Clone) protocols(ctx context.Context, revision string) (Protocols, error) {
	files, err := c.Protocols(ctx, revision)
	if errors.Is(err, ErrNoProtocols) {
		err = nil
	}
	return files, err
}

// Differing lists the files that only one of two has, or that differ.
func Differing(a, b Protocols) []string {
	all := map[string]bool{}
	for _, pair := range [][2]Protocols{{a, b}, {b, a}} {
		for name, text := range pair[0] {
			if other, ok := pair[1][name]; !ok || other != text {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// workTree reads the protocols of the work tree: what git tracks, and what lies beside it. Links are not followed.
func (c *Clone) workTree(ctx context.Context) (Protocols, error) {
	out, err := c.git(ctx, nil, append([]string{"ls-files", "-z", "--"}, protocols.Folders...)...)
	if err == nil && len(out) == 0 { // no tree of gem5
		out, err = c.git(ctx, nil, "ls-files", "-z", "--", "*.slicc", "*.sm")
	}
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if isSource(name) && fs.ValidPath(name) {
			folders[path.Dir(name)] = true
		}
	}
	files, total := Protocols{}, 0
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		list, err := run.ReadDir(filepath.Join(c.dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", WorkTree, err)
		}
		for _, e := range list {
			if !e.Type().IsRegular() || !isSource(e.Name()) {
				continue
			}
			name, size := path.Join(folder, e.Name()), 0
			if info, err := e.Info(); err == nil {
				size = int(info.Size())
			}
			total += size
			text, err := run.ReadFile(filepath.Join(c.dir, name))
			if err := errors.Join(permits(name, size, total), err); err != nil {
				return nil, fmt.Errorf("%s: %w", WorkTree, err)
			}
			c.add(files, name, string(text))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", WorkTree, ErrNoProtocols)
	}
	c.list[WorkTree] = files
	return files, nil
}
