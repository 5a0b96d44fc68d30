package engine

import (
	"errors"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
)

// restore returns the session of a campaign that is resumed: it counts the runs
// of the journal, repairs it, takes the finished runs that wait, and removes
// what the last session left of others. If other is not nil it does none of that, and
// other, which says that the tools are of other versions, is the error if anything is due. With an error the session has the summary of what
// was counted.
func (e *Engine) restore(w *journal.Writer, targets []target, other error) (*session, error) {
	s, rejected, err := e.replay(w, targets)
	if err == nil && other != nil {
		s.sum.ReadReductions()
		s.reportFindings()
		if s.nothingDue = len(rejected) == 0 && s.ended(); !s.nothingDue {
			return s, other
		}
		return s, nil
	}
	repaired := len(rejected) > 0
	if err == nil && repaired {
		if err = s.repair(rejected); err == nil {
			s, rejected, err = e.replay(w, targets)
		}
		if err == nil && len(rejected) > 0 {
			panic("engine: a repaired journal has rejected lines") // it has the valid lines only
		}
	}
	if err != nil {
		return s, err
	}
	s.sum.ReadReductions()
	s.reportFindings()
	if err := s.recover(); err != nil {
		return s, err
	}
	if s.nothingDue = s.ended(); s.nothingDue {
		if repaired {
			err = s.sum.Write()
		}
		return s, err
	}
	w.Header.End = ""
	return s, w.WriteHeader()
}

// replay counts the runs of the journal.
func (e *Engine) replay(w *journal.Writer, targets []target) (*session, []journal.Rejected, error) {
	s := e.session(w, targets)
	var err, failed error
	if s.schedule, err = e.newSchedule(s.c); err != nil {
		return s, nil, err
	}
	rejected, err := w.Replay(func(entry *journal.Entry) {
		if s.schedule != nil && failed == nil {
			failed = s.replayDrawn(entry)
		}
		if entry.Kept { // after a line was lost it need not be the first of its kind
			s.retention.Keep(entry)
		}
		s.count(entry)
		s.order.Skip(entry.Number)
	})
	if len(rejected) == 0 { // else the journal is repaired and replayed again
		err = errors.Join(err, failed)
	}
	return s, rejected, err
}

// repair writes the journal without the rejected lines. With on-infra-error:
// stop, corrupt lines are an error.
func (s *session) repair(rejected []journal.Rejected) error {
	path := s.journal.Path(journal.RunsFile)
	for _, r := range rejected {
		if r.Text != nil && s.c.OnInfraError == config.InfraStop {
			return fmt.Errorf("%s:%d: %w", path, r.Line, r.Err)
		}
	}
	for _, r := range rejected {
		then := "the run is repeated"
		if r.Stays {
			then = "the finding stays, and what is left of the directory is in quarantine"
		}
		s.logf("infrastructure error: %s:%d: %v: %s", path, r.Line, r.Err, then)
	}
	return s.journal.Repair(rejected)
}

// recover takes the runs that had ended, but were not recorded, or whose lines are lost.
func (s *session) recover() error {
	if err := s.journal.Salvage(s.order.Done); err != nil {
		return err
	}
	list, err := s.journal.Runs()
	if err != nil {
		return err
	}
	if s.schedule != nil {
		list = nil // what is not recorded is repeated exactly
	}
	for _, number := range list {
		if s.order.Done(number) {
			continue
		}
		if e := s.journal.ReadPending(number); e != nil && (!s.mayKeep(e) || e.Dir.Verify() == nil) {
			s.setMade(e)
			s.order.Restore(e)
		}
	}
	if s.sum.Stopped == "" { // else it was killed before discard
		if err = s.order.Commit(); err == nil {
			return errors.Join(s.removeDirs(), s.sweep())
		} else if !errors.Is(err, errStopped) {
			return errors.Join(err, s.removeDirs(), s.sweep())
		}
	}
	return s.discard()
}
