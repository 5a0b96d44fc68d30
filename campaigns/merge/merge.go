// Package merge makes one campaign of the directories of its shards, or of
// other parts of it. The result is what the campaign would have left on one
// machine, but for times, command lines and what each shard did by itself: its
// first run of each finding is reduced, its budget and conditions of stop have
// ended it alone.
//
// Merging the same again changes nothing, and it does not matter in what order
// or in how many steps parts are merged. A merge that was killed is done again:
// run directories are copied under a temporary name and renamed, and the
// journal that lists them takes its place after they have reached the disk.
//
// Sources may come from anywhere. Of a directory only regular files and
// directories are read, never what a link leads to; of an archive only such
// are unpacked, within limits, below the directory that is written. Nothing of
// a source is executed.
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
	"ordeal/campaigns/engine"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
)

// Merge says what to merge where.
type Merge struct {
	// Dir is the directory of the merged campaign: a new one, or one that was
	// merged before, to which the sources are added.
	Dir string
	// Sources are directories of campaigns and archives of such.
	Sources []string
	// Limits bound each archive; the zero value means DefaultLimits.
	Limits Limits
	// Program and Again are as in campaigns.Summary.
	Program, Again string
	_              struct{}
}

// Result is what a merge came to.
type Result struct {
	Summary *summary.Summary
	// Added is the number of runs that were not in Dir before.
	Added int
	// Missing has the shards of which runs are missing; nil where the sources
	// are no shards, or shards of different cuts.
	Missing []Part
	_       struct{}
}

// Part is what there is of a shard.
type Part struct {
	Shard     config.Shard
	Runs, Has int // planned, merged
	_         struct{}
}

// stagingDir holds, in the directory of the merged campaign, what is on its
// way there. It does not outlive a merge, but for a kill.
const stagingDir = ".merge"

// Run merges. What cannot be merged is refused before anything of the merged
// campaign changes: sources that are not of one campaign, made by different
// versions, or that tell different things of one run; the error names all of
// them. The error may be ctx's.
func (m *Merge) Run(ctx context.Context) (result *Result, err error) {
	if len(m.Sources) == 0 {
		return nil, errors.New("nothing to merge")
	}
	if err := m.fresh(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(m.Dir); errors.Is(err, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				m.unmake()
			}
		}()
	}
	w, err := engine.Rewrite(m.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	staging := filepath.Join(m.Dir, stagingDir)
	if err := errors.Join(os.RemoveAll(staging), os.Mkdir(staging, 0o755)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	j := &merging{Merge: m}
	defer func() { err = errors.Join(err, j.close()) }()
	if err := j.open(ctx, staging); err != nil {
		return nil, err
	}
	if err := j.plan(ctx); err != nil {
		return nil, err
	}
	into, err := os.OpenRoot(staging)
	if err != nil {
		return nil, err
	}
	err = errors.Join(j.copyRuns(ctx, into), j.copyAsides(ctx, into))
	if err := errors.Join(err, into.Close()); err != nil {
		return nil, err
	}
	if err := j.publish(staging); err != nil {
		return nil, err
	}
	w.Program, w.Again = m.Program, m.Again
	sum, err := j.write(ctx, w)
	if err != nil {
		return nil, err
	}
	return j.result(sum), j.sweep()
}

// unmake removes the directory that was made for a merge that failed, unless
// there is something in it.
func (m *Merge) unmake() {
	journal := filepath.Join(m.Dir, journal.JournalFile)
	if info, err := os.Lstat(journal); err == nil && info.Size() == 0 {
		_ = os.Remove(journal)
	}
	_ = os.Remove(m.Dir) // fails if it is not empty
}

// fresh refuses directories that are neither new nor of a campaign that is
// merged, nor what a merge leaves that was killed early.
func (m *Merge) fresh() error {
	entries, err := os.ReadDir(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(m.Dir, journal.HeadFile)); err == nil {
		return nil // open looks closer
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		name := e.Name()
		early := name == stagingDir || name == journal.CampaignFile || name == journal.JournalFile && info.Size() == 0 ||
			strings.HasPrefix(name, ".campaign.") || strings.HasPrefix(name, "."+journal.JournalFile)
		if !early {
			return fmt.Errorf("directory %s is not empty, and not a campaign's: it has %s", m.Dir, name)
		}
	}
	return nil
}

// merging is a merge in progress.
type merging struct {
	*Merge
	// sources are those of Merge; the first is Dir, where it is a campaign's.
	sources []*source
	own     bool // Dir is the first source
	c       *config.Campaign
	head    journal.Header
	runs    []run            // by number
	kinds   map[string]int32 // see run.kind
}

// open opens the sources, and finds out whether they are of one campaign.
func (j *merging) open(ctx context.Context, staging string) error {
	if _, err := os.Lstat(filepath.Join(j.Dir, journal.HeadFile)); err == nil {
		s := &source{name: j.Dir}
		if err := s.openDir(j.Dir, false); err != nil {
			return err
		}
		j.sources, j.own = append(j.sources, s), true
		if s.archive.Head.Shard != (config.Shard{}) {
			return fmt.Errorf("%s is shard %s itself: merge into a new directory", j.Dir, s.archive.Head.Shard)
		}
	}
	for i, name := range j.Sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.apart(name); err != nil {
			return err
		}
		s, err := openSource(name, filepath.Join(staging, fmt.Sprintf("source-%d", i+1)), j.Limits)
		if err != nil {
			return fmt.Errorf("merge %s: %w", name, err)
		}
		j.sources = append(j.sources, s)
	}
	return j.agree()
}

// apart refuses a source that is the directory to be written.
func (j *merging) apart(name string) error {
	dir, err := os.Stat(j.Dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && os.SameFile(dir, info) {
		return fmt.Errorf("%s is both a source and what is to be written", name)
	}
	return nil
}

// close gives the sources back.
func (j *merging) close() error {
	var errs []error
	for _, s := range j.sources {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// result says what the merge came to.
func (j *merging) result(sum *summary.Summary) *Result {
	r := &Result{Summary: sum}
	for n := range j.runs {
		if j.runs[n].entry > 0 && !(j.own && j.runs[n].entry == 1) {
			r.Added++
		}
	}
	cut := func(s config.Shard) int { return s.Of }
	if len(j.head.Shards) == 0 || cut(slices.MinFunc(j.head.Shards, byCut)) != cut(slices.MaxFunc(j.head.Shards, byCut)) {
		return r
	}
	of := j.head.Shards[0].Of
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

func byCut(a, b config.Shard) int { return a.Of - b.Of }
