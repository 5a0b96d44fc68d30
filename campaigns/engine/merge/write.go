package merge

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
)

// replay writes the lines of the runs in order as the engine commits them: what stays of each
// kind is decided by the runs before.
func (j *merging) replay(ctx context.Context, w *journal.Rewriter) (*summary.Summary, error) {
	j.step = "write"
	j.head.Session, j.head.End = time.Now(), j.end()
	if err := w.Begin(j.c, &j.head); err != nil {
		return nil, err
	}
	sum, retention := j.summary(), journal.NewRetention(j.c)
	j.kept = make(map[int]*keptRun)
	for e, err := range j.entries() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		e.Kept, e.Replaces = false, nil
		if r := &j.runs[e.Number]; r.dir != 0 {
			e.Kept, e.Replaces = retention.Keep(e)
			if e.Kept {
				j.kept[e.Number] = &keptRun{r.dir, e.Program, e.LogHash}
				if j.own && r.dir == 1 {
					j.kept[e.Number].source = 0
				}
			}
			if e.Replaces != nil {
				delete(j.kept, *e.Replaces)
			}
		}
		line, err := w.Add(e)
		if err != nil {
			return nil, err
		}
		sum.Add(line)
		sum.Elapsed = line.At
	}
	sum.Elapsed = max(sum.Elapsed, j.head.Spent)
	return sum, nil
}

// summary is the summary of the merged campaign without runs.
func (j *merging) summary() *summary.Summary {
	sum := summary.New(j.c, j.Dir, j.head.Shard, j.head.Started)
	sum.UseTools(j.head.Tools)
	sum.Argv0, sum.Rerun = j.Argv0, j.Rerun
	sum.Interrupted, sum.BudgetSpent = j.head.End == journal.EndInterrupted, j.head.End == journal.EndBudget
	for i := range j.c.Configs {
		name := j.c.SimOf(&j.c.Configs[i])
		for version := range strings.SplitSeq(j.head.Tools[name], "; ") {
			sum.AddSimulator(name, version)
		}
	}
	return sum
}

// end is how the merged campaign ended: as its parts did, if all of them are
// here and ran to their ends. Parts that were merged before count if they did.
func (j *merging) end() journal.End {
	if !slices.ContainsFunc(j.runs, func(r mergedRun) bool { return r.entry == 0 }) {
		return journal.EndComplete
	}
	end := journal.EndComplete
	here := make(map[config.Shard]bool)
	for i, s := range j.sources {
		h := &s.archive.Header
		switch h.End {
		case journal.EndComplete:
		case journal.EndBudget, journal.EndStopped:
			end = h.End
		default:
			if j.own && i == 0 {
				continue
			}
			return journal.EndInterrupted
		}
		for _, shard := range shards(h) {
			here[shard] = true
		}
	}
	for _, s := range j.head.Shards {
		for i := 1; i <= s.Of; i++ {
			if !here[config.Shard{Index: i, Of: s.Of}] {
				return journal.EndInterrupted
			}
		}
	}
	return end
}

// taken gives the runs whose entries are taken from a source.
func (j *merging) taken(source int32) iter.Seq2[*journal.Entry, error] {
	return func(yield func(*journal.Entry, error) bool) {
		for e, err := range j.sources[source-1].archive.Entries() {
			if err == nil && j.runs[e.Number].entry != source {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// entries gives each run once, in the order of their numbers. Runs of a source
// that are not in that order stay in theirs.
func (j *merging) entries() iter.Seq2[*journal.Entry, error] {
	type head struct {
		next   func() (*journal.Entry, error, bool)
		entry  *journal.Entry // nil at the end
		latest int            // the greatest number so far
	}
	return func(yield func(*journal.Entry, error) bool) {
		var heads []*head
		for i := range j.sources {
			next, stop := iter.Pull2(j.taken(int32(i + 1)))
			defer stop()
			heads = append(heads, &head{next: next})
		}
		for {
			var best *head
			for _, h := range heads {
				if h.entry == nil {
					e, err, ok := h.next()
					if err != nil {
						yield(nil, err)
						return
					}
					if !ok {
						continue
					}
					h.entry, h.latest = e, max(h.latest, e.Number)
				}
				if best == nil || h.latest < best.latest {
					best = h
				}
			}
			if best == nil || !yield(best.entry, nil) {
				return
			}
			best.entry = nil
		}
	}
}

// sweep removes run directories that do not stay: of runs that are no longer the
// first of their kind, and of a merge that was killed.
func (j *merging) sweep() error {
	entries, err := run.ReadDir(j.Dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		number, ok := run.Number(e.Name())
		if ok && j.kept[number] == nil {
			errs = append(errs, run.RemoveAll(filepath.Join(j.Dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
