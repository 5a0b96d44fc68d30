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

// work is what launches have to run.
type work struct {
	jobs []sim.Job
	// around are the backgrounds of the jobs, whose programs and rounds they are
	// part of; nil if there are none.
	around []*background.Surrounded
}

// from is the work without its first n jobs.
func (w work) from(n int) work {
	w.jobs = w.jobs[n:]
	if w.around != nil {
		w.around = w.around[n:]
	}
	return w
}

// surround puts backgrounds around jobs, if there are to be any.
func (r *Runner) surround(jobs []sim.Job) (work, error) {
	if r.options.Background.Length == 0 {
		return work{jobs: jobs}, nil
	}
	w := work{jobs: make([]sim.Job, len(jobs)), around: make([]*background.Surrounded, len(jobs))}
	for i, job := range jobs {
		s, err := background.Around(job.Program, r.options.Background)
		if err != nil {
			return work{}, err
		}
		job.Program, job.Rounds = s.Program, s.Lead+job.Rounds
		w.jobs[i], w.around[i] = job, s
	}
	return w, nil
}

// late are the operations of each program that the rounds of its background alone
// are without, and the number of these rounds.
func (w work) late() (rounds int, late [][][]int) {
	for _, s := range w.around {
		rounds, late = s.Lead, append(late, s.Late())
	}
	return rounds, late
}

// withoutBackgrounds writes what was run, and turns the results into those of the
// programs.
func (w work) withoutBackgrounds(results []sim.Result) error {
	for i, s := range w.around {
		if err := os.WriteFile(filepath.Join(w.jobs[i].Dir, BackgroundFile), s.Program.Text(), 0o644); err != nil {
			return fmt.Errorf("background: %w", err)
		}
		results[i].Log = s.Log(results[i].Log, w.jobs[i].Rounds-s.Lead)
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
		e.Data = nil // its words and values are those with the background
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
