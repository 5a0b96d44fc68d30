package journal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// Rejected is a line of the journal whose run has to be repeated.
type Rejected struct {
	Line int
	// Text is the corrupt line; nil if the line is whole, but its run could
	// not be executed, or its directory is corrupt.
	Text []byte
	Err  error
}

// Replay calls each with the runs of the journal in order, and returns the
// lines that do not count. A last line that was cut short is removed: its run
// was in flight. A journal with rejected lines cannot be appended to before
// Repair.
func (w *Writer) Replay(each func(*Entry)) ([]Rejected, error) {
	f, err := rundir.Open(w.Path(RunsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w.cursor = w.start()
	var list []Rejected
	for text, err := range rundir.Lines(f) {
		w.cursor.Lines++
		if err != nil {
			return nil, fmt.Errorf("read %s:%d: %w", f.Name(), w.cursor.Lines, err)
		}
		w.cursor.Offset += int64(len(text))
		e, err := w.decode(text, &w.cursor)
		if err != nil {
			list = append(list, Rejected{w.cursor.Lines, bytes.Clone(text), err})
		} else if err := verify(e); err != nil {
			list = append(list, Rejected{Line: w.cursor.Lines, Err: err})
			w.cursor.seen[e.Number] = false
		} else {
			each(e)
		}
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

// verify returns an error if a run has to be repeated.
func verify(e *Entry) error {
	if e.Outcome == sim.Infra {
		return fmt.Errorf("run %d could not be executed: %s", e.Number, e.Title)
	}
	if !e.Kept {
		return nil
	}
	if err := e.Dir.Verify(); err != nil {
		return fmt.Errorf("the files of run %d are corrupt: %w", e.Number, err)
	}
	return nil
}

// Repair writes the journal anew without the rejected lines. Corrupt lines and
// the directories of the runs go to quarantine.
func (w *Writer) Repair(list []Rejected) error {
	if err := w.quarantineLines(list); err != nil {
		return err
	}
	r, err := replace(w.Dir)
	if err != nil {
		return err
	}
	if err := w.copyWhole(r, list); err != nil {
		return errors.Join(err, r.discard())
	}
	w.file, err = r.commit(w.file)
	return err
}

// copyWhole writes the lines that are not rejected, and quarantines the
// directories of those that are.
func (w *Writer) copyWhole(to *replacement, list []Rejected) error {
	reasons := make(map[int]error, len(list))
	for _, r := range list {
		reasons[r.Line] = r.Err
	}
	f, err := rundir.Open(w.Path(RunsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	from, line := w.start(), 0
	for text, err := range rundir.Lines(f) {
		if err != nil {
			return err
		}
		line++
		e, err := w.decode(text, &from)
		if err != nil {
			continue // it is rejected
		}
		if why := reasons[line]; why == nil {
			err = to.add(e)
		} else {
			from.seen[e.Number] = false
			if e.Kept {
				_, err = w.Quarantine(e.Number, why.Error())
			}
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
	if err := rundir.MkdirAll(w.Path(QuarantineDir)); err != nil {
		return err
	}
	f, err := rundir.Append(filepath.Join(w.Path(QuarantineDir), LinesFile))
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Close())
}

// Quarantine moves the directory of a run to quarantine, with the reason.
func (a *Archive) Quarantine(number int, reason string) (rundir.Dir, error) {
	dir, err := rundir.MoveAside(string(a.Run(number)), a.Path(QuarantineDir))
	if err != nil {
		return a.Run(number), err
	}
	if err := RemovePending(dir); err != nil {
		return dir, err
	}
	return dir, rundir.WriteFile(dir.Path(rundir.ReasonFile), []byte(strings.TrimSpace(reason)+"\n"), false)
}
