package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// Options are options of Reindex.
type Options struct {
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
	Dir  string // absolute, without symbolic links as far as it exists
	Runs int
	// Err is why the campaign was left out; nil if it was not.
	Err error
	// Removed is set if the directory no longer exists, and the index no
	// longer has it.
	Removed bool
}

// Reindex builds the index at path: of the campaigns of dirs, each the directory of
// a campaign or one that holds such directories, and of those that the index had.
// Campaigns that cannot be read or no longer exist are left out and reported to
// OnCampaign. A file that is damaged or no index is refused. After an error the
// index is as before.
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
	if err := ix.rebuild(ctx, dirs, o); err != nil {
		return fmt.Errorf("write index %s: %w", path, explain(err))
	}
	return nil
}

// findCampaigns lists the campaigns of directories, and reports directories
// that cannot be read. One that does not exist may be in the index.
func findCampaigns(dirs []string, report func(*Campaign)) map[string]bool {
	found := make(map[string]bool)
	for _, dir := range dirs {
		real, err := realPath(dir)
		var list []string
		if err == nil {
			list, err = journal.Find(real)
		}
		if errors.Is(err, fs.ErrNotExist) {
			if parent, err := realPath(filepath.Dir(dir)); err == nil {
				dir = filepath.Join(parent, filepath.Base(dir))
			}
			list = []string{filepath.Clean(dir)}
		} else if err != nil {
			report(&Campaign{Dir: dir, Err: fmt.Errorf("index %s: %w", dir, err)})
		}
		for _, d := range list {
			if real, err := realPath(d); err == nil { // else it has just vanished
				d = real
			}
			found[d] = true
		}
	}
	return found
}

// rebuild does the work of Reindex in a transaction.
func (ix *index) rebuild(ctx context.Context, dirs []string, o Options) error {
	report := o.OnCampaign
	if report == nil {
		report = func(*Campaign) {}
	}
	before, err := ix.inspect(ctx)
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
	if err := ix.create(ctx); err != nil {
		return err
	}
	w, err := ix.newWriter(ctx)
	defer w.close()
	if err != nil {
		return err
	}
	w.onRead = o.OnRead
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		c := &Campaign{Dir: dir}
		if _, err := run.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			if c.Removed = had[dir]; !c.Removed {
				c.Err = fmt.Errorf("index %s: %w", dir, fs.ErrNotExist)
			}
		} else if err := w.add(ctx, c); err != nil {
			return err
		}
		report(c)
	}
	return ix.execWhenFree(ctx, "COMMIT")
}

// add indexes a campaign, or nothing of one that is invalid.
func (w *writer) add(ctx context.Context, c *Campaign) error {
	if err := w.exec(ctx, "SAVEPOINT campaign"); err != nil {
		return err
	}
	runs, invalid, err := w.campaign(ctx, c.Dir)
	if err != nil {
		return err
	}
	if c.Runs = runs; invalid != nil {
		c.Err = fmt.Errorf("index %s: %w", c.Dir, invalid)
		w.forget()
		if err := w.exec(ctx, "ROLLBACK TO campaign"); err != nil {
			return err
		}
	}
	return w.exec(ctx, "RELEASE campaign")
}
