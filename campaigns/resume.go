package campaigns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/sim"
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
	var h head
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
	n := 0
	for text := range bytes.Lines(data[:whole]) {
		n++
		l := line{Judgement: &Judgement{}}
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if l.Number < 0 || l.Number >= len(schedule) || r.done[l.Number] || r.c.Configs[schedule[l.Number]].Name != l.Config {
			return fmt.Errorf("%s:%d: run %d of configuration %s is not one that is missing in the campaign", path, n, l.Number, l.Config)
		}
		r.restore(&l, &r.c.Configs[schedule[l.Number]])
	}
	return nil
}

// restore counts a run of the journal.
func (r *running) restore(l *line, cfg *Config) {
	run := &Run{
		Number: l.Number, Config: cfg, Dir: RunDir(filepath.Join(r.Dir, pad(l.Number))), Kept: l.Kept, Case: &Case{Judgement: *l.Judgement},
	}
	r.done[l.Number], r.keeps[l.Number] = true, l.Kept
	r.keep(run)
	row := r.sum.row(run)
	if row.Coverage.Add(l.New) > 0 {
		row.LastNew = l.Number
	}
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

// fresh lists the transitions that a run is the first of its configuration to
// take.
func (r *running) fresh(run *Run) sim.Coverage {
	if run.Covered == nil {
		return nil
	}
	type row struct{ machine, state, event string }
	seen := map[row]bool{}
	for _, t := range r.sum.row(run).Coverage {
		if t.Count > 0 {
			seen[row{t.Machine, t.State, t.Event}] = true
		}
	}
	var list sim.Coverage
	for _, t := range run.Coverage {
		if t.Count > 0 && !seen[row{t.Machine, t.State, t.Event}] {
			list = append(list, t)
		}
	}
	return list
}
