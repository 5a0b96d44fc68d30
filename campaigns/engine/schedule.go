package engine

import (
	"context"
	"errors"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/gen"
)

// Schedule decides by the results so far what a campaign runs next. A campaign without one runs its
// configurations in an order that is known before, see launches.
type Schedule interface {
	// Next draws the next run; nil if the campaign ends.
	Next() (*Draw, error)
	// Add takes in the run that Next drew last, once it is recorded: in this session, or in an
	// earlier one whose runs are not repeated. The error is of a record of another run.
	Add(*journal.Entry) error
}

// ErrLimit is the error of a run that a limit of the Schedule ended; it is not recorded.
var ErrLimit = errors.New("a limit of the schedule ended the run")

// Draw is a run that was drawn.
type Draw struct {
	Config int // index of its configuration in the campaign
	// Run executes it. After ErrLimit, Next says that the campaign ends.
	Run func(ctx context.Context) (*Drawn, error)
}

// Drawn is a run that was drawn and executed.
type Drawn struct {
	Config config.Config // with the machine that was drawn
	Seed   uint64        // of the simulator
	// Program is nil for a run without a directory.
	Program  *gen.Program
	Result   *run.Evaluation
	Explored Explored // nil: a simulation
	Record   journal.Drawn
}

// newSchedule returns the Schedule of a campaign; nil if its order is known.
func (e *Engine) newSchedule(c *config.Campaign) (Schedule, error) {
	switch {
	case c.Audit == nil:
		return nil, nil
	case e.Schedule == nil:
		return nil, errors.New("audit: nothing audits here")
	case !e.Shard.Whole():
		return nil, errors.New("audit: an audit has no shards")
	}
	return e.Schedule(c)
}

// runScheduled executes what the Schedule draws, one run after the other.
func (s *session) runScheduled(ctx context.Context) error {
	for ctx.Err() == nil {
		if s.sum.BudgetSpent = s.overBudget(); s.sum.BudgetSpent {
			return nil
		}
		d, err := s.schedule.Next()
		if d == nil || err != nil {
			s.exhausted = err == nil
			return err
		}
		x := s.execution(s.journal.Schedules(d.Config), nil)
		err = run.Guarded(func() error { return x.perform(ctx, d) })
		if errors.Is(err, ErrLimit) {
			continue
		}
		if err := s.finish(ctx, x, err); err != nil {
			if x.Drawn != nil { // it was executed, and belongs to the report whatever could not be written
				err = errors.Join(err, s.schedule.Add(x.Entry))
			}
			if s.sum.Stopped != "" {
				return s.discard()
			}
			return err
		}
		if err := s.schedule.Add(x.Entry); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// perform executes a run that was drawn.
func (x *execution) perform(ctx context.Context, d *Draw) error {
	out, err := d.Run(ctx)
	if err != nil {
		return err
	}
	x.Drawn, x.explored, x.program = &out.Record, out.Explored, out.Program
	_ = x.evaluated(out.Result, nil)
	name := x.spec.Config.Name
	x.spec.Config, x.spec.Seed = out.Config, out.Seed-uint64(x.Number)
	x.spec.Config.Name = name
	if x.program != nil {
		x.spec.SetProgram(x.program)
	}
	return nil
}

// replayDrawn takes in a run of an earlier session.
func (s *session) replayDrawn(e *journal.Entry) error {
	d, err := s.schedule.Next()
	switch {
	case err != nil:
		return err
	case d == nil || s.c.Configs[d.Config].Name != e.ConfigName:
		return fmt.Errorf("run %d of %s is not the one that is drawn next: the journal is of another version, or was changed", e.Number, e.ConfigName)
	}
	return s.schedule.Add(e)
}
