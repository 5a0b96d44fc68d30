package gem5

import (
	"context"
	"fmt"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// RunBatch runs jobs of the same number of threads and rounds in as few
// launches as it can: one, unless something goes wrong. What goes wrong in a
// launch is the result of the program that had not left its whole log yet;
// the programs after it run in another launch, and the program itself again,
// under another seed, where the trouble was not its own. The seed of a launch
// is that of its first job, its time limit the sum of its jobs'.
//
// The results are in the order of the jobs. What gem5 left of a launch lies in
// the directory of the program that it ended in or, when all passed, of the
// first; every directory has the executable. Elapsed is an equal share of the
// launch, Coverage that of the whole launch for its first program, nil for the
// others. The errors are those of sim.Runner.
func (r *Runner) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	if err := check(jobs); err != nil {
		return nil, err
	}
	// What cannot be emitted is the caller's fault, whatever the binary is.
	if _, err := elf.EmitBatch(programsOf(jobs), r.emitOptions(jobs[0].Rounds)); err != nil {
		return nil, fmt.Errorf("run on gem5: %w", err)
	}
	unfit, err := r.unfit(ctx)
	if err != nil {
		return nil, err
	}
	if unfit != nil {
		return same(*unfit, unfit.Detail, len(jobs)), nil
	}
	run := func(ctx context.Context) ([]sim.Result, error) { return r.launchAll(ctx, jobs) }
	if len(r.options.Mutation.Changes) > 0 {
		return r.withMutant(ctx, jobs, run)
	}
	return run(ctx)
}

// launchAll makes launches until all jobs have a result.
func (r *Runner) launchAll(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	results := make([]sim.Result, len(jobs))
	for next, tries := 0, 0; next < len(jobs); {
		l := launched{runner: r, jobs: jobs[next:], try: tries}
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
		copy(results[next:], done)
		next += len(done)
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

// emitOptions fills in what suits gem5, which ignores sched_yield; but where
// the executable is tried on hardware, it helps.
func (r *Runner) emitOptions(rounds int) elf.Options {
	o := r.options.Emit
	o.Rounds = rounds
	o.Yield = true
	return o
}

// split divides the log of a batch into those of its programs, and says which
// of them are whole: every frame of the threads and the final memory. What is
// torn belongs to the program that was being written.
func split(log sim.Log, programs []*gen.Program) (logs []sim.Log, whole []bool) {
	logs, whole = make([]sim.Log, len(programs)), make([]bool, len(programs))
	for k, p := range programs {
		frames, size, final := 0, 0, false
		for !final {
			n, kind := frameBytes(log[size:])
			if n == 0 || kind == wire.Thread && frames == len(p.Threads) {
				break
			}
			size, frames, final = size+n, frames+1, kind == wire.Final
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

// frameBytes is the size of the frame that log begins with, and its kind; 0
// when it is torn.
func frameBytes(log sim.Log) (size int, kind wire.Kind) {
	f, err := wire.Next(log)
	if err != nil {
		return 0, 0
	}
	return f.Size(), f.Kind
}

// attribute turns the end of a launch into the results of its programs: those
// with a whole log passed, the next one is where the launch ended. The
// results stop there.
func attribute(result sim.Result, logs []sim.Log, whole []bool, end sandbox.Result) []sim.Result {
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
		results[i].Elapsed = end.Elapsed / time.Duration(len(results))
	}
	return results
}
