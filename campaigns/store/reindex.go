package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Options say what Reindex does.
type Options struct {
	// Rebuild forgets what the index has and makes it anew, of the named
	// directories and those that it knew.
	Rebuild bool
	// Watch is told of every campaign that was looked at; nil: nobody is.
	Watch func(*Campaign)
	_     struct{}
}

// Campaign is what Reindex did about one campaign.
type Campaign struct {
	Dir string // absolute, symbolic links followed as far as it exists
	// Added counts the runs that are new in the index, Runs all of them.
	Added, Runs int
	// Err says why the campaign was left out; nil if it was not.
	Err error
	// Gone says that the directory is no more, and no more in the index.
	Gone bool
}

// Reindex brings the index at path up to date, or makes it where there is none:
// with the campaigns of dirs, each the directory of a campaign or one that
// holds such directories, and with those that the index had. Campaigns that
// cannot be read, or are no more, are left out; Watch is told. Of a campaign
// whose journal has grown, only what is new is read, after a look at whether
// the rest is as it was. A file that is no index, or damaged, is refused. An
// error means that the index is as it was.
func Reindex(ctx context.Context, path string, dirs []string, o Options) error {
	ix, err := connect(ctx, path, "rwc")
	if err != nil {
		return fmt.Errorf("open index %s: %w", path, plain(err))
	}
	defer ix.close()
	if err := ix.patiently(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("open index %s: %w", path, plain(err))
	}
	// Whatever goes wrong, closing rolls back.
	if err := ix.update(ctx, dirs, o); err != nil {
		return fmt.Errorf("write index %s: %w", path, plain(err))
	}
	return nil
}

// named are the campaigns of directories. What cannot be read is told.
func named(dirs []string, watch func(*Campaign)) map[string]bool {
	found := make(map[string]bool)
	for _, dir := range dirs {
		list, err := expand(dir)
		if errors.Is(err, fs.ErrNotExist) {
			found[absolute(dir)] = true // the index may have it
		} else if err != nil {
			watch(&Campaign{Dir: dir, Err: fmt.Errorf("index %s: %w", dir, err)})
		}
		for _, d := range list {
			found[d] = true
		}
	}
	return found
}

// absolute is the absolute path of a directory that does not exist.
func absolute(dir string) string {
	if parent, err := real(filepath.Dir(dir)); err == nil {
		return filepath.Join(parent, filepath.Base(dir))
	}
	return filepath.Clean(dir)
}

// update does the work of Reindex in a transaction.
func (ix *index) update(ctx context.Context, dirs []string, o Options) error {
	if o.Watch == nil {
		o.Watch = func(*Campaign) {}
	}
	was, err := ix.inspect(ctx)
	if err == nil {
		err = ix.sound(ctx)
	}
	if err != nil {
		return err
	}
	var indexed []string
	if was != empty {
		if indexed, err = ix.strings(ctx, "SELECT dir FROM campaign"); err != nil {
			return err
		}
	}
	found := named(dirs, o.Watch)
	had := make(map[string]bool)
	for _, rel := range indexed {
		dir := filepath.Join(ix.dir, filepath.FromSlash(rel))
		found[dir], had[dir] = true, true
	}
	if was != ours || o.Rebuild {
		if err := ix.create(ctx); err != nil {
			return err
		}
	}
	w, err := ix.writer(ctx)
	if err != nil {
		return err
	}
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		c, err := w.campaign(ctx, dir)
		if err != nil {
			return err
		}
		if c.Gone && !had[dir] {
			c.Gone, c.Err = false, fmt.Errorf("index %s: %w", dir, fs.ErrNotExist)
		}
		o.Watch(c)
	}
	if err := w.tidy(ctx); err != nil {
		return err
	}
	return ix.patiently(ctx, "COMMIT")
}

// campaign brings one campaign up to date. The error is one of the index; what
// is wrong with the campaign is in the result.
func (w *writer) campaign(ctx context.Context, dir string) (*Campaign, error) {
	c := &Campaign{Dir: dir}
	before, err := w.known(ctx, dir)
	if err != nil {
		return c, err
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		c.Gone = true
		return c, w.remove(ctx, before)
	}
	s, err := look(dir)
	if err == nil && before.same(s) {
		c.Runs, err = w.count(ctx, before.id)
		return c, err
	}
	var l *load
	if err == nil {
		l, err = w.open(dir, s, before)
	}
	if err != nil {
		c.Err = fmt.Errorf("index %s: %w", dir, err)
		return c, w.remove(ctx, before)
	}
	if c.Err, err = l.run(ctx); err != nil {
		return c, err
	}
	if c.Err != nil {
		c.Err = fmt.Errorf("index %s: %w", dir, c.Err)
		return c, w.remove(ctx, &l.known)
	}
	c.Added = l.added
	c.Runs, err = w.count(ctx, l.known.id)
	return c, err
}
