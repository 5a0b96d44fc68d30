package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
)

// Rewriting is the directory of a campaign whose journal is written anew, of
// runs that were made elsewhere. Until Commit the old journal stands; files
// that would not change are left alone.
type Rewriting struct {
	Dir string
	// Program and Again are as in Summary.
	Program, Again string

	lock    *os.File // the journal that stands
	tmp     *os.File // the new one
	out     *bufio.Writer
	c       *config.Campaign
	configs map[string]*config.Config
	tables  journal.TransitionTables
	sum     *summary.Summary
	spent   time.Duration // in all
	_       struct{}
}

// Rewrite takes a directory, which is made where there is none, so that no
// other process runs or rewrites its campaign. Close gives it back.
func Rewrite(dir string) (*Rewriting, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w := &Rewriting{Dir: dir, Program: "ordeal"}
	path := filepath.Join(dir, journal.JournalFile)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o644)
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: another process runs this campaign: %w", path, err), f.Close())
		}
		if w.lock = f; w.standing() {
			if err := w.tidy(); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return w, nil
		}
		if err := f.Close(); err != nil { // somebody wrote a new one since it was opened
			return nil, err
		}
	}
}

// tidy removes the temporary files that a kill has left.
func (w *Rewriting) tidy() error {
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, name := range []string{journal.CampaignFile, journal.HeadFile, journal.JournalFile, journal.SummaryText, journal.SummaryJSON} {
			if strings.HasPrefix(e.Name(), "."+name+".") {
				if err := os.Remove(filepath.Join(w.Dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// standing tells whether the locked file is the journal.
func (w *Rewriting) standing() bool {
	locked, err := w.lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(filepath.Join(w.Dir, journal.JournalFile))
	return err == nil && os.SameFile(locked, named)
}

// Begin writes the campaign's file and head, and begins the new journal. The
// session of the head is left out of account where the rest is as before.
func (w *Rewriting) Begin(c *config.Campaign, h *journal.Header) error {
	text, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("write %s: %w", journal.CampaignFile, err)
	}
	if err := rundir.WriteChanged(filepath.Join(w.Dir, journal.CampaignFile), text); err != nil {
		return err
	}
	path := filepath.Join(w.Dir, journal.HeadFile)
	head := *h
	var before journal.Header
	if rundir.ReadJSON(path, &before) == nil {
		head.Session = before.Session
	}
	if err := rundir.WriteChangedJSON(path, &head); err != nil {
		return err
	}
	w.c, w.configs, w.tables, w.sum = c, make(map[string]*config.Config), make(journal.TransitionTables), summary.NewSummary(c, w.Dir)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		w.configs[cfg.Name] = cfg
		for version := range strings.SplitSeq(h.Tools[c.SimOf(cfg)], "; ") {
			w.sum.AddSimulator(c.SimOf(cfg), version)
		}
	}
	w.sum.Started, w.sum.Program, w.sum.Again = h.Started, w.Program, w.Again
	w.sum.Part(c, h.Shard)
	w.sum.Interrupted, w.sum.BudgetSpent = h.End == journal.EndInterrupted, h.End == journal.EndBudget
	w.spent = h.Spent
	if w.tmp, err = os.CreateTemp(w.Dir, "."+journal.JournalFile+".*"); err != nil {
		return err
	}
	w.out = bufio.NewWriter(w.tmp)
	return w.tmp.Chmod(0o644)
}

// Add writes the line of a run, and counts it. Its coverage is encoded anew; a
// run was recorded no earlier than those added before.
func (w *Rewriting) Add(e *journal.Entry) error {
	line, judgement := *e, *e.Result
	line.Result = &judgement
	if e.Covered != nil { // of which cover says anew what is new
		covered := *e.Covered
		judgement.Covered = &covered
	}
	line.At = max(e.At, w.sum.Elapsed)
	run := line.Run(w.configs[e.Config], w.Dir)
	w.sum.Cover(run)
	judgement = run.Result
	w.sum.Add(run)
	w.sum.Elapsed = line.At
	line.Encode(w.tables)
	text, err := json.Marshal(&line)
	if err != nil {
		return fmt.Errorf("write %s: %w", journal.JournalFile, err)
	}
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", journal.JournalFile, err)
	}
	return nil
}

// Commit puts the new journal in the place of the old one, after everything
// that was written to the file system before has reached the disk, and writes
// the summary.
func (w *Rewriting) Commit() (*summary.Summary, error) {
	path := filepath.Join(w.Dir, journal.JournalFile)
	if err := w.out.Flush(); err != nil {
		return nil, fmt.Errorf("write %s: %w", journal.JournalFile, err)
	}
	same, err := rundir.SameContents(w.tmp.Name(), path)
	if err != nil {
		return nil, err
	}
	if !same {
		if err := unix.Syncfs(int(w.tmp.Fd())); err != nil {
			return nil, fmt.Errorf("flush %s: %w", w.Dir, err)
		}
		// Whoever opens the new journal finds it taken.
		if err := unix.Flock(int(w.tmp.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return nil, err
		}
		if err := os.Rename(w.tmp.Name(), path); err != nil {
			return nil, err
		}
		if err := errors.Join(rundir.Flush(w.Dir), w.lock.Close()); err != nil {
			return nil, err
		}
		w.lock, w.tmp = w.tmp, nil
	}
	w.sum.Elapsed = max(w.sum.Elapsed, w.spent)
	w.sum.Reductions()
	if err := rundir.WriteChanged(filepath.Join(w.Dir, journal.SummaryText), []byte(w.sum.Text())); err != nil {
		return nil, err
	}
	return w.sum, rundir.WriteChangedJSON(filepath.Join(w.Dir, journal.SummaryJSON), w.sum)
}

// Close gives the directory back. What was not committed is lost.
func (w *Rewriting) Close() error {
	var errs []error
	if w.tmp != nil {
		errs = append(errs, w.tmp.Close(), os.Remove(w.tmp.Name()))
	}
	return errors.Join(append(errs, w.lock.Close())...)
}
