package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"ordeal/campaigns/run"
)

// Options are options of Reindex.
type Options struct {
	// Rebuild makes the index anew, from the named directories and those that
	// it had.
	Rebuild bool
	// OnCampaign is called with each campaign that was read; nil means no
	// callback.
	OnCampaign func(*Campaign)
	// OnRead is called now and then with a directory and how many of its runs are
	// read; nil means no callback.
	OnRead func(dir string, runs int)
	_      struct{}
}

// Campaign is the result of Reindex for one campaign.
type Campaign struct {
	Dir string // absolute, without symbolic links as far as it exists
	// Added counts the runs that are new in the index, Runs all of them.
	Added, Runs int
	// Err is why the campaign was left out; nil if it was not.
	Err error
	// Removed is set where the directory no longer exists, and the index no
	// longer has it.
	Removed bool
}

// Reindex updates the index at path, or makes it where there is none: with the
// campaigns of dirs, each the directory of a campaign or one that holds such
// directories, and with those that the index had. Campaigns that cannot be read
// or no longer exist are left out and reported to OnCampaign. Of a campaign
// whose journal has grown only the new part is read, once the rest is found to
// be unchanged. A file that is damaged or no index is refused. After an error
// the index is as before.
func Reindex(ctx context.Context, path string, dirs []string, o Options) error {
	ix, err := connect(ctx, path, "rwc")
	if err != nil {
		return fmt.Errorf("open index %s: %w", path, explain(err))
	}
	defer ix.close()
	if err := ix.execWhenFree(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("open index %s: %w", path, explain(err))
	}
	// After an error, closing rolls back.
	if err := ix.update(ctx, dirs, o); err != nil {
		return fmt.Errorf("write index %s: %w", path, explain(err))
	}
	return nil
}

// findCampaigns lists the campaigns of directories, and reports directories
// that cannot be read. One that does not exist may be in the index.
func findCampaigns(dirs []string, report func(*Campaign)) map[string]bool {
	found := make(map[string]bool)
	for _, dir := range dirs {
		list, err := campaignDirs(dir)
		if errors.Is(err, fs.ErrNotExist) {
			if parent, err := realPath(filepath.Dir(dir)); err == nil {
				dir = filepath.Join(parent, filepath.Base(dir))
			}
			list = []string{filepath.Clean(dir)}
		} else if err != nil {
			report(&Campaign{Dir: dir, Err: fmt.Errorf("index %s: %w", dir, err)})
		}
		for _, d := range list {
			found[d] = true
		}
	}
	return found
}

// update does the work of Reindex in a transaction.
func (ix *index) update(ctx context.Context, dirs []string, o Options) error {
	report := o.OnCampaign
	if report == nil {
		report = func(*Campaign) {}
	}
	before, err := ix.inspect(ctx)
	if err == nil {
		err = ix.verify(ctx)
	}
	if err != nil {
		return err
	}
	found := findCampaigns(dirs, report)
	had := make(map[string]bool)
	if before != empty {
		var rel string
		err := ix.each(ctx, "SELECT dir FROM campaign", nil, func() {
			dir := filepath.Join(ix.dir, filepath.FromSlash(rel))
			found[dir], had[dir] = true, true
		}, &rel)
		if err != nil {
			return err
		}
	}
	if before != current || o.Rebuild {
		if err := ix.create(ctx); err != nil {
			return err
		}
	}
	w, err := ix.newWriter(ctx)
	defer w.close()
	if err != nil {
		return err
	}
	w.onRead = o.OnRead
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		c := &Campaign{Dir: dir}
		var invalid error
		if invalid, err = w.campaign(ctx, c); err != nil {
			return err
		}
		if c.Removed && !had[dir] {
			c.Removed, invalid = false, fs.ErrNotExist
		}
		if invalid != nil {
			c.Err = fmt.Errorf("index %s: %w", dir, invalid)
		}
		report(c)
	}
	if err := w.removeUnused(ctx); err != nil {
		return err
	}
	return ix.execWhenFree(ctx, "COMMIT")
}

// campaign updates one campaign, or removes it where its directory does not
// exist or is invalid. The error invalid is about the directory, err about the
// index.
func (w *writer) campaign(ctx context.Context, c *Campaign) (invalid, err error) {
	before, err := w.lookup(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	if _, err := run.Lstat(c.Dir); errors.Is(err, fs.ErrNotExist) {
		c.Removed = true
		return nil, w.remove(ctx, before)
	}
	now, invalid := fingerprintOf(c.Dir)
	if invalid == nil && before.id != 0 && before.unchanged(now) {
		c.Runs, err = w.count(ctx, before.id)
		return nil, err
	}
	var u *update
	if invalid == nil {
		u, invalid = w.newUpdate(c.Dir, now, before)
	}
	if invalid == nil {
		invalid, err = u.run(ctx)
		before = &u.before
	}
	if err != nil {
		return nil, err
	}
	if invalid != nil {
		return invalid, w.remove(ctx, before)
	}
	c.Added = u.added
	c.Runs, err = w.count(ctx, u.before.id)
	return nil, err
}
