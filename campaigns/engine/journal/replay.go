package journal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Rejected is a line of the journal that does not count as it is.
type Rejected struct {
	Line int
	// Text is the corrupt line; nil if the line is whole, but its run could
	// not be executed, or its directory is corrupt.
	Text []byte
	Err  error
	// Stays says that Repair keeps the line, marked: that of a finding whose
	// directory is corrupt. All other runs have to be repeated.
	Stays bool
}

// Replay calls each with the runs of the journal in order, and returns the
// lines that do not count. A last line that was cut short is removed: its run
// was in flight. A journal with rejected lines cannot be appended to before
// Repair. A session that was killed lasted until its last line: the dates of
// files say nothing, since copies and clocks change them.
func (w *Writer) Replay(each func(*Entry)) ([]Rejected, error) {
	f, err := run.Open(w.Path(RunsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	replaced, err := w.replaced(f, 0)
	if err != nil {
		return nil, err
	}
	w.cursor = w.start()
	var list []Rejected
	var latest time.Duration
	for text, err := range run.Lines(f) {
		w.cursor.Lines++
		if err != nil {
			return nil, fmt.Errorf("read %s:%d: %w", f.Name(), w.cursor.Lines, err)
		}
		w.cursor.Offset += int64(len(text))
		e, err := w.decode(text, &w.cursor)
		if err == nil {
			e.Kept = e.Kept && !replaced[e.Number]
		}
		if err != nil {
			list = append(list, Rejected{Line: w.cursor.Lines, Text: bytes.Clone(text), Err: err})
		} else if err := verify(e); err != nil && !(w.Campaign.Audit != nil && e.Outcome == sim.Infra) {
			stays := e.Finding() || w.Campaign.Audit != nil // the runs after it were drawn by its result
			list = append(list, Rejected{Line: w.cursor.Lines, Err: err, Stays: stays})
			w.cursor.seen[e.Number] = stays
		} else {
			latest = max(latest, e.At)
			each(e)
		}
	}
	if w.Header.End == "" {
		w.Header.Spent = max(w.Header.Spent, latest)
	}
	return list, w.file.Truncate(w.cursor.Offset)
}

// start is the beginning of the journal; runs of other shards are refused.
func (w *Writer) start() Cursor {
	var c Cursor
	c.prepare(len(w.schedule))
	for number, mine := range w.Header.Shard.Has(w.Campaign) {
		c.seen[number] = !mine
	}
	return c
}

// verify returns an error if a run could not be executed or its directory is
// corrupt.
func verify(e *Entry) error {
	if e.Outcome == sim.Infra {
		return fmt.Errorf("run %d could not be executed: %s", e.Number, messages.EscapeLine(e.Title))
	}
	if !e.Kept {
		return nil
	}
	if err := e.Dir.Verify(); err != nil {
		return fmt.Errorf("the files of run %d are corrupt: %w", e.Number, err)
	}
	return nil
}

// Repair writes the journal anew without the rejected lines, except those that
// stay. Corrupt lines and the directories of the runs go to quarantine.
func (w *Writer) Repair(list []Rejected) error {
	if err := w.quarantineLines(list); err != nil {
		return err
	}
	r, err := replace(w.Dir)
	if err != nil {
		return err
	}
	seen, err := w.copyWhole(r, list)
	if err == nil {
		err = w.salvage(func(number int) bool { return seen[number] }, true)
	}
	if err != nil {
		return errors.Join(err, r.discard())
	}
	w.file, err = r.commit(w.file)
	return err
}

// copyWhole writes the lines that count, and quarantines the directories of
// those that do not. It returns the runs that have had a whole line.
func (w *Writer) copyWhole(to *replacement, list []Rejected) (seen []bool, err error) {
	rejected := make(map[int]*Rejected, len(list))
	for i := range list {
		rejected[list[i].Line] = &list[i]
	}
	f, err := run.Open(w.Path(RunsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen = make([]bool, len(w.schedule))
	from, line := w.start(), 0
	for text, err := range run.Lines(f) {
		if err != nil {
			return nil, err
		}
		line++
		e, err := w.decode(text, &from)
		if err != nil {
			continue // it is rejected
		}
		seen[e.Number] = true
		if err := w.copyLine(to, e, rejected[line]); err != nil {
			return nil, err
		}
		from.seen[e.Number] = rejected[line] == nil || rejected[line].Stays
	}
	return seen, nil
}

// copyLine writes a line unless it is rejected, which is nil for one that
// counts.
func (w *Writer) copyLine(to *replacement, e *Entry, rejected *Rejected) error {
	if rejected != nil && e.Kept {
		dir, err := w.Quarantine(e.Number, rejected.Err.Error())
		if err != nil {
			return err
		}
		e.Kept, e.Quarantine, e.Damaged = false, dir.Base(), rejected.Err.Error()
	}
	if rejected != nil && !rejected.Stays {
		return nil
	}
	return to.add(e)
}

// Salvage makes the whole directories of failed runs that have no line pending, as far as
// nothing but the line had what they lack: the line may be lost, or the machine stopped
// before it was written, and on hardware the runs may never fail again. Simulators repeat
// the others exactly.
func (w *Writer) Salvage(hasLine func(number int) bool) error { return w.salvage(hasLine, false) }

// salvage is Salvage. The directory has everything that the line had, except
// transitions: one that lacks them goes to quarantine if lines are corrupt. Where they
// are not, the machine may have stopped before the log was on the disk.
func (w *Writer) salvage(hasLine func(number int) bool, corrupt bool) error {
	if w.Campaign.Audit != nil {
		return nil // its runs are repeated exactly
	}
	runs, err := w.Runs()
	if err != nil {
		return err
	}
	verify := run.Dir.Whole
	if corrupt {
		verify = run.Dir.Verify
	}
	for _, number := range runs {
		e := w.NewEntry(number)
		if hasLine(number) || run.Exists(e.Dir.Path(PendingFile)) || verify(e.Dir) != nil {
			continue
		}
		s, err := e.Dir.Spec()
		if err != nil {
			return err
		}
		if e.Result, err = e.Dir.Result(); err != nil {
			return err
		}
		e.Program = s.Program
		switch {
		case !e.Failed() || s.Number != number || s.Config.Name != e.ConfigName:
			continue
		case e.Covered == nil:
			err = WritePending(e)
		case corrupt:
			_, err = w.Quarantine(number, "its line in the journal is corrupt, see "+LinesFile)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// quarantineLines appends the corrupt lines to LinesFile.
func (w *Writer) quarantineLines(list []Rejected) error {
	var text bytes.Buffer
	for _, r := range list {
		if r.Text != nil {
			fmt.Fprintf(&text, "%s:%d: %v\n%s\n", RunsFile, r.Line, r.Err, bytes.TrimRight(r.Text, "\n"))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	if err := run.MkdirAll(w.Path(QuarantineDir)); err != nil {
		return err
	}
	f, err := run.Append(filepath.Join(w.Path(QuarantineDir), LinesFile))
	if err != nil {
		return err
	}
	if _, err = f.Write(text.Bytes()); err == nil {
		err = run.Sync(f)
	}
	return errors.Join(err, f.Close(), run.Flush(w.Path(QuarantineDir)), run.Flush(w.Dir))
}

// Quarantine moves the directory of a run to quarantine, with the reason.
func (a *Archive) Quarantine(number int, reason string) (run.Dir, error) {
	dir, err := run.MoveAside(string(a.Run(number)), a.Path(QuarantineDir))
	if err != nil {
		return a.Run(number), err
	}
	if err := RemovePending(dir); err != nil {
		return dir, err
	}
	return dir, run.WriteText(dir.Path(run.ReasonFile), strings.TrimSpace(reason)+"\n", true)
}
