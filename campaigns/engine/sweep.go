package engine

import (
	"errors"
	"io/fs"
	"os"

	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// directories gives the run directories of the campaign by number. Others
// lie there as well, which are none of our business.
func (r *session) directories() ([]int, error) {
	f, err := os.Open(r.Dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, name := range names {
		if number, ok := rundir.Numbered(name); ok && number < len(r.schedule) {
			list = append(list, number)
		}
	}
	return list, nil
}

// recover takes in the runs that had ended, but were not recorded.
func (r *session) recover() error {
	list, err := r.directories()
	if err != nil {
		return err
	}
	for _, number := range list {
		if r.done[number] {
			continue
		}
		if e := r.noted(number); e != nil {
			r.waiting[number] = e
		}
	}
	if r.sum.Stopped != "" { // and killed before it was tidied up
		return r.discard()
	}
	r.mu.Lock()
	gone, err := r.recordReady()
	r.mu.Unlock()
	if errors.Is(err, summary.ErrStopped) {
		return r.discard()
	}
	for _, dir := range gone {
		err = errors.Join(err, os.RemoveAll(string(dir)))
	}
	return errors.Join(err, r.sweep())
}

// noted reads the endedFile of a run that is not recorded; nil if there is
// none that is whole, what belongs to it is missing, or the run could not be
// made.
func (r *session) noted(number int) *finishedRun {
	dir := r.dir(number)
	e := &journal.Entry{Result: &rundir.Result{}}
	if err := rundir.ReadJSON(dir.Path(journal.EndedFile), e); err != nil {
		return nil
	}
	cfg := r.c.Config(r.schedule, number)
	if e.Number != number || e.Config != cfg.Name || e.Outcome == sim.Infra {
		return nil
	}
	e.Coverage = e.New
	run := e.Run(cfg, r.Dir)
	if record, err := dir.Record(); err != nil || record.Program != e.Program {
		return nil
	}
	if r.mayStay(run) && dir.Intact() != nil {
		return nil
	}
	return &finishedRun{Run: run, program: e.Program, noted: true}
}

// sweep removes the directories of runs that were in flight, and of those that
// were not to stay, and the notes in those that stay.
func (r *session) sweep() error {
	list, err := r.directories()
	if err != nil {
		return err
	}
	for _, number := range list {
		dir := r.dir(number)
		switch {
		case r.waiting[number] != nil:
		case r.done[number] && r.stays[number]:
			if err := os.Remove(dir.Path(journal.EndedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			if err := os.RemoveAll(string(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}
