package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Writer appends the runs of a campaign to its journal, which it keeps locked.
type Writer struct {
	*Archive
	file   *os.File
	cursor Cursor // behind the last line
}

// Create makes the directory of a campaign, which must be empty or missing, and
// writes what is known before the first run. A beginning that was killed before
// campaign.json was there is begun anew. The lock comes first: of two processes
// that begin a campaign in one directory, one changes nothing.
func Create(dir string, c *config.Campaign, h Header) (*Writer, error) {
	if err := run.MakeDurable(dir); err != nil {
		return nil, err
	}
	if err := unused(dir); err != nil { // before lock creates a file
		return nil, err
	}
	f, err := lock(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{Archive: newArchive(dir, c), file: f}
	w.Header = h
	if err := w.create(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// create writes the first files of a directory that is locked.
func (w *Writer) create() error {
	if err := unused(w.Dir); err != nil { // another process was done in between
		return err
	}
	if err := removeTemporary(w.Dir); err != nil {
		return err
	}
	text, err := yaml.Marshal(w.Campaign)
	if err != nil {
		return fmt.Errorf("write %s: %w", CampaignFile, err)
	}
	if err := run.WriteFile(w.Path(CampaignFile), text, true); err != nil {
		return err
	}
	w.cursor.prepare(len(w.schedule))
	return w.WriteHeader()
}

// unused returns an error unless a directory is empty, or has only what a kill
// leaves of Create: an empty journal, and perhaps the campaign's file.
func unused(dir string) error {
	names, err := run.Names(dir)
	if err != nil || len(names) == 0 {
		return err
	}
	info, err := run.Lstat(filepath.Join(dir, RunsFile))
	begun := err != nil || info.Size() > 0
	for _, name := range names {
		begun = begun || name != RunsFile && name != CampaignFile && !run.IsTemporary(name)
	}
	if begun && slices.Contains(names, CampaignFile) {
		return fmt.Errorf("campaign directory %s is not empty: it holds a campaign, which ordeal campaign resume %s continues; --dir names another directory",
			dir, messages.QuotedPath(dir))
	}
	if begun {
		return fmt.Errorf("campaign directory %s is not empty", dir)
	}
	return nil
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
		err = removeTemporary(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w.Header.Session = time.Now()
	return w, nil
}

// Close closes and unlocks the journal.
func (w *Writer) Close() error { return w.file.Close() }

// WriteHeader writes the Header.
func (w *Writer) WriteHeader() error { return run.WriteJSON(w.Path(HeaderFile), &w.Header, true) }

// Append appends a run, by one write, and sets how many of its transitions are
// new. A line that cannot be written whole is removed as far as possible; that
// of a finding reaches the disk.
func (w *Writer) Append(e *Entry) error {
	w.cursor.known.encode(e)
	text, err := e.encode()
	if err != nil {
		return err
	}
	if n, err := w.file.Write(text); err != nil {
		if n > 0 {
			err = errors.Join(err, w.file.Truncate(w.cursor.Offset))
		}
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	w.cursor.Offset += int64(len(text))
	w.cursor.Lines++
	if e.Finding() || e.Kept && e.Outcome != sim.Passed {
		return run.Sync(w.file)
	}
	return nil
}
