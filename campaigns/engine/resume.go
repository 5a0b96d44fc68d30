package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Resume goes on with a campaign that was interrupted, or killed, in Dir: runs
// that the journal has, and runs that ended and wait to be recorded, are not
// made again; runs that were in flight are, and so are runs in quarantine and
// those whose records are spoilt. The summary is that of the whole campaign.
func (l *Engine) Resume(ctx context.Context) (*summary.Summary, error) {
	path := filepath.Join(l.Dir, journal.CampaignFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("resume campaign: %w", err)
	}
	c, err := config.Parse(path, text, nil)
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
func (r *session) reopen(ctx context.Context) error {
	if err := r.makeRunners(ctx); err != nil {
		return err
	}
	headPath := filepath.Join(r.Dir, journal.HeadFile)
	if err := rundir.ReadJSON(headPath, &r.head); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, journal.JournalFile)
	info, err := os.Stat(path)
	if err == nil && r.head.End == "" { // killed: its last sign of life counts
		r.head.Spent += max(0, info.ModTime().Sub(r.head.Session))
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	r.head.Session, r.session = time.Now(), time.Now()
	r.reset()
	if err := r.openJournal(path); err != nil {
		return err
	}
	if err := r.restore(path); err != nil {
		return errors.Join(err, r.journal.Close())
	}
	return nil
}

// restore counts the runs of the journal, as far as it is whole, and clears
// away what the last session left of others.
func (r *session) restore(path string) error {
	spoilt, err := r.replay(path)
	if err != nil {
		return err
	}
	if len(spoilt) > 0 {
		if err := r.repair(path, spoilt); err != nil {
			return err
		}
		r.reset()
		if spoilt, err = r.replay(path); err != nil {
			return err
		} else if len(spoilt) > 0 {
			panic("campaigns: a journal is spoilt after it was repaired") // it has the lines that were whole
		}
	}
	r.sum.Started = r.head.Started
	r.nameSimulators()
	r.sum.Reductions()
	r.noteFindings()
	if err := r.recover(); err != nil {
		return err
	}
	if r.idle = r.over(); r.idle {
		return nil
	}
	r.head.End = ""
	return r.rewriteHead()
}

// openJournal opens the journal for appending, and takes care that no other
// process has it.
func (r *session) openJournal(path string) error {
	var err error
	if r.journal, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644); err != nil {
		return err
	}
	if err := unix.Flock(int(r.journal.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("%s: another process runs this campaign: %w", path, err), r.journal.Close())
	}
	return nil
}

// spoilt is a line of the journal that does not count.
type spoilt struct {
	line int
	text []byte // nil where the line is whole, but its run is to be made again
	why  error
}

// replay counts the runs of the journal and lists the lines that do not count.
// A last line that was cut short is taken off: its run was in flight.
func (r *session) replay(path string) ([]spoilt, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []spoilt
	r.size = 0
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return list, r.journal.Truncate(r.size)
		} else if err != nil {
			return nil, fmt.Errorf("read %s:%d: %w", path, n, err)
		}
		r.size += int64(len(text))
		e, err := r.entry(text)
		if err != nil {
			list = append(list, spoilt{n, bytes.Clone(text), err})
			continue
		}
		run := e.Run(r.c.Config(r.schedule, e.Number), r.Dir)
		if why := r.useless(run); why != nil {
			list = append(list, spoilt{line: n, why: why})
			continue
		}
		if run.Kept { // after a line was lost it need not be the first of its kind
			r.keep(run)
		}
		r.sum.Cover(run)
		r.count(run)
	}
}

// entry reads a line of the journal.
func (r *session) entry(text []byte) (*journal.Entry, error) {
	return journal.DecodeEntry(text, r.c, r.schedule, func(number int) bool { return r.done[number] }, r.tables)
}

// useless says why the run of a line is to be made again; nil if it is not.
func (r *session) useless(run *journal.Run) error {
	if run.Outcome == sim.Infra {
		return fmt.Errorf("run %d could not be made: %s", run.Number, run.Title)
	}
	if !run.Kept {
		return nil
	}
	if err := run.Dir.Intact(); err != nil {
		return fmt.Errorf("run %d is spoilt: %w", run.Number, err)
	}
	return nil
}

// repair writes the journal anew without the spoilt lines. What these say, and
// the directories of their runs, go to quarantine.
func (r *session) repair(path string, list []spoilt) error {
	if r.c.OnInfraError == config.InfraStop {
		for _, s := range list {
			if s.text != nil {
				return fmt.Errorf("%s:%d: %w", path, s.line, s.why)
			}
		}
	}
	without := make(map[int]bool)
	for _, s := range list {
		without[s.line] = true
		r.logf("trouble: %s:%d: %v: to be made again", path, s.line, s.why)
	}
	if err := r.setLinesAside(list); err != nil {
		return err
	}
	r.reset()
	tmp, err := os.CreateTemp(r.Dir, "."+journal.JournalFile+".*")
	if err != nil {
		return err
	}
	to := bufio.NewWriter(tmp)
	err = r.rewrite(path, without, to)
	err = errors.Join(err, to.Flush(), tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	old := r.journal
	return errors.Join(rundir.Flush(r.Dir), r.openJournal(path), old.Close())
}

// rewrite gives the lines of the journal but some, in terms of each other.
func (r *session) rewrite(path string, without map[int]bool, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	written := make(journal.TransitionTables)
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		e, err := r.entry(text)
		if err != nil {
			continue // it is without
		}
		if without[n] {
			if e.Kept {
				reason := fmt.Sprintf("the directory of run %d is spoilt: %v", e.Number, r.dir(e.Number).Intact())
				if _, err := r.quarantine(e.Number, reason); err != nil {
					return err
				}
			}
			continue
		}
		r.done[e.Number] = true
		e.Encode(written)
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

// setLinesAside appends lines that cannot be read to linesFile.
func (r *session) setLinesAside(list []spoilt) error {
	var text bytes.Buffer
	for _, s := range list {
		if s.text != nil {
			fmt.Fprintf(&text, "%s:%d: %v\n%s\n", journal.JournalFile, s.line, s.why, bytes.TrimRight(s.text, "\n"))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	dir := filepath.Join(r.Dir, journal.QuarantineDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, journal.LinesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Close())
}
