package gem5

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// RunBatch runs jobs of the same number of threads and rounds in as few
// launches as it can: one, unless something goes wrong. A failure of a launch
// is the result of the first program without a whole log. The programs after
// it run in another launch, and so does the program itself, with another seed,
// if the failure was not its own. The seed of a launch is that of its first
// job, its time limit the sum of its jobs'.
//
// The results are in the order of the jobs. The files of a launch lie in the
// directory of the program that it ended in or, when all passed, of the first;
// every directory has the executable. Elapsed is an equal share of the launch;
// Coverage is that of the whole launch for its first program, nil for the
// others. The errors are those of sim.Runner.
func (r *Runner) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	results, err := r.runBatch(ctx, jobs)
	if err != nil {
		return nil, fmt.Errorf("run on gem5: %w", err)
	}
	return results, nil
}

func (r *Runner) runBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	if err := check(jobs); err != nil {
		return nil, err
	}
	isa := jobs[0].Program.ISA
	for _, job := range jobs {
		if err := r.checkISA(job.Program); err != nil {
			return nil, err
		}
	}
	if isa != gen.X86 && len(jobs) > 1 && !r.options.agents() {
		return r.runEach(ctx, jobs)
	}
	w, err := r.surround(jobs)
	if err != nil {
		return nil, err
	}
	// Programs that cannot be emitted are the caller's error, even if the
	// binary is unfit.
	if _, err := (&launch{runner: r, work: w}).emit(); err != nil {
		return nil, err
	}
	unfit, err := r.unfit(ctx, isa)
	if err != nil {
		return nil, err
	}
	if unfit != nil {
		return slices.Repeat([]sim.Result{*unfit}, len(jobs)), nil
	}
	run := r.launchAll
	if len(r.options.Mutation.Changes) > 0 {
		run = r.runMutant
	}
	results, err := run(ctx, w)
	if err != nil {
		return nil, err
	}
	return results, w.withoutBackgrounds(results)
}

// runEach runs jobs one by one.
func (r *Runner) runEach(ctx context.Context, jobs []sim.Job) (results []sim.Result, err error) {
	for i := range jobs {
		one, err := r.runBatch(ctx, jobs[i:i+1])
		if err != nil {
			return nil, err
		}
		results = append(results, one...)
	}
	return results, nil
}

// check reports jobs that cannot be run at all.
func check(jobs []sim.Job) error {
	if len(jobs) == 0 {
		return errors.New("no job")
	}
	for _, job := range jobs {
		if job.Program == nil {
			return errors.New("job without a program")
		}
		if job.Rounds != jobs[0].Rounds {
			return fmt.Errorf("a batch of jobs of %d and %d rounds: want the same number", jobs[0].Rounds, job.Rounds)
		}
		if info, err := os.Stat(job.Dir); err != nil {
			return fmt.Errorf("run directory: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("run directory %s: not a directory", job.Dir)
		}
	}
	return nil
}

// launchAll launches gem5 until all jobs have a result.
func (r *Runner) launchAll(ctx context.Context, w work) ([]sim.Result, error) {
	var results []sim.Result
	for tries := 0; len(results) < len(w.jobs); {
		l := launch{runner: r, work: w.from(len(results)), try: tries}
		done, err := l.run(ctx)
		if err != nil {
			return nil, err
		}
		if l.retry && tries < r.options.Retries {
			// The last of done is the one to be run again.
			done, tries = done[:len(done)-1], tries+1
		} else {
			tries = 0
		}
		results = append(results, done...)
	}
	return results, nil
}

func programsOf(jobs []sim.Job) []*gen.Program {
	var programs []*gen.Program
	for _, job := range jobs {
		programs = append(programs, job.Program)
	}
	return programs
}

// emitOptions completes Options.Emit for a launch. gem5 ignores sched_yield, but the
// executable may be tried on hardware, where it helps.
func (r *Runner) emitOptions(w work) elf.Options {
	o := r.options.Emit
	o.Rounds, o.Seed = w.jobs[0].Rounds, w.jobs[0].Seed
	o.Lead, o.Late = w.late()
	o.Yield = true
	o.Log, o.Lfence = r.channel(w.jobs[0].Program.ISA), r.options.Lfence
	return o
}

// split divides the log of a batch into those of its programs, and reports
// which are whole: every frame of the threads and the final memory. A torn
// frame belongs to the first program that is not whole, where the logs stop.
func split(log sim.Log, programs []*gen.Program) (logs []sim.Log, whole []bool) {
	logs, whole = make([]sim.Log, len(programs)), make([]bool, len(programs))
	for k, p := range programs {
		size, final := 0, false
		for frames := 0; frames <= len(p.Threads) && !final; frames++ {
			f, err := wire.Next(log[size:])
			if err != nil || f.Kind == wire.Thread && frames == len(p.Threads) {
				break
			}
			size, final = size+f.Size(), f.Kind == wire.Final
		}
		if !final || k == len(programs)-1 {
			size = len(log) // with what is torn: nothing else follows
		}
		logs[k], log = log[:size:size], log[size:]
		whole[k] = final
		if !final {
			break
		}
	}
	return logs, whole
}

// attribute turns the result of a launch into those of its programs: those
// with a whole log passed, and the next one has the launch's result. The
// results stop there.
func attribute(result sim.Result, logs []sim.Log, whole []bool, elapsed time.Duration) []sim.Result {
	var results []sim.Result
	for k := range logs {
		if !whole[k] || k == len(logs)-1 && result.Outcome != sim.Passed {
			result.Log = logs[k]
			if len(logs) > 1 {
				result.Detail = fmt.Sprintf("in program %d of a batch of %d\n%s", k+1, len(logs), result.Detail)
			}
			results = append(results, result)
			break
		}
		passed := sim.Result{Outcome: sim.Passed, Log: logs[k]}
		if result.Outcome == sim.Passed {
			passed.Detail = result.Detail
		}
		results = append(results, passed)
	}
	for i := range results {
		results[i].Elapsed = elapsed / time.Duration(len(results))
	}
	return results
}
