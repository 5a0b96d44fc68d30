package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"ordeal/campaigns/execute"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Runs end in any order, and are recorded in the order of their numbers: a run
// that ended waits for those before it. What is recorded, which directories
// stay, which run of a finding is the first and where a campaign stops are
// therefore the same whatever the number of workers and their luck, and after
// any number of kills. A run that waits has left endedFile in its directory, so
// that a kill does not lose it.

// maxWaiting is how many runs may wait: then no further ones start. A run that
// takes its time holds the others up only after that many, and they take no
// more memory.
const maxWaiting = 1000

// ending is a run that ended.
type finishedRun struct {
	*journal.Run
	program string // hash of the program
	noted   bool   // in endedFile
}

// ended takes in a run that ended, or could not be made. The error is one that
// ends the campaign, ctx's included.
func (r *session) ended(ctx context.Context, run *journal.Run, record *rundir.Spec, err error) error {
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // the run was given up, not its fault
		}
		run.Case = execute.InfraResult(err, run.Case)
	} else if ctx.Err() != nil && run.Undecided() {
		return ctx.Err() // a deadline of the campaign's is none of the checker's
	}
	if r.mayStay(run) {
		if err := execute.Guarded(func() error { return run.Dir.Finish(run.Case) }); err != nil {
			run.Case = execute.InfraResult(err, run.Case)
		}
	}
	// What else is known is in the directory, or not needed any more.
	run.Case = &rundir.Case{Result: run.Case.Result, Coverage: run.Case.Coverage}
	e := &finishedRun{Run: run, program: record.Program}
	if r.mustWait(run.Number) {
		e.noted = e.note() == nil // else a kill loses the run, and it is made again
	}
	gone, err := r.take(e)
	for _, dir := range gone {
		if removeErr := os.RemoveAll(string(dir)); removeErr != nil {
			r.mu.Lock()
			r.logf("trouble: %s stays: %v", dir, removeErr)
			r.mu.Unlock()
		}
	}
	return err
}

// mayStay reports whether the directory of a run that ended stays as far as is
// known.
func (r *session) mayStay(run *journal.Run) bool {
	key, always := journal.Stay(r.c, run)
	r.mu.Lock()
	defer r.mu.Unlock()
	return always || key != "" && !r.kept[key]
}

func (r *session) mustWait(number int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return number != r.next
}

// note leaves endedFile.
func (e *finishedRun) note() error {
	text, err := json.Marshal(&journal.Entry{
		Number: e.Number, Config: e.Config.Name, Program: e.program, New: e.Coverage, Result: &e.Result,
	})
	if err != nil {
		return err
	}
	// A file cut short is none, so it is written in place.
	return os.WriteFile(e.Dir.Path(journal.EndedFile), text, 0o644)
}

// take takes in a run that ended and records what can be. It gives the
// directories that do not stay.
func (r *session) take(e *finishedRun) (gone []rundir.Dir, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[e.Number] = e
	return r.recordReady()
}

// recordReady records the runs that wait for nothing any more.
func (r *session) recordReady() (gone []rundir.Dir, err error) {
	defer r.room.Broadcast()
	for r.end == nil && r.waiting[r.next] != nil {
		r.end = r.commit(r.waiting[r.next], &gone)
	}
	return gone, r.end
}

// awaitRoom waits until few enough runs wait for others that the launch of a
// number may start. All launches of lower numbers have, so that they will.
func (r *session) awaitRoom(ctx context.Context, number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.room.Broadcast()
	})()
	for len(r.waiting) >= maxWaiting && r.next < number && ctx.Err() == nil {
		r.room.Wait()
	}
}

// flush records the runs that wait, whatever they wait for: nothing else will
// be made.
func (r *session) flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var gone []rundir.Dir
	var err error
	for _, number := range slices.Sorted(maps.Keys(r.waiting)) {
		if r.end = r.commit(r.waiting[number], &gone); r.end != nil {
			break
		}
	}
	if err = r.end; errors.Is(err, summary.ErrStopped) {
		err = nil
	}
	for _, dir := range gone {
		err = errors.Join(err, os.RemoveAll(string(dir)))
	}
	return err
}

// commit records a run: from now on it is one of the campaign's.
func (r *session) commit(e *finishedRun, gone *[]rundir.Dir) error {
	run := e.Run
	run.At, run.Kept = r.elapsed(), r.keep(run)
	if run.Outcome == sim.Infra {
		dir, err := r.quarantine(run.Number, run.Title+"\n\n"+run.Detail)
		if err != nil {
			r.logf("trouble: run %d cannot be set aside: %v", run.Number, err)
		}
		run.Dir, run.Kept, run.Quarantined = dir, false, true
	}
	r.sum.Cover(run)
	if err := r.append(e); err != nil {
		return fmt.Errorf("run %d: %w", run.Number, err)
	}
	delete(r.waiting, run.Number)
	r.count(run)
	switch {
	case run.Kept && e.noted:
		if err := os.Remove(run.Dir.Path(journal.EndedFile)); err != nil {
			r.logf("trouble: %v", err)
		}
	case !run.Kept && !run.Quarantined:
		*gone = append(*gone, run.Dir)
	}
	if r.Watch != nil {
		r.Watch(r.sum, run)
	}
	return r.verdict(run)
}

// count counts a run that is recorded.
func (r *session) count(run *journal.Run) {
	r.done[run.Number], r.stays[run.Number] = true, run.Kept
	r.left--
	r.skipDone()
	r.sum.Add(run)
	r.sum.Elapsed = r.elapsed()
}

// verdict says whether the campaign goes on after a run.
func (r *session) verdict(run *journal.Run) error {
	r.noteFindings()
	if err := r.tolerate(run); err != nil {
		return err
	}
	if r.sum.Stopped != "" {
		return summary.ErrStopped
	}
	return nil
}

// keep decides whether the directory of a run stays, and notes that it does.
func (r *session) keep(run *journal.Run) bool {
	key, always := journal.Stay(r.c, run)
	if key == "" {
		return always
	}
	first := !r.kept[key]
	r.kept[key] = true
	return always || first
}
