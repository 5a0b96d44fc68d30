package journal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// Rewriter writes the journal of a campaign anew, of runs that were executed
// elsewhere. Until Commit the old journal stays in place; files that would not
// change are left alone.
type Rewriter struct {
	Dir  string
	lock *os.File // the journal in place
	a    *Archive
	new  *replacement
	at   time.Duration // of the last line
}

// Rewrite locks a directory, which is made if it is missing, so that no other
// process runs or rewrites its campaign. Close unlocks it.
func Rewrite(dir string) (*Rewriter, error) {
	if err := run.MakeDurable(dir); err != nil {
		return nil, err
	}
	f, err := lock(dir)
	if err != nil {
		return nil, err
	}
	if err := removeTemporary(dir); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Rewriter{Dir: dir, lock: f}, nil
}

// Begin begins the new journal of a campaign.
func (w *Rewriter) Begin(c *config.Campaign, h *Header) (err error) {
	w.a = newArchive(w.Dir, c)
	w.a.Header = *h
	w.new, err = replace(w.Dir)
	return err
}

// Add writes the line of a run and returns it: it is recorded no earlier than
// those before, and refers to their transitions.
func (w *Rewriter) Add(e *Entry) (*Entry, error) {
	line, result := *e, *e.Result
	line.Result = &result
	if e.Covered != nil { // whose New is counted anew
		covered := *e.Covered
		result.Covered = &covered
	}
	w.at = max(e.At, w.at)
	line.At = w.at
	w.a.complete(&line)
	return &line, w.new.add(&line)
}

// Commit writes the campaign's file and header, and gives the new journal the place of the old
// one, after everything that was written to the file system before has reached the disk. The
// session of the header is kept where the rest is as before.
func (w *Rewriter) Commit() error {
	if err := w.new.out.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", RunsFile, err)
	}
	text, err := yaml.Marshal(w.a.Campaign)
	if err != nil {
		return fmt.Errorf("write %s: %w", CampaignFile, err)
	}
	var before Header
	if run.ReadJSON(w.a.Path(HeaderFile), &before) == nil {
		w.a.Header.Session = before.Session
	}
	if err := errors.Join(run.WriteChanged(w.a.Path(CampaignFile), text, true), run.WriteChangedJSON(w.a.Path(HeaderFile), &w.a.Header)); err != nil {
		return err
	}
	if same, err := run.SameContents(w.new.Name(), w.a.Path(RunsFile)); err != nil || same {
		return err
	}
	if err := osfile.SyncAll(w.new.File); err != nil {
		return fmt.Errorf("flush %s: %w", w.Dir, err)
	}
	w.lock, err = w.new.commit(w.lock)
	w.new = nil
	return err
}

// Close unlocks the directory. What was not committed is lost.
func (w *Rewriter) Close() error {
	var err error
	if w.new != nil {
		err = w.new.discard()
	}
	return errors.Join(err, w.lock.Close())
}
