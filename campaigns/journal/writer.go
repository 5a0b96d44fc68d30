package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// Writer appends the runs of a campaign to its journal, which it keeps locked.
type Writer struct {
	*Archive
	file   *os.File
	cursor Cursor // behind the last line
}

// Create makes the directory of a campaign, which must be empty or missing, and
// writes what is known before the first run.
func Create(dir string, c *config.Campaign, h Header) (*Writer, error) {
	if err := rundir.MkdirAll(dir); err != nil {
		return nil, err
	}
	if entries, err := rundir.ReadDir(dir); err != nil {
		return nil, err
	} else if len(entries) > 0 {
		return nil, fmt.Errorf("campaign directory %s is not empty", dir)
	}
	w := &Writer{Archive: newArchive(dir, c)}
	w.Header = h
	text, err := yaml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", CampaignFile, err)
	}
	if err := rundir.WriteFile(w.Path(CampaignFile), text, true); err != nil {
		return nil, err
	}
	if err := w.WriteHeader(); err != nil {
		return nil, err
	}
	w.cursor.prepare(len(w.schedule))
	if w.file, err = lock(dir); err != nil {
		return nil, err
	}
	return w, nil
}

// Reopen opens the directory of a campaign that is resumed, and begins a
// session, which WriteHeader makes durable. Replay comes next.
func Reopen(dir string) (*Writer, error) {
	if _, err := Open(dir); err != nil { // before lock creates a file
		return nil, err
	}
	f, err := lock(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f}
	if w.Archive, err = Open(dir); err == nil {
		err = errors.Join(removeTemporary(dir), w.beginSession())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// beginSession adds the last session to the time spent. One that was killed
// lasted until its last write to the journal.
func (w *Writer) beginSession() error {
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if w.Header.End == "" && info.Size() > 0 {
		w.Header.Spent += max(0, info.ModTime().Sub(w.Header.Session))
	}
	w.Header.Session = time.Now()
	return nil
}

// Close closes and unlocks the journal.
func (w *Writer) Close() error { return w.file.Close() }

// WriteHeader writes the Header.
func (w *Writer) WriteHeader() error { return rundir.WriteJSON(w.Path(HeaderFile), &w.Header, true) }

// Append appends a run, by one write, and sets how many of its transitions are
// new. A line that cannot be written whole is removed as far as possible; that
// of a finding reaches the disk.
func (w *Writer) Append(e *Entry) error {
	w.cursor.known.encode(e)
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	if n, err := w.file.Write(append(text, '\n')); err != nil {
		if n > 0 {
			err = errors.Join(err, w.file.Truncate(w.cursor.Offset))
		}
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	w.cursor.Offset += int64(len(text)) + 1
	w.cursor.Lines++
	if e.Finding() || e.Kept && e.Outcome != sim.Passed {
		return w.file.Sync()
	}
	return nil
}
