// Package campaigns runs programs in numbers, judges what they did and keeps
// the records: Campaign, the run loop, run directories and the summary.
//
// # Run directories
//
// A campaign writes into one directory, by default runs/NAME-TIME:
//
//	DIR/
//	  campaign.yaml      the campaign as run, in one file: includes and --set
//	                     applied, variables of the environment expanded
//	  campaign.json      seed, command line, versions of tools, start
//	  runs.jsonl         the journal: one line for each run, an Entry, in the
//	                     order of their numbers
//	  summary.txt        the table printed at the end
//	  summary.json       the same for programs: Summary
//	  report.html        what ordeal campaign report made of it
//	  000017/            run number 17
//	    program.txt      the program (gen.Program.Text)
//	    run.json         Record: configuration, seed, number, command line,
//	                     versions of tools, hash of the program
//	    program.elf      what was executed      (simulator host)
//	    log.bin          the log as printed (sim.Log)
//	    stderr.txt       what else was printed  (simulator host)
//	    verdict.json     Judgement: outcome, answers by model, hashes, times
//	    witness-tso.txt  for people: why the history is forbidden by TSO
//	    ended.json       the run's line, while it waits for those before it
//	    reduced/         a smaller program that fails in the same way, a run
//	                     directory of its own; reduced.part while it is made
//	    reduction.json   Reduction: what came of reducing the run
//	    repro/           what ordeal repro made
//	    alone/           a failed run of a batch, made again alone
//	    batch.elf        what was executed of a batch
//	    batch/           the other runs, where repro made a batch again
//	    se.py gem5-*.txt m5out/ coverage.txt
//	                     what gem5 was given and left (simulator gem5)
//	  quarantine/        what went wrong, with a reason
//	    000021/          a run that could not be made or judged, or whose files
//	                     were spoilt; 000021-2 when it happens once more
//	      reason.txt     why
//	    lines.txt        lines of the journal that could not be read
//	  surplus/           runs on hardware that failed beyond the run at which
//	                     the campaign had stopped
//
// program.txt and run.json exist before the run starts; the rest follows
// after it. A run directory without verdict.json is a run that was
// interrupted. With keep: findings the directory of a run that passed is
// removed, except the first of each configuration with the same answers; of a
// canary only the first run that fails stays. The line of a run in runs.jsonl
// has what is needed to make it again.
//
// # The same end
//
// Runs end in any order, as many at a time as there are workers. They are
// recorded in the order of their numbers: a run that ended waits, on disk, for
// those before it, and when a thousand wait no further ones start. Everything
// that could depend on the order of ending is decided when a run is recorded:
// which run stays as an example, which is the first of a finding and is
// reduced, which coverage is new, whether a condition of stop is met, whether a
// canary is missed, whether too many runs in a row were trouble. A campaign of
// simulated machines therefore ends the same, in every file but for times and
// command lines, with any number of workers, and after any number of
// interrupts, kills and resumptions. What does not:
//
//   - Hardware is not deterministic; neither are wall-clock limits of runs and
//     of judging, where they matter.
//   - How far a reduction comes in its time.
//   - Where a budget ends a campaign. Batches that are ahead of other
//     configurations then count nevertheless, so that runs may be missing
//     between those that are recorded.
//   - After spoilt records, or trouble in the midst of a campaign, resumption
//     appends the runs that it makes again to the journal: these are not in
//     their place, coverage may be new in other runs, and another run with the
//     same answers may be the example.
//
// A condition of stop is met by the runs up to one with a certain number.
// What runs of higher numbers had done by then does not count; only those that
// failed on hardware, and may never do so again, are put into surplus.
//
// # Trouble
//
// A run that cannot be made, judged or written (the simulator is gone, the disk
// is full, a file is in the way, memory or log-size is exceeded, a simulator or
// checker of ours panics) has outcome infra. It is told of on standard error,
// moved to quarantine and counted, and says nothing about the system under
// test. With on-infra-error: continue, the default, the campaign goes on, and gives
// up after ten such runs in a row; with on-infra-error: stop it ends at the first.
// Where not even the journal can be written it ends at once. Resume makes runs
// in quarantine again, and those whose line in the journal, or whose directory,
// is spoilt; with on-infra-error: stop it refuses a spoilt journal. Nothing is ever
// removed from quarantine.
//
// # Findings
//
// Runs are one finding if outcome, title and system under test are the same:
// the simulator, the protocol, and the configuration where a fault is planted.
// With reduce: TIME the first run of each is reduced, one at a time beside the
// runs; the campaign ends when the reductions have. One that is interrupted or
// killed begins anew when the campaign is resumed.
//
// A configuration with bug: is a canary: a failing run that bug.by lists, any
// where it lists none, catches the planted fault and is no finding. When all
// its runs ended, with at least bug.budget operations, and none caught it, the
// finding is "canary NAME is no longer caught", of outcome missed. With
// bug.equivalent the configuration is a negative control, whose failing runs
// are findings, called "negative control NAME fails: TITLE".
//
// # What survives what
//
// Files are written under a temporary name beside their place, then renamed,
// so that a file that exists is whole; runs.jsonl grows by one write of one
// line, and ended.json, which is written in place, does not count unless it is
// whole. Killing the process at any moment therefore loses at most the runs in
// flight. Files of findings, and the line of each finding, are also flushed
// to the disk (fsync) before the finding is reported, so that findings
// survive a power failure; other files are left to the kernel, because a
// flush per run would cost more than the run.
//
// # Shards
//
// A campaign can be made in shards, each a campaign's directory of its own: the
// runs of shard i of n are a function of the campaign alone (Shard). Stop
// conditions and budget hold for each. Package merge makes one directory of
// them, package cluster has Slurm run them.
//
// # Seeds
//
// The program of run number n is drawn from rand.NewPCG(seed, n) according to
// the configuration that Schedule gives for n.
package engine
