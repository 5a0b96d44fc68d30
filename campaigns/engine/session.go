package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/sim"
)

// errStopped ends the runs of a campaign that has met a stop condition.
var errStopped = errors.New("the campaign stops here")

// session runs what is left of a campaign.
type session struct {
	*Engine
	c       *config.Campaign
	journal *journal.Writer
	targets []target // by configuration
	started time.Time

	order      *journal.Order // commits finished runs, by commit
	schedule   Schedule       // nil: the order is known
	exhausted  bool           // the schedule draws no more
	reductions *reductionQueue

	mu         sync.Mutex // guards what follows
	sum        *summary.Summary
	retention  *journal.Retention
	made       map[int]bool // by number: there is a run directory
	kept       map[int]bool // by number: it stays
	infra      infraErrors
	reported   map[summary.FindingKey]bool
	removable  []run.Dir // directories that do not stay
	nothingDue bool      // the campaign had ended before
	unrecorded bool      // a run could not be recorded
}

// session returns a session of a campaign of which no run is recorded.
func (e *Engine) session(w *journal.Writer, targets []target) *session {
	c := w.Campaign
	s := &session{
		Engine: e, c: c, journal: w, targets: targets, started: time.Now(), reductions: newReductionQueue(),
		sum:       e.summary(c, w.Header.Shard, w.Header.Started),
		retention: journal.NewRetention(c), made: make(map[int]bool), kept: make(map[int]bool),
		infra: infraErrors{policy: c.OnInfraError}, reported: make(map[summary.FindingKey]bool),
	}
	s.order = journal.NewOrder(w.Header.Shard.Has(c), s.commit)
	s.sum.UseTools(w.Header.Tools)
	for _, t := range targets {
		s.sum.AddSimulator(t.sim, t.tools[t.executor.Runner.Name()])
	}
	return s
}

// logf logs a line. The lock is held, or no other goroutine runs yet.
func (s *session) logf(format string, args ...any) {
	if s.Logf != nil {
		s.Logf(format, args...)
	}
}

// elapsed is the time spent on the campaign.
func (s *session) elapsed() time.Duration { return s.journal.Header.Spent + time.Since(s.started) }

func (s *session) overBudget() bool {
	return s.c.Budget > 0 && s.elapsed() >= time.Duration(s.c.Budget)
}

// checks is how many checks run at a time: those of the workers, and of a reduction
// beside them.
func checks(c *config.Campaign) int {
	if c.Reduce == 0 {
		return c.Workers
	}
	return cmp.Or(c.Workers, runtime.GOMAXPROCS(0)) + 1
}

// checkOptions are those of a campaign.
func checkOptions(c *config.Campaign, models []model.Model) run.CheckOptions {
	return run.CheckOptions{
		Models: models, Options: check.Options{Timeout: time.Duration(c.CheckTimeout)}, Workers: checks(c),
		Memory: int64(c.Memory), LogSize: int64(c.LogSize),
	}
}

// toolVersions merges the versions of the tools of all configurations.
func toolVersions(targets []target) map[string]string {
	all := make(map[string]string)
	for _, t := range targets {
		for name, version := range t.tools {
			if !slices.Contains(strings.Split(all[name], "; "), version) {
				all[name] = strings.TrimPrefix(all[name]+"; "+version, "; ")
			}
		}
	}
	return all
}

// run executes the runs that are left and the reductions that are due, and
// writes header and summary.
func (s *session) run(ctx context.Context) error {
	if s.nothingDue {
		return nil
	}
	var reducing sync.WaitGroup
	reducing.Go(func() { s.reductions.run(ctx, s.reduce) })
	err := s.runAll(ctx)
	s.reductions.close()
	reducing.Wait()
	s.sum.Elapsed = s.elapsed()
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		unfinished := (s.order.Left() > 0 || s.schedule != nil && !s.exhausted) && s.sum.Stopped == "" && !s.sum.BudgetSpent
		s.sum.Interrupted, err = unfinished || s.reductions.due() > 0, nil
	}
	// The header comes last: Resume takes a campaign with an end for complete.
	err = errors.Join(err, s.sum.Write())
	s.journal.Header.Spent, s.journal.Header.End = s.sum.Elapsed, s.end(err)
	err = errors.Join(err, s.journal.WriteHeader())
	if s.unrecorded { // what these runs found is said although no file has it
		for _, e := range s.order.Discard() {
			s.sum.Add(e)
		}
	}
	return err
}

// end says how the session ended.
func (s *session) end(failed error) journal.End {
	switch {
	case failed != nil:
		return journal.EndInfra
	case s.sum.Interrupted:
		return journal.EndInterrupted
	case s.sum.Stopped != "":
		return journal.EndStopped
	case s.sum.BudgetSpent:
		return journal.EndBudget
	}
	return journal.EndComplete
}

// runAll executes all runs that are left, as many at a time as there are
// workers.
func (s *session) runAll(ctx context.Context) error {
	if s.schedule != nil && s.sum.Stopped == "" {
		return s.runScheduled(ctx)
	}
	if s.sum.Stopped != "" || s.order.Left() == 0 {
		return nil
	}
	workers := s.c.Workers
	if workers == 0 {
		workers = s.cores()
	}
	budgetSpent := false
	group, groupCtx := errgroup.WithContext(ctx)
	// The workers stay, and with them their stacks: to grow one takes as long as a
	// short run.
	work := make(chan launch)
	for range workers {
		group.Go(func() error {
			for l := range work {
				if err := s.launch(groupCtx, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for l := range launches(s.c, s.journal.Schedule()) {
		if l.missing = s.order.Missing(l.numbers); len(l.missing) == 0 {
			continue
		}
		s.order.WaitForSlot(groupCtx, l.missing[0])
		if groupCtx.Err() != nil {
			break
		}
		if budgetSpent = s.overBudget(); budgetSpent {
			break
		}
		select {
		case work <- l:
		case <-groupCtx.Done():
		}
	}
	close(work)
	err := group.Wait()
	s.sum.BudgetSpent = budgetSpent
	if err == nil && budgetSpent {
		err = errors.Join(s.order.Flush(), s.removeDirs())
	}
	if s.sum.Stopped != "" { // whatever else failed at the same time
		return s.discard()
	}
	return cmp.Or(err, ctx.Err())
}

// finish takes a run that has ended or could not be executed, and passes it on to
// be recorded. The error is one that ends the campaign, ctx's included.
func (s *session) finish(ctx context.Context, x *execution, err error) error {
	e := x.Entry
	e.Program = x.spec.Program
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // the run was cancelled
		}
		_ = x.evaluated(run.InfraResult(run.Explain(string(e.Dir), err), x.evaluation), nil)
	} else if ctx.Err() != nil && e.Undecided() {
		return ctx.Err() // the checker was cancelled
	}
	if s.mayKeep(e) {
		if err := run.Guarded(x.keep); err != nil {
			_ = x.evaluated(run.InfraResult(err, x.evaluation), nil)
		}
	}
	x.evaluation = nil // the rest is in the directory, or not needed any more
	if x.created {
		s.setMade(e)
	}
	switch irrevocable := e.Failed() && run.LeavesFiles(x.spec.Sim); {
	case !x.created:
	case irrevocable: // it may never fail again
		if err := journal.WritePending(e); err != nil {
			s.mu.Lock()
			s.logf("infrastructure error: run %d may be lost until it is recorded: %v", e.Number, err)
			s.mu.Unlock()
		}
	case s.order.MustWait(e.Number):
		_ = journal.WritePending(e) // without it, a kill loses the run and it is repeated
	}
	err = s.order.Add(e)
	if removeErr := s.removeDirs(); removeErr != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logf("infrastructure error: %v", removeErr)
	}
	return err
}

// setMade notes that a run has a directory.
func (s *session) setMade(e *journal.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[e.Number] = true
}

// mayKeep reports whether the directory of a run stays as far as is known: one
// that does not stay now does not stay later.
func (s *session) mayKeep(e *journal.Entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retention.MayKeep(e)
}

// commit records a run: from now on it is one of the campaign's. The order
// calls it. The error is of a run that is not recorded, or ends the campaign.
func (s *session) commit(e *journal.Entry) (recorded bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.At = s.elapsed()
	e.Kept, e.Replaces = s.retention.Keep(e)
	if e.Outcome == sim.Infra {
		dir, err := s.journal.Quarantine(e.Number, e.Title+"\n\n"+e.Detail)
		if err != nil {
			s.logf("infrastructure error: run %d cannot be quarantined: %v", e.Number, err)
		}
		e.Dir, e.Kept, e.Quarantine = dir, false, dir.Base()
	}
	if err := s.journal.Append(e); err != nil {
		s.unrecorded = true
		return false, fmt.Errorf("run %d: %w", e.Number, err)
	}
	s.count(e)
	switch {
	case e.Kept:
		if err := journal.RemovePending(e.Dir); err != nil {
			s.logf("infrastructure error: %v", err)
		}
	case !e.Quarantined() && s.made[e.Number]:
		s.removable = append(s.removable, e.Dir)
	}
	if e.Replaces != nil {
		s.kept[*e.Replaces] = false
		s.removable = append(s.removable, s.journal.Run(*e.Replaces))
	}
	if s.OnResult != nil {
		s.OnResult(s.sum, e)
	}
	return true, s.next(e)
}

// count counts a recorded run.
func (s *session) count(e *journal.Entry) {
	s.kept[e.Number] = e.Kept
	s.sum.Add(e)
	s.sum.Elapsed = s.elapsed()
}

// next returns an error if the campaign ends with a run.
func (s *session) next(e *journal.Entry) error {
	s.reportFindings()
	if e.Outcome == sim.Infra {
		s.logf("infrastructure error: run %d: %s, in %s", e.Number, messages.EscapeLine(e.Title), e.Dir)
	}
	if err := s.infra.add(e); err != nil {
		return err
	}
	if s.sum.Stopped != "" {
		return errStopped
	}
	return nil
}

// reportFindings requests the reduction of findings that are new, and logs
// canaries that are missed.
func (s *session) reportFindings() {
	for i := range s.sum.Findings {
		f := &s.sum.Findings[i]
		if s.reported[f.Key()] {
			continue
		}
		s.reported[f.Key()] = true
		switch {
		case f.Outcome == sim.Missed:
			s.logf("finding: %s", messages.EscapeLine(f.Title))
		case filepath.Base(filepath.Dir(f.Dir)) == journal.QuarantineDir: // its files are corrupt
		case f.Explored(): // its path is a shortest one
		case s.Reduce != nil && s.c.Reduce > 0 && f.Reduction == nil && f.Known == nil:
			s.reductions.add(run.Dir(f.Dir))
		}
	}
}

// removeDirs removes the directories that do not stay.
func (s *session) removeDirs() error {
	s.mu.Lock()
	list := s.removable
	s.removable = nil
	s.mu.Unlock()
	var errs []error
	for _, dir := range list {
		if err := run.RemoveAll(string(dir)); err != nil {
			errs = append(errs, fmt.Errorf("%s stays: %w", dir, err))
		}
	}
	return errors.Join(errs...)
}

// discard removes the runs beyond the one at which the campaign stopped.
// Simulators would repeat them exactly; those that failed on hardware may never
// fail again, so their directories stay outside the campaign.
func (s *session) discard() error {
	var errs []error
	for _, e := range s.order.Discard() {
		if s.c.SimOf(e.Config) != config.SimHost || !e.Failed() {
			continue
		}
		dir, err := run.MoveAside(string(s.journal.Run(e.Number)), s.journal.Path(journal.AfterStopDir))
		if err == nil {
			err = errors.Join(run.FlushTree(string(dir)), run.Flush(s.journal.Dir))
		}
		errs = append(errs, err)
		s.mu.Lock() // a reduction may log as well
		s.logf("run %d failed after the campaign had stopped: %s, in %s", e.Number, messages.EscapeLine(e.Title), dir)
		s.mu.Unlock()
	}
	return errors.Join(append(errs, s.sweep())...)
}

// sweep removes the directories of runs that were in flight, and of those that
// do not stay, and the pending results in those that do.
func (s *session) sweep() error {
	list, err := s.journal.Runs()
	if err != nil {
		return err
	}
	for _, number := range list {
		dir := s.journal.Run(number)
		switch {
		case s.order.Waits(number):
		case s.kept[number]:
			err = errors.Join(journal.RemovePending(dir), run.RemoveTemporary(string(dir)))
		default:
			err = run.RemoveAll(string(dir))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ended reports whether the last session left nothing to do, and logs why.
func (s *session) ended() bool {
	switch h := &s.journal.Header; {
	case !h.Ended(), s.reductions.due() > 0:
		return false
	case s.sum.Stopped != "":
		s.logf("the campaign stopped at %s: nothing is left to do", s.sum.Stopped)
	case s.schedule != nil && h.End == journal.EndComplete:
		s.logf("the audit has ended: nothing is left to do")
	case s.schedule == nil && s.order.Left() == 0:
		s.logf("all %s of the campaign are done: nothing is left to do; --runs makes more", messages.Plural(s.sum.Planned, "run"))
	case s.overBudget():
		s.sum.BudgetSpent = true
		s.logf("the campaign's budget of %v is spent: nothing is left to do; --budget extends it", time.Duration(s.c.Budget))
	default:
		return false
	}
	s.sum.Elapsed = s.journal.Header.Spent
	return true
}
