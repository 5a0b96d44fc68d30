package campaigns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Resume goes on with a campaign that was interrupted, or killed, in Dir: runs
// that the journal has are not made again, runs that were in flight are. The
// summary is that of the whole campaign.
func (l *Loop) Resume(ctx context.Context) (*Summary, error) {
	path := filepath.Join(l.Dir, campaignFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("resume campaign: %w", err)
	}
	c, err := Parse(path, text, nil)
	if err != nil {
		return nil, fmt.Errorf("resume campaign: %w", err)
	}
	r := l.running(c)
	if err := r.reopen(ctx); err != nil {
		return r.sum, fmt.Errorf("resume campaign %s: %w", l.Dir, err)
	}
	return r.finishAll(ctx)
}

// reopen takes a campaign's directory up where it was left.
func (r *running) reopen(ctx context.Context) error {
	if err := r.makeRunners(ctx); err != nil {
		return err
	}
	var h Head
	headPath := filepath.Join(r.Dir, headFile)
	if err := readJSON(headPath, &h); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, journalFile)
	info, err := os.Stat(path)
	if err == nil {
		h.Spent += max(0, info.ModTime().Sub(h.Session))
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	h.Session = time.Now()
	r.spent, r.sum.Started = h.Spent, h.Started
	r.sum.part(r.c, h.Shard)
	if err := r.openJournal(path); err != nil {
		return err
	}
	if err := r.replay(path); err != nil {
		return errors.Join(err, r.journal.Close())
	}
	if err := errors.Join(r.sweep(), writeJSON(headPath, &h, true)); err != nil {
		return errors.Join(err, r.journal.Close())
	}
	return nil
}

// openJournal opens the journal for appending, and takes care that no other
// process has it.
func (r *running) openJournal(path string) error {
	var err error
	if r.journal, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644); err != nil {
		return err
	}
	if err := unix.Flock(int(r.journal.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("%s: another process runs this campaign: %w", path, err), r.journal.Close())
	}
	return nil
}

// replay counts the runs of the journal. A last line that was cut short is
// taken off: its run was in flight.
func (r *running) replay(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if err := r.journal.Truncate(int64(whole)); err != nil {
		return err
	}
	schedule := r.c.Schedule()
	for l, err := range entries(path, bytes.NewReader(data[:whole]), r.c, schedule, &Mark{known: r.tables}) {
		if err != nil {
			return err
		}
		r.restore(l, &r.c.Configs[schedule[l.Number]])
	}
	return nil
}

// restore counts a run of the journal.
func (r *running) restore(l *Entry, cfg *Config) {
	run := l.run(cfg, r.Dir)
	r.done[l.Number], r.keeps[l.Number] = true, l.Kept
	r.keep(run)
	r.sum.cover(run)
	r.sum.add(run)
}

// sweep removes the directories of runs that were in flight, and of those that
// were not to stay.
func (r *running) sweep() error {
	for number := range r.c.Runs() {
		dir := filepath.Join(r.Dir, pad(number))
		if r.done[number] && r.keeps[number] {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}
