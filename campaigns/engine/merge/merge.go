// Package merge makes one campaign from the directories of its shards or other
// parts. The result is the directory that one machine would have written, except
// for times, command lines and what each shard does alone: it reduces its first
// run of each finding, and its budget and stop conditions end only itself.
//
// Merging is idempotent, and independent of the order of parts and of the number
// of steps. A merge that was killed is repeated: run directories are copied under
// a temporary name and renamed, and the journal that lists them is replaced after
// they have reached the disk.
//
// Sources are not trusted. Only regular files and directories are read, never
// through a link. Nothing of a source is executed.
package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
)

// Merge is a merge of sources into a directory.
type Merge struct {
	// Dir is the directory of the merged campaign: a new one, or a merged one to
	// which the sources are added.
	Dir string
	// Sources are directories of campaigns.
	Sources []string
	// Argv0 and Rerun are as in summary.Summary.
	Argv0, Rerun string
	// OnProgress is called now and then with what is done with a source, and how
	// many of its runs were read for it; nil means no callback.
	OnProgress func(step, source string, runs int)
	_          struct{}
}

// Result is the result of a merge.
type Result struct {
	Summary *summary.Summary
	// Added is the number of runs that were not in Dir before.
	Added int
	// Missing has the shards with missing runs; nil if the sources are no shards,
	// or shards of different divisions.
	Missing []Part
	_       struct{}
}

// Part counts the runs of a shard.
type Part struct {
	Shard config.Shard `json:"shard"`
	Runs  int          `json:"planned"`
	Has   int          `json:"merged"`
	_     struct{}
}

// stagingDir, in the directory of the merged campaign, holds copies until they
// are complete. A merge removes it unless it is killed.
const stagingDir = ".merge"

// Run merges. Before the merged campaign changes it refuses, naming all of them,
// sources that are not of one campaign, were made by different versions, or have
// different results for one run. The error may be ctx's.
func (m *Merge) Run(ctx context.Context) (result *Result, err error) {
	if len(m.Sources) == 0 {
		return nil, errors.New("nothing to merge")
	}
	if err := m.checkTarget(); err != nil {
		return nil, err
	}
	if _, err := run.Lstat(m.Dir); errors.Is(err, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				m.removeEmpty()
			}
		}()
	}
	w, err := journal.Rewrite(m.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	staging := filepath.Join(m.Dir, stagingDir)
	if err := errors.Join(run.RemoveAll(staging), run.Mkdir(staging)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.RemoveAll(staging)) }()
	j := &merging{Merge: m, step: "open"}
	defer func() { err = errors.Join(err, j.close()) }()
	if err := j.open(ctx); err != nil {
		return nil, err
	}
	if err := j.plan(ctx); err != nil {
		return nil, err
	}
	sum, err := j.replay(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := j.copyRuns(ctx, staging); err != nil {
		return nil, err
	}
	if err := j.copyAsides(ctx, staging); err != nil {
		return nil, err
	}
	if err := j.publish(staging); err != nil {
		return nil, err
	}
	if err := errors.Join(w.Commit(), j.sweep()); err != nil {
		return nil, err
	}
	sum.ReadReductions()
	return j.result(sum), sum.Write()
}

// removeEmpty removes the directory that a failed merge made, unless there is
// something in it.
func (m *Merge) removeEmpty() {
	journal := filepath.Join(m.Dir, journal.RunsFile)
	if info, err := run.Lstat(journal); err == nil && info.Size() == 0 {
		_ = run.Remove(journal)
	}
	_ = run.Remove(m.Dir) // fails if it is not empty
}

// checkTarget accepts a new directory, one of a campaign, and one of a merge that
// was killed early.
func (m *Merge) checkTarget() error {
	entries, err := run.ReadDir(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if _, err := run.Lstat(filepath.Join(m.Dir, journal.HeaderFile)); err == nil {
		return nil // open checks the rest
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		name := e.Name()
		early := name == stagingDir || name == journal.CampaignFile || name == journal.RunsFile && info.Size() == 0 ||
			strings.HasPrefix(name, ".campaign.") || strings.HasPrefix(name, "."+journal.RunsFile)
		if !early {
			return fmt.Errorf("directory %s is not empty, and not a campaign's: it contains %s", m.Dir, name)
		}
	}
	return nil
}

type merging struct {
	*Merge
	step string // for OnProgress
	// sources are those of Merge, after Dir if it is a campaign's.
	sources []*source
	own     bool // Dir is the first source
	c       *config.Campaign
	head    journal.Header
	runs    []mergedRun      // by number
	kept    map[int]*keptRun // by number
}

// open opens the sources and checks that they are of one campaign.
func (j *merging) open(ctx context.Context) error {
	if _, err := run.Lstat(filepath.Join(j.Dir, journal.HeaderFile)); err == nil {
		s, err := openSource(j.Dir, j.Dir, false)
		if err != nil {
			return err
		}
		j.sources, j.own = append(j.sources, s), true
		if s.archive.Header.Shard != (config.Shard{}) {
			return fmt.Errorf("%s is shard %s itself: merge into a new directory", j.Dir, s.archive.Header.Shard)
		}
	}
	for _, name := range j.Sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.checkDistinct(name); err != nil {
			return err
		}
		j.progress(name, 0)
		s, err := openSource(name, run.Resolve(name), true)
		if err != nil {
			return fmt.Errorf("merge %s: %w", name, err)
		}
		j.sources = append(j.sources, s)
	}
	for _, s := range j.sources {
		s.archive.OnRead = func(lines int) { j.progress(s.name, lines) }
	}
	return j.agree()
}

// progress says how far the merge is.
func (j *merging) progress(source string, runs int) {
	if j.OnProgress != nil {
		j.OnProgress(j.step, source, runs)
	}
}

// checkDistinct refuses a source that is no directory, or is the target directory.
func (j *merging) checkDistinct(name string) error {
	dir, err := os.Stat(j.Dir)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case os.SameFile(dir, info):
		return fmt.Errorf("%s is both a source and the output directory", name)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory of a campaign", name)
	}
	return nil
}

func (j *merging) close() error {
	var errs []error
	for _, s := range j.sources {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// result counts the runs that were added and those that are missing.
func (j *merging) result(sum *summary.Summary) *Result {
	r := &Result{Summary: sum}
	for n := range j.runs {
		if j.runs[n].entry > 0 && !(j.own && j.runs[n].entry == 1) {
			r.Added++
		}
	}
	if len(j.head.Shards) == 0 {
		return r
	}
	of := j.head.Shards[0].Of
	if slices.ContainsFunc(j.head.Shards, func(s config.Shard) bool { return s.Of != of }) {
		return r
	}
	for i := 1; i <= of; i++ {
		part := Part{Shard: config.Shard{Index: i, Of: of}}
		for n, has := range part.Shard.Has(j.c) {
			if has {
				part.Runs++
			}
			if has && j.runs[n].entry > 0 {
				part.Has++
			}
		}
		if part.Has < part.Runs {
			r.Missing = append(r.Missing, part)
		}
	}
	return r
}
