package gem5

import (
	"fmt"
	"os"
	"path/filepath"

	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/sim"
	"ordeal/sim/trace"
)

// BackgroundFile is the program of a job with its background, which is what was
// run.
const BackgroundFile = "background.txt"

// backgrounds are the programs of jobs with their backgrounds; nil if there are
// none.
func (r *Runner) backgrounds(jobs []sim.Job) ([]*background.Surrounded, []sim.Job, error) {
	if r.options.Background.Length == 0 {
		return nil, jobs, nil
	}
	list, run := make([]*background.Surrounded, len(jobs)), make([]sim.Job, len(jobs))
	for i, job := range jobs {
		s, err := background.Around(job.Program, r.options.Background)
		if err != nil {
			return nil, nil, err
		}
		job.Program = s.Program
		list[i], run[i] = s, job
	}
	return list, run, nil
}

// keepBackground writes what was run, and turns the results into those of the
// programs.
func keepBackground(list []*background.Surrounded, jobs []sim.Job, results []sim.Result) error {
	for i, s := range list {
		if err := os.WriteFile(filepath.Join(jobs[i].Dir, BackgroundFile), s.Program.Text(), 0o644); err != nil {
			return fmt.Errorf("background: %w", err)
		}
		results[i].Log = s.Log(results[i].Log, jobs[i].Rounds)
	}
	return nil
}

// withoutBackground passes on the events of a trace with the operations and
// locations of the program. Of the background there are the transitions and
// messages only.
func withoutBackground(s *background.Surrounded, rounds int, record func(trace.Event)) func(trace.Event) {
	return func(e trace.Event) {
		mine := true
		if e.Number >= 0 && (e.Kind == trace.Access || e.Kind == trace.Commit) {
			e.Number, mine = s.Number(e.Thread, e.Number)
		}
		if e.Kind == trace.Access && mine {
			e.Loc, mine = s.Loc(e.Loc)
			e.Read, e.Written = s.Value(e.Read, rounds), s.Value(e.Written, rounds)
		}
		if mine {
			record(e)
		}
	}
}

// locationsOf are those of the program with its background.
func locationsOf(s *background.Surrounded, own []gen.LocID) []gen.LocID {
	list := make([]gen.LocID, len(own))
	for i, l := range own {
		list[i] = s.At(l)
	}
	return list
}
