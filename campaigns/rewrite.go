package campaigns

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"
)

// The files of a campaign's directory that tell of the campaign as a whole.
const (
	CampaignFile = campaignFile
	HeadFile     = headFile
	JournalFile  = journalFile
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
	c       *Campaign
	configs map[string]*Config
	tables  tables
	sum     *Summary
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
	path := filepath.Join(dir, journalFile)
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
		for _, name := range []string{campaignFile, headFile, journalFile, summaryText, summaryJSON} {
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
	named, err := os.Lstat(filepath.Join(w.Dir, journalFile))
	return err == nil && os.SameFile(locked, named)
}

// Begin writes the campaign's file and head, and begins the new journal. The
// session of the head is left out of account where the rest is as before.
func (w *Rewriting) Begin(c *Campaign, h *Head) error {
	text, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("write %s: %w", campaignFile, err)
	}
	if err := writeChanged(filepath.Join(w.Dir, campaignFile), text); err != nil {
		return err
	}
	path := filepath.Join(w.Dir, headFile)
	head := *h
	var before Head
	if readJSON(path, &before) == nil {
		head.Session = before.Session
	}
	if err := writeChangedJSON(path, &head); err != nil {
		return err
	}
	w.c, w.configs, w.tables, w.sum = c, make(map[string]*Config), make(tables), newSummary(c, w.Dir)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		w.configs[cfg.Name] = cfg
		for version := range strings.SplitSeq(h.Tools[c.SimOf(cfg)], "; ") {
			w.sum.simulator(c.SimOf(cfg), version)
		}
	}
	w.sum.Started, w.sum.Program, w.sum.Again = h.Started, w.Program, w.Again
	w.sum.part(c, h.Shard)
	w.sum.Interrupted, w.sum.BudgetSpent = h.End == EndInterrupted, h.End == EndBudget
	w.spent = h.Spent
	if w.tmp, err = os.CreateTemp(w.Dir, "."+journalFile+".*"); err != nil {
		return err
	}
	w.out = bufio.NewWriter(w.tmp)
	return w.tmp.Chmod(0o644)
}

// Add writes the line of a run, and counts it. Its coverage is encoded anew; a
// run was recorded no earlier than those added before.
func (w *Rewriting) Add(e *Entry) error {
	line, judgement := *e, *e.Judgement
	line.Judgement = &judgement
	if e.Covered != nil { // of which cover says anew what is new
		covered := *e.Covered
		judgement.Covered = &covered
	}
	line.At = max(e.At, w.sum.Elapsed)
	run := line.run(w.configs[e.Config], w.Dir)
	w.sum.cover(run)
	judgement = run.Judgement
	w.sum.add(run)
	w.sum.Elapsed = line.At
	line.encode(w.tables)
	text, err := json.Marshal(&line)
	if err != nil {
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	if _, err := w.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", journalFile, err)
	}
	return nil
}

// Commit puts the new journal in the place of the old one, after everything
// that was written to the file system before has reached the disk, and writes
// the summary.
func (w *Rewriting) Commit() (*Summary, error) {
	path := filepath.Join(w.Dir, journalFile)
	if err := w.out.Flush(); err != nil {
		return nil, fmt.Errorf("write %s: %w", journalFile, err)
	}
	same, err := sameContents(w.tmp.Name(), path)
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
		if err := errors.Join(flushPath(w.Dir), w.lock.Close()); err != nil {
			return nil, err
		}
		w.lock, w.tmp = w.tmp, nil
	}
	w.sum.Elapsed = max(w.sum.Elapsed, w.spent)
	w.sum.reductions()
	if err := writeChanged(filepath.Join(w.Dir, summaryText), []byte(w.sum.Text())); err != nil {
		return nil, err
	}
	return w.sum, writeChangedJSON(filepath.Join(w.Dir, summaryJSON), w.sum)
}

// Close gives the directory back. What was not committed is lost.
func (w *Rewriting) Close() error {
	var errs []error
	if w.tmp != nil {
		errs = append(errs, w.tmp.Close(), os.Remove(w.tmp.Name()))
	}
	return errors.Join(append(errs, w.lock.Close())...)
}

// Stay says whether the directory of a run stays: always, or as the first run,
// by number, of the kind key; never where key is empty.
func (a *Archive) Stay(e *Entry) (key string, always bool) {
	return a.Campaign.stay(e.run(a.Config(e.Number), a.Dir))
}

// Asides are the directories of a campaign that hold directories of runs which
// are not among those recorded.
func Asides() []string { return []string{quarantineDir, surplusDir} }

// Passing tells whether a file of a run directory, by its name, is of no
// account once nobody works there any more.
func Passing(name string) bool {
	return name == endedFile || name == partDir || strings.HasPrefix(name, ".")
}

// WriteJSON writes v as indented JSON, whole or not at all, and flushes it.
func WriteJSON(path string, v any) error { return writeJSON(path, v, true) }

// writeChanged writes a file unless it is as wanted already.
func writeChanged(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return writeFile(path, data, true)
}

// writeChangedJSON is writeChanged of indented JSON.
func writeChangedJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeChanged(path, append(data, '\n'))
}

// sameContents compares two files.
func sameContents(a, b string) (bool, error) {
	var sums [2][]byte
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return false, err
		}
		sums[i] = h.Sum(nil)
	}
	return bytes.Equal(sums[0], sums[1]), nil
}
