package journal

import (
	"encoding/json"
	"errors"
	"io/fs"

	"ordeal/campaigns/run"
	"ordeal/sim"
)

// WritePending leaves e in its directory while it waits to be recorded, so that
// a kill does not lose it, nor a crash if it has failed. A file cut short does not
// count, so it is written in place.
func WritePending(e *Entry) error {
	line := *e
	line.New = e.Coverage
	text, err := line.encode()
	if err != nil {
		return err
	}
	if err := run.Overwrite(e.Dir.Path(PendingFile), text); err != nil || !e.Failed() {
		return err
	}
	return errors.Join(run.Flush(e.Dir.Path(PendingFile)), run.Flush(string(e.Dir)))
}

// ReadPending reads what WritePending wrote for a run; nil if there is no whole
// file, or not one of this run.
func (a *Archive) ReadPending(number int) *Entry {
	e := &Entry{Result: &run.Result{}}
	text, err := run.ReadFile(a.Run(number).Path(PendingFile))
	if err != nil || run.Unseal(text) != nil || json.Unmarshal(text, e) != nil {
		return nil
	}
	if e.Number != number || e.ConfigName != a.Config(number).Name || e.Outcome == sim.Infra {
		return nil
	}
	a.complete(e)
	e.Coverage, e.New = e.New, nil
	if s, err := e.Dir.Spec(); err != nil || s.Program != e.Program {
		return nil
	}
	return e
}

// RemovePending removes the file that WritePending wrote, if it is there.
func RemovePending(dir run.Dir) error {
	if err := run.Remove(dir.Path(PendingFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
